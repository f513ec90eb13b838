/** Ends the wait for a server that falls silent. The time that a source takes for its pieces is not the server's. */
export class Patience {
  private timer: NodeJS.Timeout | undefined;
  private readonly late: Promise<never>;
  private giveUp: () => void = () => undefined;

  constructor(private readonly ms: number) {
    this.late = new Promise((_, reject) => {
      this.giveUp = () => reject(new Error('Query read timeout'));
    });
    this.late.catch(() => undefined);
  }

  /** The same pieces: the clock runs from handing one out until the next is asked for, and after the last. */
  async *between<T>(source: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
    for await (const piece of source) {
      this.start();
      yield piece;
      clearTimeout(this.timer);
    }
    this.start();
  }

  /** @throws what the work throws, or that nothing came */
  async with<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.late]);
    } finally {
      clearTimeout(this.timer);
      work.catch(() => undefined);
    }
  }

  private start(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.giveUp, this.ms);
  }
}
