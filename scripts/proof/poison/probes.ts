import { setTimeout as pause } from 'node:timers/promises';
import { type Client } from '../chaos/client';
import { until } from '../installation';

/** Rows of a healthy batch: one chunk. */
const ROWS = 500;
const EVERY_MS = 500;
const FINAL_MS = 180_000;

/** Small healthy batches, one after the other: how long each takes from its 202 to its end. */
export class Probes {
  private isOver = false;
  private readonly taken: Promise<number>[] = [];
  private sending: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly name: string,
  ) {}

  start(): void {
    this.sending = this.send();
  }

  /** Milliseconds of each. */
  async stop(): Promise<readonly number[]> {
    this.isOver = true;
    await this.sending;
    return Promise.all(this.taken);
  }

  private async send(): Promise<void> {
    for (let nth = 0; !this.isOver; nth++) {
      this.taken.push(this.one(nth));
      await pause(EVERY_MS);
    }
  }

  private async one(nth: number): Promise<number> {
    const { id } = await this.client.submit(`${this.name}-${nth}`, ROWS);
    const start = performance.now();
    const isFinal = async (): Promise<boolean> => {
      const { state, counts } = await this.client.batch(id);
      if (state === 'completed' && counts.failed > 0) throw new Error(`rows of a healthy batch failed: ${id}`);
      return state === 'completed';
    };
    await until(`the healthy batch ${id} is done`, isFinal, FINAL_MS);
    return performance.now() - start;
  }
}
