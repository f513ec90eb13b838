/** A second signal this soon is the first one again: npm passes on what the terminal has already sent to everybody. */
const SAME_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ctrl-C and SIGTERM: the first asks for a clean end, a second one forces it. */
export class StopSignals {
  readonly asked = new AbortController();
  private askedAt = 0;
  private readonly forcing: (() => void)[] = [];
  private readonly heard = (): void => this.hear(Date.now());

  listen(): void {
    for (const signal of SIGNALS) process.on(signal, this.heard);
  }

  forget(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.heard);
  }

  onForce(action: () => void): void {
    this.forcing.push(action);
  }

  hear(now: number): void {
    if (!this.asked.signal.aborted) {
      this.askedAt = now;
      this.asked.abort();
    } else if (now - this.askedAt >= SAME_MS) {
      for (const action of this.forcing) action();
    }
  }

  /** Resolves when the first signal has come. */
  untilAsked(): Promise<void> {
    const { signal } = this.asked;
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
