import { Problem } from '../http/problem';

export const filesAreBeingRead = (count: number): Problem =>
  new Problem('unavailable', `${count} such files are being read; try again in a moment.`, {
    headers: { 'retry-after': '10' },
  });

/** Files that may leave at a time, each of which keeps something until it has left. Who comes meanwhile stands in line. */
export class FileSlots {
  private taken = 0;
  private readonly line = new Set<() => void>();

  /** @param waitMs in line, at most */
  constructor(
    private readonly most: number,
    private readonly waitMs: number,
  ) {}

  /** @returns gives the slot back, once @throws Problem 503 */
  async take(): Promise<() => void> {
    if (this.taken < this.most) this.taken++;
    else await this.turn();
    let held = true;
    return () => {
      if (held) this.handOn();
      held = false;
    };
  }

  /** Until a slot is handed on. */
  private turn(): Promise<void> {
    return new Promise((resolve, reject) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.line.delete(go);
        reject(filesAreBeingRead(this.most));
      }, this.waitMs);
      this.line.add(go);
    });
  }

  private handOn(): void {
    const [next] = this.line;
    if (next === undefined) this.taken--;
    else {
      this.line.delete(next);
      next();
    }
  }
}
