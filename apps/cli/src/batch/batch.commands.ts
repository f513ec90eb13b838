import { AGE_BASES } from '@donorlens/demographics';
import { BATCH_TYPES, CONTRIBUTION_FIELDS, ETHNICITY_OPTIONS } from '@donorlens/primitives';
import { type Command, InvalidArgumentError } from 'commander';
import { choice, wholeNumber, wholeUrl } from '../arguments';
import { EXIT, type ExitCode, usageError } from '../exit-code';
import { type Context, examples } from '../program-context';
import { awaitBatch, batchPath, fetchBatch } from './await-batch';
import { exitCodeOfBatch, isFinal, readBatch } from './batch-view';
import { type ServiceOptions, withService } from './service-client';
import { FORMATS } from './input-file';
import { erase, list } from './list';
import { showPreview } from './preview';
import { progressOn, addressText, batchLine, lateLine, countsText, waitLine } from './progress';
import { RESULT_FORMATS, results } from './results';
import { type SubmitOptions, submit } from './submit';

const collected = (pair: string, before: readonly string[]): string[] => {
  if (!/^[a-z_]+=.*$/i.test(pair)) throw new InvalidArgumentError('It must look like field=column.');
  return [...before, pair];
};

export const withServiceOptions = (command: Command): Command =>
  command
    .option('--url <url>', 'URL of the service (default: DONORLENS_URL, else the service started here)')
    .option('--key <key>', 'API key (default: DONORLENS_KEY, BOOTSTRAP_KEY, else the key of the first start)');

const withResults = (command: Command): Command =>
  command
    .option('-o, --output <file>', 'write the results to a file instead of standard output')
    .addOption(choice('--as <format>', 'format of the results', RESULT_FORMATS).default('csv'))
    .option('--detail', 'add quartiles, gender share, name keys and the basis of each estimate')
    .option('--raw', 'do not escape text that a spreadsheet could read as a formula');

const withInput = (command: Command): Command =>
  command
    .addOption(choice('--type <type>', 'fields to add (default: contributions)', BATCH_TYPES))
    .addOption(
      choice('--format <format>', 'format of the file (default: detected from its name and first line)', FORMATS),
    )
    .option('--sheet <sheet>', 'name or number of the sheet of an .xlsx workbook (default: its first visible one)')
    .option(
      '--map <field=column>',
      `column of a field, or street= to ignore a field; may be repeated; fields: ${CONTRIBUTION_FIELDS.join(', ')}`,
      collected,
      [],
    )
    .option('--min-age <years>', 'minimum age; use 18 for donors', wholeNumber(0, 100))
    .addOption(
      choice(
        '--age-basis <basis>',
        'people whose ages are used: all with the name, adults, donors of the cycle, or the group of the batch (default: name)',
        AGE_BASES,
      ),
    )
    .addOption(
      choice(
        '--ethnicity-basis <basis>',
        'basis of the ethnicity (default: setting of the service)',
        ETHNICITY_OPTIONS,
      ),
    );

/** @throws CliError if the text is not a batch id, such as a row number or a file name */
function batchId(text: string): string {
  if (/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)) return text;
  throw usageError(
    `"${text}" is not a batch id, such as ${EXAMPLE_ID}: list the batches with bin/donorlens batch list`,
  );
}
const EXAMPLE_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

export function addBatchCommands(program: Command, context: Context): void {
  const batch = program
    .command('batch')
    .description('submit files to a running service and read the results')
    .addHelpText(
      'after',
      examples('bin/donorlens batch submit FILE.csv --min-age 18 --wait > enriched.csv', 'bin/donorlens batch list'),
    );
  addSubmit(batch, context);
  addPreview(batch, context);
  addList(batch, context);
  addStatus(batch, context);
  withResults(withServiceOptions(batch.command('results <id>')))
    .description('read the results of a batch, in the order of its input')
    .option('--errors', 'read the invalid and failed rows, with their reasons')
    .option('--partial', 'read the results so far, of a batch that is running')
    .addHelpText(
      'after',
      examples('bin/donorlens batch results ID > out.csv', 'bin/donorlens batch results ID --errors'),
    )
    .action(
      context.run((id: string, options: Parameters<typeof results>[2]) => results(context, batchId(id), options)),
    );
  withServiceOptions(batch.command('cancel <id>'))
    .description('cancel a batch; rows that are done stay readable')
    .option('--json', 'the batch as JSON')
    .addHelpText('after', examples('bin/donorlens batch cancel ID'))
    .action(context.run((id: string, options: StatusOptions) => cancel(context, batchId(id), options)));
  withServiceOptions(batch.command('delete <id>'))
    .description('delete a batch with its input, results and counts')
    .option('--json', 'its id as JSON')
    .addHelpText('after', examples('bin/donorlens batch delete ID'))
    .action(context.run((id: string, options: StatusOptions) => erase(context, batchId(id), options)));
}

