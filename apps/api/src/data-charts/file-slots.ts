import { Problem } from '../http/problem';

/** Files that may leave at a time: each holds a connection to the database until it has been read. */
export class FileSlots {
  private taken = 0;

  constructor(private readonly most = 4) {}

  /** @returns gives the slot back, once @throws Problem 503 */
  take(): () => void {
    if (this.taken >= this.most)
      throw new Problem('unavailable', `${this.most} files of contributions are being read; try again in a moment.`, {
        headers: { 'retry-after': '10' },
      });
    this.taken++;
    let held = true;
    return () => {
      if (held) this.taken--;
      held = false;
    };
  }
}
