import { type Command } from 'commander';
import { choice } from '../arguments';
import { type Context, examples } from '../program-context';
import { RETRIED, type RetryOptions } from './retry-options';

export function addGeocodeCommands(program: Command, context: Context): void {
  const geocode = program
    .command('geocode')
    .description('the geocoder, and the addresses that wait for it')
    .addHelpText('after', examples('bin/donorlens geocode status'));
  geocode
    .command('status')
    .description('does it answer, what waits, why, and what is known')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `${examples('bin/donorlens geocode status')}\n\nExit codes: 0 told, whether it answers or not; 3 no database.`,
    )
    .action(
      context.run(async (options: { json?: boolean }) =>
        (await import('./geocode-status.js')).geocodeStatus(context, options),
      ),
    );
  geocode
    .command('retry')
    .description('ask again for addresses that failed, have no match, or have several')
    .addOption(choice('--outcome <outcome>', 'which: ERROR failed whenever asked alone', RETRIED).makeOptionMandatory())
    .option('--dry-run', 'count them, change nothing')
    .option('--json', 'the counts as JSON')
    .addHelpText(
      'after',
      examples(
        'bin/donorlens geocode retry --outcome ERROR',
        'bin/donorlens geocode retry --outcome NO_MATCH --dry-run',
      ) +
        '\n\nAn address is erased once it has an outcome. So NO_MATCH and TIE are read again from batches that are kept;' +
        '\nthe others are asked when they come again. Stored rows show the old outcome until the new one is there.',
    )
    .action(context.run(async (options: RetryOptions) => (await import('./retry.js')).retry(context, options)));
}
