import { Semaphore } from 'async-mutex';

const MAX_READERS = 1_000_000;

/**
 * Shared and exclusive locks, granted in order of arrival. A row-by-row retry needs the exclusive one: if another chunk
 * were processed when a row crashes the process, the wrong row would be blamed.
 */
export class ReadWriteLock {
  private readonly semaphore = new Semaphore(MAX_READERS);

  withSharedLock<T>(work: () => Promise<T>): Promise<T> {
    return this.semaphore.runExclusive(work, 1);
  }

  withExclusiveLock<T>(work: () => Promise<T>): Promise<T> {
    return this.semaphore.runExclusive(work, MAX_READERS);
  }
}
