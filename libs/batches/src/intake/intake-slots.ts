import { IntakeError } from './intake-error';

/** Bounds how many inputs are stored while they are still arriving; each of them holds a database connection. */
export class IntakeSlots {
  private taken = 0;

  constructor(private readonly slots: number) {}

  /** Runs the work in a slot. @throws IntakeError `busy` where none is free */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.taken >= this.slots)
      throw new IntakeError('busy', 'too many large inputs arrive at once; try again in a minute', {
        retryAfterSeconds: 60,
      });
    this.taken++;
    try {
      return await work();
    } finally {
      this.taken--;
    }
  }
}
