import { InvalidArgumentError, type Command } from 'commander';
import { wholeNumber } from '../arguments';
import { type Context, examples } from '../program-context';
import { type ImportOptions } from './import-options';

const EXIT_CODES =
  '\n\nA file of contributions is taken for the whole of its cycle: rows of the cycle that it does not hold are removed,' +
  '\nunless they are more than a tenth of what the file before it left.' +
  '\n\nExit codes: 0 done, 1 failed, 2 wrong options, 3 no running donorlens or no such file, 4 done but some filings' +
  '\ncould not be read, 130 interrupted: the same command goes on.';

/** Loads what does the work only when a command runs: nothing of it is wanted for --help. */
export function addImportCommands(program: Command, context: Context): void {
  const imports = program
    .command('import')
    .description("the FEC's files: candidates, committees, contributions")
    .addHelpText('after', examples('bin/donorlens import fec --cycle 2024', 'bin/donorlens import list'));
  imports
    .command('fec')
    .description('import files of a cycle, enrich them and build the charts; a file that is in already changes nothing')
    .option('--cycle <year>', 'even year that ends the cycle', evenYear)
    .option('--masters', 'candidates, committees and linkages')
    .option('--contributions [file]', "the cycle's contributions, or a file of yours (zip, gz or text)")
    .option('--filings <files...>', 'electronic filings (.fec) or daily zips of them')
    .option('--file-number <number>', 'number of the one filing whose name does not say it', fileNumber)
    .option('--source <folder-or-url>', 'official files laid out by publisher (default: DATA_SOURCE, else the FEC)')
    .option('--again', 'also a file that was imported before')
    .option('--remove-missing', 'remove rows that the file no longer holds, however many')
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
    .description('imports, newest first')
    .option('--limit <n>', 'how many', wholeNumber(1, 1000), 20)
    .option('--json', 'as JSON, with all counts')
    .addHelpText('after', examples('bin/donorlens import list --limit 5'))
    .action(
      context.run(async (options: { limit: number; json?: boolean }) =>
        (await import('./import-list.js')).importList(context, options),
      ),
    );
  imports
    .command('rejects <import>')
    .description('the lines of an import that could not be read: line, reason and the line itself, as CSV')
    .addHelpText('after', examples('bin/donorlens import rejects 7 > rejects.csv'))
    .action(context.run(async (id: string) => (await import('./import-list.js')).importRejects(context, id)));
}

function fileNumber(text: string): string {
  if (!/^[1-9]\d{0,11}$/.test(text))
    throw new InvalidArgumentError('It must be the number of a filing, as in 1385191.');
  return text;
}

function evenYear(text: string): number {
  if (!/^(19|20)\d[02468]$/.test(text)) throw new InvalidArgumentError('It must be an even year, as in 2016.');
  return Number(text);
}
