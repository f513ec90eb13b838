import { withTimeout } from '@donorlens/primitives';

/** A value stays valid for ten times as long as it took to read, so that reads take at most a tenth of the time. */
const VALID_TIMES = 10;

interface Reading<T> {
  /** The newest value; null: none was read yet. */
  readonly value: T | null;
  /** Why there is no newer value; null: the value is current. */
  readonly error: Error | null;
}

/**
 * A value that takes long to read and that many callers want: it is read once at a time and cached, and each caller waits
 * at most its own timeout. Nothing is read without a caller. A failure is cached, too: a read that fails after half a
 * minute is not repeated by the next caller. lru-cache does not fit, because it caches no failures and its ttl is known
 * before the read.
 */
export class StaleCache<T> {
  private last: Reading<T> = { value: null, error: null };
  private goodUntil = 0;
  private reading: Promise<Reading<T>> | undefined;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly ttlMs: number,
    /** Maximum validity. Without it, one read that a frozen database delayed would keep its value for minutes. */
    private readonly maxTtlMs = Infinity,
  ) {}

  /** Never rejects. */
  async get(timeoutMs: number): Promise<Reading<T>> {
    if (performance.now() < this.goodUntil) return this.last;
    this.reading ??= this.begin();
    const { reading } = this;
    return withTimeout(timeoutMs, () => reading).catch(() => ({
      value: this.last.value,
      error: new Error(`no answer within ${timeoutMs} ms`),
    }));
  }

  /** The next `get` reads again: a read in progress may have missed what just happened. */
  invalidate(): void {
    this.goodUntil = 0;
    this.reading = undefined;
  }

  private begin(): Promise<Reading<T>> {
    const start = performance.now();
    const ended = (last: Reading<T>, ttlMs: number): Reading<T> => {
      if (this.reading !== reading) return last; // invalidated: another read has started
      this.reading = undefined;
      this.last = last;
      this.goodUntil = performance.now() + ttlMs;
      return last;
    };
    const reading = this.read().then(
      (value) => ended({ value, error: null }, this.ttlOf(performance.now() - start)),
      (error: unknown) => ended({ value: this.last.value, error: errorOf(error) }, this.ttlMs),
    );
    return reading;
  }

  private ttlOf(tookMs: number): number {
    return Math.min(this.maxTtlMs, Math.max(this.ttlMs, VALID_TIMES * tookMs));
  }
}

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
