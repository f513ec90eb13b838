import { type Command } from 'commander';
import { type Context, examples } from './program-context';

const load = () => import('./migrate.js');

export function addMigrateCommand(program: Command, context: Context): void {
  program
    .command('migrate')
    .description(
      'bring the database to the schema of this release, with the key of BOOTSTRAP_KEY where that is set; npm start does it by itself',
    )
    .option('--json', 'as JSON')
    .addHelpText('after', examples('DATABASE_URL=postgres://user@host/donorlens bin/donorlens migrate'))
    .action(context.run(async (options: { json?: boolean }) => (await load()).migrate(context, options)));
}
