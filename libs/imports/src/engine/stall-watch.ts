const STALLED_AFTER_MS = 15_000; // a chunk takes well under a second, and the reconciler tells the queue every second

/** Sees whether chunks are being finished. */
export class StallWatch {
  private done = -1;
  private since = 0;

  constructor(private readonly stalledAfterMs = STALLED_AFTER_MS) {}

  /** Time in which nobody looked does not count. */
  reset(): void {
    this.since = performance.now();
  }

  /** @returns whether the number of finished chunks has stood still for too long */
  note(chunksDone: number): boolean {
    if (chunksDone !== this.done) {
      this.done = chunksDone;
      this.reset();
    }
    return performance.now() - this.since >= this.stalledAfterMs;
  }
}
