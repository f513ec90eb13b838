import { setTimeout as pause } from 'node:timers/promises';
import { type Client } from '../chaos/client';
import { KEY, until } from '../installation';

const BATCH_ROWS = 5_000;
const OPEN_BATCHES = 4;
const ASKERS = 4;
const FINAL_MS = 300_000;
const BULK = JSON.stringify({
  queries: Array.from({ length: 200 }, (_, at) => ({
    name: ['Mary', 'James', 'Ashley'][at % 3],
    date: `20${10 + (at % 10)}-03-01`,
  })),
});

/** What was done in a time. */
export interface Done {
  readonly rows: number;
  readonly requests: number;
}

/** Batches and bulk questions: as many as there is room for, or at a pace. */
export class Load {
  private rows = 0;
  private requests = 0;
  private refused = 0;
  private sent = 0;

  constructor(
    private readonly client: Client,
    private readonly apis: readonly string[],
  ) {}

  /** Answers that were no 200. */
  get notAnswered(): number {
    return this.refused;
  }

  /** As much as is taken, for so long. */
  async full(ms: number): Promise<Done> {
    return this.during(ms, { batchEveryMs: 0, requestEveryMs: 0 });
  }

  async paced(ms: number, pace: { batchEveryMs: number; requestEveryMs: number }): Promise<Done> {
    return this.during(ms, pace);
  }

  private async during(ms: number, pace: { batchEveryMs: number; requestEveryMs: number }): Promise<Done> {
    const before = { rows: this.rows, requests: this.requests };
    const end = performance.now() + ms;
    const batches = Array.from({ length: OPEN_BATCHES }, () =>
      paced(end, pace.batchEveryMs * OPEN_BATCHES, () => this.batch()),
    );
    const asking = Array.from({ length: ASKERS }, (_, nth) =>
      paced(end, pace.requestEveryMs * ASKERS, () => this.ask(nth)),
    );
    await Promise.all([...batches, ...asking]);
    return { rows: this.rows - before.rows, requests: this.requests - before.requests };
  }

  /** From its 202 to its last row, read as a client reads it, and erased: what is kept is not what is looked for. */
  private async batch(): Promise<void> {
    const { id } = await this.client.submit(`s${this.sent++}`, BATCH_ROWS);
    const isDone = async (): Promise<boolean> => (await this.client.batch(id)).state === 'completed';
    await until(`batch ${id} is done`, isDone, FINAL_MS);
    await this.client.results(id);
    await fetch(`${this.apis[0]}/enrich/v1/batches/${id}`, { method: 'DELETE', headers: AUTHORIZATION });
    this.rows += BATCH_ROWS;
  }

  private async ask(nth: number): Promise<void> {
    const response = await fetch(`${this.apis[nth % this.apis.length]}/enrich/v1/age_gender`, {
      method: 'POST',
      headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
      body: BULK,
    });
    await response.text();
    this.requests++;
    if (response.status !== 200) this.refused++;
  }
}

const AUTHORIZATION = { authorization: `Bearer ${KEY}` };

/** Begins a piece of work every so often, late where the one before took longer. */
async function paced(end: number, everyMs: number, work: () => Promise<void>): Promise<void> {
  for (let due = performance.now() + everyMs * Math.random(); performance.now() < end; due += everyMs) {
    const wait = Math.min(due, end) - performance.now();
    if (wait > 0) await pause(wait);
    if (performance.now() < end) await work();
  }
}
