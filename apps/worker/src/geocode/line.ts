import { setTimeout as pause } from 'node:timers/promises';

/**
 * Jobs of this process that wait for a slot. One that a call of the same process leaves is theirs at once; those of other
 * processes are found by looking.
 */
export class Line {
  private moved = new AbortController();

  /** For so long at most, and no longer than until a slot is free here. */
  async stand(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.moved.signal }).catch(() => undefined);
  }

  move(): void {
    this.moved.abort();
    this.moved = new AbortController();
  }
}
