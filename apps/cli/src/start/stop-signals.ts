/** A second signal within this time is a duplicate: npm forwards signals that the terminal sent to the whole group. */
const DUPLICATE_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Handles Ctrl-C and SIGTERM: the first signal starts a graceful stop, the second one forces it. */
export class StopSignals {
  readonly stopRequested = new AbortController();
  private requestedAt = 0;
  private readonly forceActions: (() => void)[] = [];
  private readonly onSignal = (): void => this.handleSignal(performance.now());

  listen(): void {
    for (const signal of SIGNALS) process.on(signal, this.onSignal);
  }

  unlisten(): void {
    for (const signal of SIGNALS) process.removeListener(signal, this.onSignal);
  }

  onForce(action: () => void): void {
    this.forceActions.push(action);
  }

  handleSignal(now: number): void {
    if (!this.stopRequested.signal.aborted) {
      this.requestedAt = now;
      this.stopRequested.abort();
    } else if (now - this.requestedAt >= DUPLICATE_MS) {
      for (const action of this.forceActions) action();
    }
  }

  /** Resolves on the first signal. */
  untilRequested(): Promise<void> {
    const { signal } = this.stopRequested;
    return new Promise((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
