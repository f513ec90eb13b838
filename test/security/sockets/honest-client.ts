import { setTimeout as pause } from 'node:timers/promises';
import { KEY } from '../../support/installation';

const PACE_MS = 25;
const QUESTION = '/enrich/v1/ethnicity/surname/Garcia/year/2016';

/** A client that means well and asks one thing after the other while others do not. */
export class HonestClient {
  readonly times: number[] = [];
  readonly faults: string[] = [];
  private asking = true;
  private readonly done: Promise<void>;

  constructor(url: string) {
    this.done = this.run(url);
  }

  async stop(): Promise<void> {
    this.asking = false;
    await this.done;
  }

  /** Of its answers, in milliseconds. */
  quantile(share: number): number {
    const sorted = [...this.times].sort((a, b) => a - b);
    return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0);
  }

  private async run(url: string): Promise<void> {
    while (this.asking) {
      const began = performance.now();
      try {
        const answer = await fetch(url + QUESTION, { headers: { 'x-api-key': KEY } });
        await answer.arrayBuffer();
        if (answer.status !== 200) this.faults.push(`an honest request: ${answer.status}`);
      } catch (error) {
        this.faults.push(`an honest request: ${String((error as Error).cause ?? error)}`);
      }
      this.times.push(performance.now() - began);
      await pause(PACE_MS);
    }
  }
}
