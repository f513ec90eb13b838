import { Semaphore } from 'async-mutex';
import { withTimeout } from '@donorlens/primitives';
import { IntakeError } from './intake-error';

export interface UploadLimits {
  /** Uploads read at a time by this process, and of one API key. */
  readonly all: number;
  readonly ofKey: number;
  /** Longest wait for a slot. */
  readonly waitMs: number;
}

/**
 * Limits how many uploads are read at a time: each may hold a record of megabytes and the chunks before it. An upload
 * without a slot is not read any further, so that its sender is slowed down. A key with many uploads waits for its own,
 * and does not delay others.
 */
export class UploadLimiter {
  private readonly all: Semaphore;
  private readonly ofKeys = new Map<string, Semaphore>();

  constructor(private readonly limits: UploadLimits) {
    this.all = new Semaphore(limits.all);
  }

  /** @returns releases the slot. @throws IntakeError `busy`, or `aborted` if the client disconnects */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    const acquired = this.acquireBoth(key);
    try {
      return await withTimeout(this.limits.waitMs, () => acquired, busy, signal);
    } catch (error) {
      void acquired.then((release) => release()); // the semaphores cannot cancel a wait
      throw signal?.aborted ? new IntakeError('aborted', 'the sender went away') : error;
    }
  }

  private async acquireBoth(key: string): Promise<() => void> {
    const ofKey = this.ofKeys.get(key) ?? new Semaphore(this.limits.ofKey);
    this.ofKeys.set(key, ofKey);
    const [, releaseKey] = await ofKey.acquire();
    const [, releaseAll] = await this.all.acquire();
    return () => {
      releaseAll();
      releaseKey();
      if (ofKey.getValue() === this.limits.ofKey) this.ofKeys.delete(key);
    };
  }
}

const busy = (): IntakeError =>
  new IntakeError('busy', 'too many inputs arrive at once; try again in a minute', { retryAfterSeconds: 60 });

/** The bytes of an upload, of which only the first few are read before it has a slot. */
export async function* limited(
  bytes: AsyncGenerator<Buffer, void>,
  freeBytes: number,
  acquire: () => Promise<void>,
): AsyncGenerator<Buffer, void> {
  let read = 0;
  let hasSlot = false;
  for await (const piece of bytes) {
    read += piece.length;
    if (read > freeBytes && !hasSlot) {
      await acquire();
      hasSlot = true;
    }
    yield piece;
  }
}
