import { parentPort, workerData } from 'node:worker_threads';
import { DomainError } from '@donorlens/primitives';
import { compileRelease, type CompileAnswer, type CompileTask, withBuffers } from './compile-release';

/** The thread of `compileInThread`: compiles its files, reports progress, and ends. */
async function work({ files, ...options }: CompileTask): Promise<void> {
  const post = (answer: CompileAnswer, transfer: ArrayBuffer[] = []): void => parentPort?.postMessage(answer, transfer);
  try {
    const binary = await compileRelease(withBuffers(files), { ...options, onProgress: (step) => post({ step }) });
    post({ binary }, [binary.buffer]);
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    post({ refused: { code: error.code, message: error.message, values: error.values } });
  }
}

// Only compileInThread (compile-release.ts) starts this file, with a CompileTask.
void work(workerData as CompileTask);
