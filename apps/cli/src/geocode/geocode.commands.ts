import { type Command } from 'commander';
import { choice } from '../arguments';
import { type Context, examples } from '../program-context';
import { type RetryOptions } from './retry';

const RETRIED: readonly RetryOptions['outcome'][] = ['ERROR', 'NO_MATCH', 'TIE'];

export function addGeocodeCommands(program: Command, context: Context): void {
  const geocode = program
    .command('geocode')
    .description('geocoder state and pending addresses')
    .addHelpText('after', examples('bin/donorlens geocode status'));
  geocode
    .command('status')
    .description('show whether the geocoder answers, how many addresses wait, and why')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `${examples('bin/donorlens geocode status')}\n\nExit codes: 0 status shown, whether the geocoder answers or not; 3 no database.`,
    )
    .action(
      context.run(async (options: { json?: boolean }) =>
        (await import('./geocode-status.js')).geocodeStatus(context, options),
      ),
    );
  geocode
    .command('retry')
    .description('geocode addresses again that failed, have no match, or are ambiguous')
    .addOption(
      choice(
        '--outcome <outcome>',
        'which addresses: ERROR are those that failed in a call of their own',
        RETRIED,
      ).makeOptionMandatory(),
    )
    .option('--dry-run', 'count the addresses, change nothing')
    .option('--json', 'the counts as JSON')
    .addHelpText(
      'after',
      examples(
        'bin/donorlens geocode retry --outcome ERROR',
        'bin/donorlens geocode retry --outcome NO_MATCH --dry-run',
      ) +
        '\n\nAn address is erased once it has an outcome. So NO_MATCH and TIE are read again from stored batches; other' +
        '\naddresses are geocoded when they are submitted again. Stored rows show the old outcome until the new one is known.',
    )
    .action(context.run(async (options: RetryOptions) => (await import('./retry.js')).retry(context, options)));
}
