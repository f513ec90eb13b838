import { createHash } from 'node:crypto';
import { type WriteStream, createWriteStream, renameSync, rmSync } from 'node:fs';
import { type Writable } from 'node:stream';
import { TABLE_FILE_TYPES } from '@donorlens/tabular';
import { type Context, clientContext, interruptible } from '../program-context';
import { CliError, type ExitCode, usageError } from '../exit-code';
import { batchPath, fetchBatch } from './await-batch';
import { exitCodeOfBatch, isFinal } from './batch-view';
import { type ServiceOptions, findService, type RetryOptions, withRetries, type ServiceClient } from './service-client';
import { addressText, lateLine, countsText } from './progress';

export const RESULT_FORMATS = ['csv', 'ndjson', 'json', 'parquet', 'xlsx'] as const;

export interface ResultOptions {
  readonly as: (typeof RESULT_FORMATS)[number];
  readonly raw?: boolean;
  readonly detail?: boolean;
}
interface ResultsOptions extends ServiceOptions, ResultOptions {
  readonly errors?: boolean;
  readonly partial?: boolean;
  readonly output?: string;
}

const TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  ...TABLE_FILE_TYPES,
} as const;
export const resultsType = ({ as }: ResultOptions): string => TYPES[as];

export const resultsPath = ({ as, raw, detail }: ResultOptions): string =>
  `/results?format=${as}${raw ? '&raw=true' : ''}${detail ? '&detail=true' : ''}`;

/** Downloads the results of a batch in input order, or only its invalid and failed rows with --errors. */
export async function results(context: Context, id: string, options: ResultsOptions): Promise<ExitCode> {
  const { config, home } = clientContext();
  const client = findService(options, config, home);
  const target = await targetOf(options.output);
  try {
    return await interruptible(async (signal) => {
      const batch = await fetchBatch(client, id, { signal });
      if (!isFinal(batch) && !options.partial && !options.errors)
        throw new CliError(
          `batch ${id} is ${batch.state}: wait with bin/donorlens batch status ${id} --wait, or add --partial`,
        );
      const path = options.errors ? `/errors?format=${options.as}` : resultsPath(options);
      const partial = isFinal(batch) ? '' : '&partial=true';
      // Only the download of a finished batch can be resumed: the results of a running batch change between requests.
      const retryMs = isFinal(batch) ? undefined : 0;
      await download(client, `${batchPath(id)}${path}${partial}`, resultsType(options), target, { signal, retryMs });
      await target.done();
      context.note([countsText(batch), addressText(batch)].filter((text) => text !== null).join('; '));
      const late = lateLine(batch);
      if (late !== null) context.note(late);
      return exitCodeOfBatch(batch);
    }, context);
  } finally {
    target.discard();
    await client.close();
  }
}

/** Output for results: standard output, or a file that is renamed into place when it is complete. */
export interface Target {
  write(piece: Uint8Array): Promise<void>;
  /** Discards the bytes written so far; undefined for standard output. */
  restart?(): Promise<void>;
  done(): Promise<void>;
  discard(): void;
}

const written = (stream: Writable, piece: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => stream.write(piece, (error) => (error ? reject(error) : resolve())));

/** @throws CliError with exit code 2 if the file cannot be created */
export async function targetOf(file: string | undefined): Promise<Target> {
  if (file === undefined)
    return {
      write: (piece) => written(process.stdout, piece),
      done: () => Promise.resolve(),
      discard: () => undefined,
    };
  const draft = `${file}.part`;
  let stream = await openOutputStream(draft, file);
  return {
    write: (piece) => written(stream, piece),
    async restart() {
      stream.destroy();
      stream = await openOutputStream(draft, file);
    },
    async done() {
      await new Promise<void>((resolve, reject) =>
        stream.end((error?: Error | null) => (error ? reject(error) : resolve())),
      );
      renameSync(draft, file);
    },
    discard() {
      stream.destroy();
      rmSync(draft, { force: true });
    },
  };
}

async function openOutputStream(draft: string, file: string): Promise<WriteStream> {
  const stream = createWriteStream(draft);
  await new Promise((resolve, reject) => {
    stream.once('open', resolve);
    stream.once('error', (error: NodeJS.ErrnoException) =>
      reject(usageError(`${file} cannot be written (${error.code})`)),
    );
  });
  stream.on('error', () => undefined); // the failed write reports the error
  return stream;
}

/** The results have changed since the download started, because addresses were geocoded in the meantime. */
class ChangedResultsError extends CliError {
  constructor() {
    super(
      'the connection broke and the results have changed since then: the output is incomplete, read the results again',
    );
  }
}

/**
 * Copies a response of the service to the target. After a broken connection the client repeats the request and skips
 * the bytes already written if they are the same. If they differ, the client writes a file again from the start.
 * @throws CliError if the bytes differ and the target cannot be rewritten
 */
export async function download(
  client: ServiceClient,
  path: string,
  accept: string,
  target: Target,
  options: RetryOptions,
): Promise<void> {
  for (;;) {
    try {
      return await copyResponse(() => client.stream(path, accept, options.signal), target, options);
    } catch (error) {
      if (!(error instanceof ChangedResultsError) || !target.restart) throw error;
      await target.restart();
    }
  }
}

async function copyResponse(
  answer: () => Promise<AsyncIterable<unknown>>,
  target: Target,
  options: RetryOptions,
): Promise<void> {
  const hash = createHash('sha256'); // of the bytes written so far
  let done = 0;
  await withRetries(async () => {
    const before = hash.copy().digest('hex');
    const again = createHash('sha256');
    let left = done; // bytes to skip, because they are written already
    for await (const piece of await answer()) {
      const bytes = piece as Buffer; // no encoding is set, so each piece is a Buffer
      const known = bytes.subarray(0, left);
      const fresh = bytes.subarray(known.length);
      left -= known.length;
      if (known.length > 0) {
        again.update(known);
        if (left === 0 && again.digest('hex') !== before) throw new ChangedResultsError();
      }
      if (fresh.length === 0) continue;
      await target.write(fresh);
      hash.update(fresh);
      done += fresh.length;
    }
    if (left > 0) throw new ChangedResultsError();
  }, options);
}
