import { setTimeout as pause } from 'node:timers/promises';

/**
 * Wakes jobs of this process that wait for a geocoder slot when a call of the same process frees one. Slots are counted
 * in Postgres for all workers; those that other workers free are found by polling.
 */
export class SlotSignal {
  private freed = new AbortController();

  /** Waits until a call of this process frees a slot, or for `ms` milliseconds. */
  async wait(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.freed.signal }).catch(() => undefined);
  }

  slotFreed(): void {
    this.freed.abort();
    this.freed = new AbortController();
  }
}
