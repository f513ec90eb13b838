import { GeocoderError } from '../geocoder-error';

/** The end of a call: its budget, or the caller's wish if that comes first. To be ended when the call is. */
export class Deadline {
  private readonly controller = new AbortController();
  private readonly timer: NodeJS.Timeout;
  private readonly passed: Promise<never>;
  private readonly giveUp = (): void => this.controller.abort(new GeocoderError('aborted'));

  constructor(
    budgetMs: number,
    private readonly wish?: AbortSignal,
  ) {
    const { signal } = this.controller;
    this.passed = new Promise((_, reject) => signal.addEventListener('abort', () => reject(this.fault() as Error)));
    this.passed.catch(() => undefined); // it may pass when nobody waits for it
    this.timer = setTimeout(() => this.controller.abort(new GeocoderError('timeout')), budgetMs);
    if (wish?.aborted) this.giveUp();
    else wish?.addEventListener('abort', this.giveUp, { once: true });
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Why it has passed; null while it has not. */
  fault(): GeocoderError | null {
    return this.signal.aborted ? (this.signal.reason as GeocoderError) : null;
  }

  /** The work's result, unless the deadline passes before: also where the work itself does not notice, as while it connects. */
  bound<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.passed]);
  }

  end(): void {
    clearTimeout(this.timer);
    this.wish?.removeEventListener('abort', this.giveUp);
  }
}
