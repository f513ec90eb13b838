import { InvalidArgumentError, type Command } from 'commander';
import { FEC_OFFICES, type FecOffice } from '@donorlens/primitives';
import { wholeNumber } from '../arguments';
import { type Context, examples } from '../program-context';
import { type ImportOptions } from './import-fec';

const EXIT_CODES =
  '\n\nA file of contributions replaces its cycle: rows of the cycle that are not in the file are removed. If the file lacks' +
  '\nmore than 100 rows and more than a tenth of the previous file, the import fails and changes nothing;' +
  '\n--remove-missing permits it.' +
  '\n\nExit codes: 0 done, 1 failed, 2 wrong options, 3 no running donorlens or no such file, 4 done but some filings' +
  '\ncould not be read, 130 interrupted: run the command again to continue.';

/** Loads the libs only when a command runs, so that --help stays fast. */
export function addImportCommands(program: Command, context: Context): void {
  const imports = program
    .command('import')
    .description('FEC files: candidates, committees, contributions')
    .addHelpText('after', examples('bin/donorlens import fec --cycle 2024', 'bin/donorlens import list'));
  imports
    .command('fec')
    .description(
      'import the files of a cycle, enrich them and build the charts; a file that was imported before changes nothing',
    )
    .option('--cycle <year>', 'even year that ends the cycle', evenYear)
    .option('--masters', 'candidates, committees and linkages')
    .option('--contributions [file]', 'contributions of the cycle, or a file of your own (zip, gz or text)')
    .option('--filings <files...>', 'electronic filings (.fec) or daily zips of them')
    .option('--file-number <number>', 'number of the filing, if its file name does not contain it', fileNumber)
    .option(
      '--source <folder-or-url>',
      'official files laid out by publisher (default: DATA_SOURCE here or of the running service, else the FEC)',
    )
    .option('--offices <list>', 'P President, S Senate, H House, as in P,S,H (default: FEC_OFFICES, else P)', offices)
    .option('--again', 'import a file again that was imported before')
    .option('--remove-missing', 'remove all rows that the file no longer has')
    .option('--json', 'the report as JSON')
    .addHelpText(
      'after',
      examples(
        'bin/donorlens import fec --cycle 2024',
        'bin/donorlens import fec --cycle 2016 --masters --source /srv/official-files',
        'bin/donorlens import fec --cycle 2016 --contributions itcont.txt',
        'bin/donorlens import fec --filings 1385191.fec 20180616.zip',
      ) + EXIT_CODES,
    )
    .action(
      context.run(async (options: ImportOptions) => (await import('./import-fec.js')).importFec(context, options)),
    );
  imports
    .command('list')
    .description('list imports, newest first')
    .option('--limit <n>', 'maximum number', wholeNumber(1, 1000), 20)
    .option('--json', 'as JSON, with all counts')
    .addHelpText('after', examples('bin/donorlens import list --limit 5'))
    .action(
      context.run(async (options: { limit: number; json?: boolean }) =>
        (await import('./import-list.js')).importList(context, options),
      ),
    );
  imports
    .command('rejects <import>')
    .description('show the invalid lines of an import as CSV: line number, reason and text')
    .addHelpText('after', examples('bin/donorlens import rejects 7 > rejects.csv'))
    .action(context.run(async (id: string) => (await import('./import-list.js')).importRejects(context, id)));
}

function fileNumber(text: string): string {
  if (!/^[1-9]\d{0,11}$/.test(text))
    throw new InvalidArgumentError('It must be the number of a filing, as in 1385191.');
  return text;
}

function offices(text: string): readonly FecOffice[] {
  const read = text.toUpperCase().split(',');
  if (!read.every((office) => FEC_OFFICES.some((one) => one === office)))
    throw new InvalidArgumentError('It must be offices with commas between them, as in P,S,H.');
  return FEC_OFFICES.filter((office) => read.includes(office));
}

function evenYear(text: string): number {
  if (!/^(19|20)\d[02468]$/.test(text))
    throw new InvalidArgumentError('It must be an even year from 1900 to 2098, as in 2016.');
  return Number(text);
}

interface JsonOption {
  readonly json?: boolean;
}

export function addChartCommands(program: Command, context: Context): void {
  const charts = program
    .command('charts')
    .description('precomputed donor charts')
    .addHelpText('after', examples('bin/donorlens charts status'));
  charts
    .command('rebuild')
    .description('rebuild all charts from the contributions; the old charts are served until the new ones are complete')
    .option('--json', 'the report as JSON')
    .addHelpText('after', examples('bin/donorlens charts rebuild'))
    .action(context.run(async (options: JsonOption) => (await import('./charts.js')).rebuild(context, options)));
  charts
    .command('status')
    .description('show the current version and pending changes')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('bin/donorlens charts status'))
    .action(context.run(async (options: JsonOption) => (await import('./charts.js')).status(context, options)));
}
