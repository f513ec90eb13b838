import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { DomainError } from '@donorlens/primitives';
import { type CompileOptions, compileRelease } from './compile-release';
import { type SourceFile, type SourceFiles } from './source-files';

/** What the thread is given: files as plain bytes, and the options without their function. */
export interface CompileTask extends Omit<CompileOptions, 'onProgress'> {
  readonly files: SourceFiles;
}

export type CompileAnswer =
  | { readonly step: string }
  | { readonly binary: Uint8Array<ArrayBuffer> }
  | { readonly refused: { readonly code: string; readonly message: string; readonly values: DomainError['values'] } };

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

const WORKER = join(__dirname, 'compile-worker.js');

/**
 * `compileRelease` in a thread of its own: it computes for seconds, and the caller has a lease to renew.
 * Where the code is not compiled (tests run from TypeScript) it runs in the caller's thread.
 */
export function compileInThread(files: SourceFiles, options: CompileOptions): Promise<Uint8Array<ArrayBuffer>> {
  const { onProgress, ...plain } = options;
  if (!existsSync(WORKER)) return compileRelease(files, options);
  const task: CompileTask = { ...plain, files };
  return new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData: task });
    worker.on('message', (answer: CompileAnswer) => {
      if ('step' in answer) onProgress?.(answer.step);
      else if ('binary' in answer) resolve(answer.binary);
      else reject(new RefusedError(answer.refused.code, answer.refused.message, answer.refused.values));
    });
    worker.on('error', reject);
    worker.on('exit', (code) => reject(new Error(`the compiling thread ended with code ${code} and no answer`)));
  });
}

/** Buffers arrive in another thread as plain byte arrays; this makes them buffers again, without copying. */
export const withBuffers = (files: SourceFiles): SourceFiles => {
  const buffer = (file: SourceFile): SourceFile => ({
    ...file,
    bytes: Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength),
  });
  return {
    birthNames: buffer(files.birthNames),
    lifeTables: files.lifeTables.map(buffer),
    surnames2000: buffer(files.surnames2000),
    surnames2010: buffer(files.surnames2010),
    income: buffer(files.income),
    counties: buffer(files.counties),
  };
};
