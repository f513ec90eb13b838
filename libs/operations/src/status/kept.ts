/** Reading may take a tenth of the time at most: of a database under load. */
const KEEP_TIMES = 10;

export interface Reading<T> {
  /** The newest there is; null: there is none yet. */
  readonly value: T | null;
  /** Why there is no newer one; null: this is as it is now. */
  readonly error: Error | null;
}

/**
 * Something that takes long to read, and that many ask for: it is read once at a time, kept for a while, and nobody
 * waits for it longer than they can. Nothing is read while nobody asks. One that failed is kept for as long, too: what
 * fails after half a minute is not tried again by whoever comes next.
 */
export class Kept<T> {
  private last: Reading<T> = { value: null, error: null };
  private goodUntil = 0;
  private reading: Promise<Reading<T>> | undefined;

  constructor(
    private readonly read: () => Promise<T>,
    private readonly keepMs: number,
    /** However long it took to read: a database that was frozen took long for another reason than its load. */
    private readonly mostMs = Infinity,
  ) {}

  /** Never rejects. */
  async within(patienceMs: number): Promise<Reading<T>> {
    if (performance.now() < this.goodUntil) return this.last;
    this.reading ??= this.begin();
    const late = new Promise<null>((resolve) => setTimeout(resolve, patienceMs, null).unref());
    const reading = await Promise.race([this.reading, late]);
    return reading ?? { value: this.last.value, error: new Error(`no answer within ${patienceMs} ms`) };
  }

  /** What is read from now on is new: a reading that has begun may have missed what just happened. */
  forget(): void {
    this.goodUntil = 0;
    this.reading = undefined;
  }

  private begin(): Promise<Reading<T>> {
    const start = performance.now();
    const ended = (last: Reading<T>, keepMs: number): Reading<T> => {
      if (this.reading !== reading) return last; // forgotten: another has begun
      this.reading = undefined;
      this.last = last;
      this.goodUntil = performance.now() + keepMs;
      return last;
    };
    const reading = this.read().then(
      (value) => ended({ value, error: null }, this.keepOf(performance.now() - start)),
      (error: unknown) => ended({ value: this.last.value, error: errorOf(error) }, this.keepMs),
    );
    return reading;
  }

  private keepOf(tookMs: number): number {
    return Math.min(this.mostMs, Math.max(this.keepMs, KEEP_TIMES * tookMs));
  }
}

const errorOf = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
