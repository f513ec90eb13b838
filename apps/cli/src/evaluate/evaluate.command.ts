import { readFile } from 'node:fs/promises';
import { type TruthRow } from '@donorlens/evaluation';
import { type Release } from '@donorlens/reference-data';
import { type Command } from 'commander';
import { type SuppliedFileOptions, suppliedFileOptions } from '../arguments';
import { EXIT, type ExitCode, codeOf, dependencyError, messageOf, usageError } from '../exit-code';
import { type Context, clientContext, examples } from '../program-context';

interface EvaluateOptions extends SuppliedFileOptions {
  readonly group?: string;
  readonly date?: string;
  readonly dataSource?: string;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

export function addEvaluateCommand(program: Command, context: Context): void {
  const [surnames, firstNames] = suppliedFileOptions({
    surnames: '2010 with --data-source',
    firstNames: 'none with --data-source',
  });
  program
    .command('evaluate <truth-file>')
    .description(
      'measure the estimates on a CSV file of people with known age, gender or race; needs no running service',
    )
    .option(
      '--group <column>',
      'column of the group whose ages are estimated together (default: group, congress, cycle …)',
    )
    .option('--date <column-or-date>', 'column of the date of an age, or one date for all rows (default: date, …)')
    .option(
      '--data-source <folder>',
      'official files laid out by publisher (default: the data release that was active last on this machine)',
    )
    .addOption(surnames)
    .addOption(firstNames)
    .option('--json', 'as JSON')
    .option('--markdown', 'print the tables as Markdown')
    .addHelpText(
      'after',
      examples(
        'bin/donorlens evaluate voters.csv --date 2020-11-03 --json > result.json',
        'bin/donorlens evaluate members.csv --group congress --data-source /srv/official-files',
        'bin/donorlens evaluate voters.csv --data-source /srv/official-files --first-names race',
      ),
    )
    .action(context.run((path: string, options: EvaluateOptions) => evaluateFile(context, path, options)));
}

async function evaluateFile(context: Context, path: string, options: EvaluateOptions): Promise<ExitCode> {
  const { evaluate } = await import('@donorlens/evaluation');
  const rows = await readTruth(path, options);
  const release = await releaseOf(context, options);
  const result = { data_release: release.id, ...evaluate(rows, release) };
  const { evaluationMarkdown, evaluationText } = await import('./evaluation-text.js');
  const textOf = options.markdown ? evaluationMarkdown : evaluationText;
  context.out(options.json ? JSON.stringify(result, null, 2) : textOf(result));
  return EXIT.ok;
}

/** @throws CliError with exit code 2 if the file cannot be read or lacks columns; the message names the columns */
async function readTruth(path: string, options: EvaluateOptions): Promise<TruthRow[]> {
  const { TruthFileError, readTruthFile } = await import('@donorlens/evaluation');
  const bytes = await readFile(path).catch((error: unknown) => {
    throw usageError(`${path} cannot be read (${codeOf(error) ?? messageOf(error)})`);
  });
  try {
    return readTruthFile(bytes, options);
  } catch (error) {
    throw error instanceof TruthFileError ? usageError(`${path}: ${error.message}`) : error;
  }
}

/** @throws CliError with exit code 2 if files are supplied outside a folder, and 3 if no data release is active */
async function releaseOf(context: Context, { dataSource, surnames, firstNames }: EvaluateOptions): Promise<Release> {
  const { compileFolder, lastActiveRelease, openRelease } = await import('@donorlens/reference-data');
  if (dataSource !== undefined) {
    const supplied = { surnames2020: surnames === '2020', firstNames: firstNames === 'race' };
    return openRelease(await compileFolder(dataSource, { steps: false, supplied, onProgress: context.note }));
  }
  if (surnames ?? firstNames) throw usageError('--surnames and --first-names need --data-source FOLDER');
  const { home } = clientContext();
  const release = await lastActiveRelease(home.root);
  if (release) return release;
  throw dependencyError(`${home.root} has no data release: run npm start once, or pass --data-source FOLDER`);
}
