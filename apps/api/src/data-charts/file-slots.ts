import { Problem } from '../http/problem';

export const filesAreBeingRead = (count: number): Problem =>
  new Problem('unavailable', `${count} such files are being read; try again in a moment.`, {
    headers: { 'retry-after': '10' },
  });

/** Files that may leave at a time, each of which keeps something until it has left. */
export class FileSlots {
  private taken = 0;

  constructor(private readonly most: number) {}

  /** @returns gives the slot back, once @throws Problem 503 */
  take(): () => void {
    if (this.taken >= this.most) throw filesAreBeingRead(this.most);
    this.taken++;
    let held = true;
    return () => {
      if (held) this.taken--;
      held = false;
    };
  }
}
