import { type ImportProgress } from '../import-context';

/** Often enough for a bar, rarely enough to cost nothing. */
const TELL_MS = 200;

/** Tells how far an import is: a few times a second, and at once when something else begins. */
export class ProgressTeller {
  private toldAt = -Infinity;

  constructor(
    private readonly listener: ((progress: ImportProgress) => void) | undefined,
    private current: ImportProgress,
  ) {}

  note(change: Partial<ImportProgress>): void {
    const { phase, isStalled } = this.current;
    this.current = { ...this.current, ...change };
    const isNews = this.current.phase !== phase || this.current.isStalled !== isStalled;
    const now = performance.now();
    if (!this.listener || (!isNews && now - this.toldAt < TELL_MS)) return;
    this.toldAt = now;
    this.listener(this.current);
  }
}
