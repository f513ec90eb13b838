import { randomUUID } from 'node:crypto';
import { counted } from '@donorlens/primitives';
import { type Context, clientContext, interruptible } from '../program-context';
import { EXIT, type ExitCode, usageError } from '../exit-code';
import { awaitBatch, batchPath } from './await-batch';
import { type BatchView, exitCodeOfBatch, readBatch } from './batch-view';
import { type Target, download, targetOf, type ResultOptions, resultsPath, resultsType } from './results';
import { type ServiceOptions, findService, isLocal, withRetries, type ServiceClient } from './service-client';
import { type InputFile, type InputFormat, inputFile, uploadOf } from './input-file';
import { progressOn, endLines, uploadLine } from './progress';
import { asOptionError } from './option-errors';

export interface SubmitOptions extends ServiceOptions, ResultOptions {
  /** Default: the type that a JSON file states, otherwise contributions. */
  readonly type?: string;
  readonly format?: InputFormat;
  readonly sheet?: string;
  readonly map: readonly string[];
  readonly minAge?: number;
  readonly ageBasis?: string;
  readonly ethnicityBasis?: string;
  readonly webhookUrl?: string;
  readonly wait?: boolean;
  readonly output?: string;
  readonly json?: boolean;
  readonly idempotencyKey?: string;
}

/** Submits a file. With --wait, results go to standard output (or --output), everything else to standard error. */
export async function submit(context: Context, path: string, options: SubmitOptions): Promise<ExitCode> {
  const file = inputFile(path, options.format);
  const { config, home } = clientContext();
  const client = findService(options, config, home);
  if (options.wait && options.json && !options.output)
    throw usageError('--json with --wait needs --output, because the results go to standard output');
  const target = options.wait ? await targetOf(options.output) : null;
  try {
    return await interruptible(async (signal, onInterrupt) => {
      const batch = await send(client, file, options, context, signal);
      context.note(`its page: ${client.url}${batchPath(batch.id)} (a browser asks for your key)`);
      warnOfChildren(context, batch, options);
      if (!target) return reportAccepted(context, batch, options.json);
      onInterrupt(`the batch continues; wait for it with: bin/donorlens batch status ${batch.id} --wait`);
      return awaitAndDownload(client, batch, target, options, context, signal);
    }, context);
  } finally {
    target?.discard();
    await client.close();
  }
}

function reportAccepted(context: Context, batch: BatchView, json: boolean | undefined): ExitCode {
  context.out(json ? JSON.stringify(batch) : batch.id);
  context.note(
    `accepted ${counted(batch.counts.total, 'row')}; wait: bin/donorlens batch status ${batch.id} --wait; then read: bin/donorlens batch results ${batch.id}`,
  );
  warnOfSample(context, batch);
  return EXIT.ok;
}

/** Results from the sample data look like real ones, and the results file does not mention the sample. */
function warnOfSample(context: Context, batch: BatchView): void {
  if (batch.data_release?.startsWith('sample.'))
    context.note(
      'these results come from the synthetic sample, not from official data: load it with bin/donorlens refresh',
    );
}

/** Donors are adults: the upload page presets a minimum age of 18, the command warns if none is given. */
function warnOfChildren(context: Context, { type }: BatchView, { minAge, ageBasis = 'name' }: SubmitOptions): void {
  if (type === 'contributions' && minAge === undefined && ageBasis === 'name')
    context.note('ages include children: use --min-age 18 for donors, or --min-age 0 to include all ages');
}

/** The idempotency key prevents a second batch if the request is repeated after a broken connection. */
async function send(
  client: ServiceClient,
  file: InputFile,
  options: SubmitOptions,
  context: Context,
  signal: AbortSignal,
): Promise<BatchView> {
  await client.json('/enrich/v1/batches?limit=1', { signal }); // reports an invalid API key before a long upload
  const progress = progressOn(process.stderr);
  const upload = uploadOf(file, !isLocal(client.url), (bytes) =>
    progress.update(bytes, file.bytes, uploadLine(bytes, file.bytes)),
  );
  const headers = {
    ...upload.headers,
    'idempotency-key': options.idempotencyKey ?? randomUUID(),
    ...(options.webhookUrl !== undefined && { 'webhook-url': options.webhookUrl }),
  };
  const path = `/enrich/v1/batches?${queryOf(file, options)}`;
  const onRetry = (message: string) => context.note(`${message}; sending again`);
  try {
    return readBatch(
      await withRetries(() => client.json(path, { method: 'POST', upload: { ...upload, headers }, signal }), {
        signal,
        onRetry,
      }),
    );
  } catch (error) {
    throw asOptionError(error, file);
  } finally {
    progress.end();
  }
}

type QueryOptions = Pick<SubmitOptions, 'type' | 'sheet' | 'map' | 'minAge' | 'ageBasis' | 'ethnicityBasis'>;

export function queryOf(file: InputFile, options: QueryOptions): string {
  const query = new URLSearchParams();
  const type = options.type ?? (file.format === 'json' ? undefined : 'contributions');
  if (type !== undefined) query.set('type', type);
  if (file.format === 'itcont') query.set('format', 'itcont');
  if (options.sheet !== undefined) query.set('sheet', options.sheet);
  if (options.minAge !== undefined) query.set('min_age', String(options.minAge));
  if (options.ageBasis !== undefined) query.set('age_basis', options.ageBasis);
  if (options.ethnicityBasis !== undefined) query.set('ethnicity_basis', options.ethnicityBasis);
  for (const pair of options.map) {
    const [field = '', ...column] = pair.split('=');
    query.set(`map.${field}`, column.join('='));
  }
  return query.toString();
}

async function awaitAndDownload(
  client: ServiceClient,
  batch: BatchView,
  target: Target,
  options: SubmitOptions,
  context: Context,
  signal: AbortSignal,
): Promise<ExitCode> {
  const onRetry = (message: string) => context.note(`${message}; trying again`);
  const ended = await awaitBatch(client, batch.id, progressOn(process.stderr), { signal, onRetry });
  if (ended.state === 'completed') {
    await download(client, `${batchPath(batch.id)}${resultsPath(options)}`, resultsType(options), target, {
      signal,
      onRetry,
    });
    await target.done();
  }
  if (options.json && options.output) context.out(JSON.stringify(ended));
  for (const line of endLines(ended)) context.note(line);
  if (ended.counts.invalid + ended.counts.failed > 0)
    context.note(`why some rows are blank: bin/donorlens batch results ${ended.id} --errors`);
  warnOfSample(context, ended);
  return exitCodeOfBatch(ended);
}
