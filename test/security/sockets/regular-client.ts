import { setTimeout as pause } from 'node:timers/promises';
import { KEY } from '../../support/installation';

const PACE_MS = 25;
const QUESTION = '/enrich/v1/ethnicity/surname/Garcia/year/2016';

/** A client that sends one valid request after the other while slow connections are open. */
export class RegularClient {
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

  /** Quantile of the response times in milliseconds. */
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
        if (answer.status !== 200) this.faults.push(`a request of the regular client: ${answer.status}`);
      } catch (error) {
        this.faults.push(`a request of the regular client: ${String((error as Error).cause ?? error)}`);
      }
      this.times.push(performance.now() - began);
      await pause(PACE_MS);
    }
  }
}
