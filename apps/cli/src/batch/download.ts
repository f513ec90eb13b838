import { createHash } from 'node:crypto';
import { type WriteStream, createWriteStream, renameSync, rmSync } from 'node:fs';
import { type Writable } from 'node:stream';
import { CliError, usageError } from '../exit-code';
import { type RetryOptions, withPatience } from './retry';
import { type ServiceClient } from './service-client';

/** Where results go: standard output, or a file that appears when it is whole. */
export interface Target {
  write(piece: Uint8Array): Promise<void>;
  /** Forgets what was written; missing where that has left already. */
  restart?(): Promise<void>;
  done(): Promise<void>;
  discard(): void;
}

const written = (stream: Writable, piece: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => stream.write(piece, (error) => (error ? reject(error) : resolve())));

/** @throws CliError with exit code 2 where the file cannot be made */
export async function targetOf(file: string | undefined): Promise<Target> {
  if (file === undefined)
    return {
      write: (piece) => written(process.stdout, piece),
      done: () => Promise.resolve(),
      discard: () => undefined,
    };
  const draft = `${file}.part`;
  let stream = await opened(draft, file);
  return {
    write: (piece) => written(stream, piece),
    async restart() {
      stream.destroy();
      stream = await opened(draft, file);
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

async function opened(draft: string, file: string): Promise<WriteStream> {
  const stream = createWriteStream(draft);
  await new Promise((resolve, reject) => {
    stream.once('open', resolve);
    stream.once('error', (error: NodeJS.ErrnoException) =>
      reject(usageError(`${file} cannot be written (${error.code})`)),
    );
  });
  stream.on('error', () => undefined); // told by the write that failed
  return stream;
}

/** The answer is not the one that was begun: addresses were located meanwhile. */
class ChangedResultsError extends CliError {
  constructor() {
    super(
      'the connection broke off, and addresses were located since then: what was written is not whole; read it again',
    );
  }
}

/**
 * Copies an answer of the service into the target. When the connection is cut it is asked for again and what has been
 * written is skipped, where it is the same bytes. Where it is not, a file begins anew.
 * @throws CliError where the bytes have changed and cannot be taken back
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
      return await copied(() => client.stream(path, accept, options.signal), target, options);
    } catch (error) {
      if (!(error instanceof ChangedResultsError) || !target.restart) throw error;
      await target.restart();
    }
  }
}

async function copied(
  answer: () => Promise<AsyncIterable<unknown>>,
  target: Target,
  options: RetryOptions,
): Promise<void> {
  const hash = createHash('sha256'); // of what is written
  let done = 0;
  await withPatience(async () => {
    const before = hash.copy().digest('hex');
    const again = createHash('sha256');
    let left = done; // of what is written, so much is still to come again
    for await (const piece of await answer()) {
      const bytes = piece as Buffer; // no encoding is set, so the pieces are buffers
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
