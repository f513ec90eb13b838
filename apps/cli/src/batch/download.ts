import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { type Writable } from 'node:stream';
import { usageError } from '../exit-code';
import { type RetryOptions, withPatience } from './retry';
import { type ServiceClient } from './service-client';

/** Where results go: standard output, or a file that appears when it is whole. */
export interface Target {
  write(piece: Uint8Array): Promise<void>;
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
  const stream = createWriteStream(draft);
  await new Promise((resolve, reject) => {
    stream.once('open', resolve);
    stream.once('error', (error: NodeJS.ErrnoException) =>
      reject(usageError(`${file} cannot be written (${error.code})`)),
    );
  });
  stream.on('error', () => undefined); // told by the write that failed
  return {
    write: (piece) => written(stream, piece),
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

/**
 * Copies an answer of the service into the target. When the connection is cut it is asked for again and what has been
 * written is skipped: results of a finished batch are the same bytes each time.
 */
export async function download(
  client: ServiceClient,
  path: string,
  accept: string,
  target: Target,
  options: RetryOptions,
): Promise<void> {
  let done = 0;
  await withPatience(async () => {
    let at = 0;
    for await (const piece of await client.stream(path, accept, options.signal)) {
      const bytes = piece as Buffer; // no encoding is set, so the pieces are buffers
      const fresh = bytes.subarray(Math.max(0, done - at));
      at += bytes.length;
      if (at <= done) continue;
      await target.write(fresh);
      done = at;
    }
  }, options);
}
