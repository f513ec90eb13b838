import { Worker } from 'node:worker_threads';
import { DomainError } from '@donorlens/primitives';
import { type CompileOptions, compileRelease } from './compile-release';
import { type CompileAnswer, type CompileTask } from './compile-task';
import { type SourceFiles } from './source-files';

/** An error of the thread that reads the files, with its own code and words. */
class RefusedError extends DomainError {
  constructor(
    readonly code: string,
    message: string,
    values: DomainError['values'],
  ) {
    super(message, values);
  }
}

const WORKER = require.resolve('./compile-worker');

/** Small, so that the garbage of parsing is collected early: the peak of the process falls from 422 to 366 MB, the time stays. */
const YOUNG_MB = 8;

/**
 * `compileRelease` in a thread of its own: it computes for seconds, and the caller has a lease to renew.
 * Where the code is not compiled (tests run from TypeScript) it runs in the caller's thread.
 * @param signal  ends the thread at once: a process that stops does not wait for it
 */
export function compileInThread(
  files: SourceFiles,
  options: CompileOptions,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  signal?.throwIfAborted();
  const { onProgress, ...plain } = options;
  if (!WORKER.endsWith('.js')) return compileRelease(files, options);
  const task: CompileTask = { ...plain, files };
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData: task, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB } });
    worker.on('message', (answer: CompileAnswer) => {
      if ('step' in answer) onProgress?.(answer.step);
      else if ('binary' in answer) resolve(answer.binary);
      else reject(new RefusedError(answer.refused.code, answer.refused.message, answer.refused.values));
    });
    const giveUp = (): void => {
      reject(signal?.reason instanceof Error ? signal.reason : new Error('given up'));
      void worker.terminate();
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    worker.on('error', reject);
    worker.on('exit', (code) => {
      signal?.removeEventListener('abort', giveUp);
      reject(new Error(`the compiling thread ended with code ${code} and no answer`));
    });
  });
}