function addPreview(batch: Command, context: Context): void {
  withServiceOptions(withInput(batch.command('preview <file>')))
    .description('show how a file is read, with its first rows enriched; stores nothing')
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      examples(
        'bin/donorlens batch preview contributions.csv --min-age 18',
        'bin/donorlens batch preview people.csv --type age_gender --map first_name=given',
      ),
    )
    .action(context.run((file: string, options: SubmitOptions) => showPreview(context, file, options)));
}

function addList(batch: Command, context: Context): void {
  withServiceOptions(batch.command('list'))
    .description('list the batches of this API key, newest first')
    .option('--limit <n>', 'maximum number', wholeNumber(1, 10_000), 20)
    .option('--json', 'as JSON')
    .addHelpText('after', examples('bin/donorlens batch list', 'bin/donorlens batch list --limit 100 --json'))
    .action(context.run((options: Parameters<typeof list>[1]) => list(context, options)));
}

function addSubmit(batch: Command, context: Context): void {
  withResults(withServiceOptions(withInput(batch.command('submit <file>'))))
    .description('submit a file; with --wait, print the results to standard output')
    .option('--idempotency-key <key>', 'submitting the same file again with the same key returns the same batch')
    .option(
      '--webhook-url <url>',
      'public https URL that receives a webhook at the end; see docs/webhooks.md',
      wholeUrl,
    )
    .option('--wait', 'wait for the end and print the results')
    .option('--json', 'the batch as JSON')
    .addHelpText(
      'after',
      examples(
        'bin/donorlens batch submit contributions.csv --min-age 18 --wait > enriched.csv',
        'bin/donorlens batch submit itcont.txt --format itcont --min-age 18 --wait -o enriched.csv',
        'bin/donorlens batch submit people.csv --type age_gender --map first_name=given --map date=paid_on',
      ) +
        '\n\nExit codes: 0 every row done, 4 some rows invalid, failed or waiting for their address, 1 failed, 2 usage, 3 no service, 130 Ctrl-C.',
    )
    .action(context.run((file: string, options: SubmitOptions) => submit(context, file, options)));
}

interface StatusOptions extends ServiceOptions {
  readonly json?: boolean;
  readonly wait?: boolean;
}

function addStatus(batch: Command, context: Context): void {
  withServiceOptions(batch.command('status <id>'))
    .description('show the progress of a batch')
    .option('--wait', 'wait for its end, and for addresses that were pending when it completed')
    .option('--json', 'the batch as JSON')
    .addHelpText('after', examples('bin/donorlens batch status ID', 'bin/donorlens batch status ID --wait --json'))
    .action(context.run((id: string, options: StatusOptions) => status(context, batchId(id), options)));
}

async function status(context: Context, id: string, options: StatusOptions): Promise<ExitCode> {
  return withService(context, options, async (client, signal) => {
    const batch = options.wait
      ? await awaitBatch(client, id, progressOn(process.stderr), { signal, shouldAwaitAddresses: true })
      : await fetchBatch(client, id, { signal, retryMs: 5_000 });
    const lines = [batchLine(batch), countsText(batch), addressText(batch), waitLine(batch), lateLine(batch)];
    context.out(options.json ? JSON.stringify(batch) : lines.filter((line) => line !== null).join('\n'));
    return options.wait ? exitCodeOfBatch(batch) : EXIT.ok;
  });
}

async function cancel(context: Context, id: string, options: StatusOptions): Promise<ExitCode> {
  return withService(context, options, async (client, signal) => {
    const before = await fetchBatch(client, id, { signal, retryMs: 5_000 });
    const batch = readBatch(await client.json(`${batchPath(id)}/cancel`, { method: 'POST', signal }));
    if (isFinal(before)) context.note(`the batch was already ${before.state}; nothing was cancelled`);
    context.out(options.json ? JSON.stringify(batch) : batchLine(batch));
    return EXIT.ok;
  });
}
