import { type Command } from 'commander';
import { type Context, examples } from '../program-context';

interface JsonOption {
  readonly json?: boolean;
}

export function addChartCommands(program: Command, context: Context): void {
  const charts = program
    .command('charts')
    .description('precomputed charts of donors')
    .addHelpText('after', examples('bin/donorlens charts status'));
  charts
    .command('rebuild')
    .description('make all charts anew from the contributions; readers keep the old ones until the new ones are whole')
    .option('--json', 'the report as JSON')
    .addHelpText('after', examples('bin/donorlens charts rebuild'))
    .action(context.run(async (options: JsonOption) => (await import('./charts.js')).rebuild(context, options)));
  charts
    .command('status')
    .description('the version that is served, and what waits for the next')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('bin/donorlens charts status'))
    .action(context.run(async (options: JsonOption) => (await import('./charts.js')).status(context, options)));
}
