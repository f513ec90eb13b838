import { type Pool } from 'pg';

const FLUSH_MS = 10_000;

/** Counts look-ups in memory and adds them to the row of all processes, every ten seconds at most and as well as it can. */
export class LookUpCounter {
  private hits = 0;
  private misses = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly flushMs = FLUSH_MS,
  ) {}

  count(hits: number, misses: number): void {
    this.hits += hits;
    this.misses += misses;
    this.timer ??= setTimeout(() => void this.flush(), this.flushMs).unref();
  }

  /** Never rejects: a count that is a little low harms nobody. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { hits, misses } = this;
    if (hits + misses === 0) return;
    this.hits = this.misses = 0;
    await this.pool
      .query('update geocoder set hits = hits + $1, misses = misses + $2', [hits, misses])
      .catch(() => undefined);
  }
}
