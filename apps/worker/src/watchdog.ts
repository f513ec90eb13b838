const SILENCE_MS = 60_000;
const MOST_RECREATIONS = 3;

export type Verdict = 'fine' | 'recreate' | 'give-up';

/**
 * Notices a consumer that takes nothing although there is work and the queue answers: after 60 s it is made anew,
 * after the third time in a row the process ends and its supervisor starts another. Where a job may take minutes these
 * come on top: all that the queue holds may be the jobs that this worker, or another one, is at.
 * The work asked about is the queue's own. Where only Postgres has open work, the reconciler is away, and a new
 * consumer would find nothing either.
 */
export class Watchdog {
  private since: number;
  private recreations = 0;

  /** @param longestJobMs how long one job may take where all is well */
  constructor(
    private readonly longestJobMs = 0,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.since = this.now();
  }

  /** A job ended, well or badly: the consumer lives. */
  finished(): void {
    this.since = this.now();
    this.recreations = 0;
  }

  /** @param jobs that the queue holds; null where it does not answer, which is not the consumer's fault */
  check(jobs: number | null): Verdict {
    if (jobs === null || jobs === 0) this.since = this.now();
    if (this.now() - this.since < this.longestJobMs + SILENCE_MS) return 'fine';
    this.since = this.now();
    return ++this.recreations > MOST_RECREATIONS ? 'give-up' : 'recreate';
  }
}
