const AFTER_MS = 1_000;
const EVERY_MS = 5_000;

/** What is being done, on stderr: each change of it, a second apart at least, and how long it takes where nothing changes. */
export class Progress {
  private last = '';
  private since = 0;
  private shownAt = -Infinity;
  private readonly timer = setInterval(() => this.stillAtIt(), EVERY_MS);

  say(text: string): void {
    this.last = text;
    this.since = performance.now();
    if (this.since - this.shownAt >= AFTER_MS) this.show(text);
  }

  end(): void {
    clearInterval(this.timer);
  }

  private stillAtIt(): void {
    const now = performance.now();
    if (now - this.shownAt >= AFTER_MS) this.show(`${this.last}, ${Math.round((now - this.since) / 1000)} s`);
  }

  private show(text: string): void {
    this.shownAt = performance.now();
    process.stderr.write(`${text}\n`);
  }
}

/** Says what is done, and every few seconds how long it has taken. */
export async function saying<T>(text: string, work: () => T | Promise<T>): Promise<T> {
  const progress = new Progress();
  progress.say(text);
  try {
    return await work();
  } finally {
    progress.end();
  }
}
