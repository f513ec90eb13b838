import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { pick } from '../../seeded';
import { KEY } from '../installation';

/** A batch whose 202 the client saw. */
export interface Accepted {
  readonly id: string;
  /** In the id of every row: `t-1`, `t-2`, … */
  readonly tag: string;
  readonly rows: number;
}

export interface Batch {
  readonly id: string;
  readonly state: string;
  readonly counts: Readonly<Record<'total' | 'done' | 'ok' | 'partial' | 'not_found' | 'invalid' | 'failed', number>>;
}

const REQUEST_MS = 15_000;
const AUTHORIZATION = { authorization: `Bearer ${KEY}` };

/** A client that does what the documents say: one Idempotency-Key for a batch, and again at any api until it is answered. */
export class Client {
  /** Requests that ended without a usable answer. */
  repeated = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly random: () => number,
  ) {}

  async submit(tag: string, rows: number): Promise<Accepted> {
    const key = randomUUID();
    const body = csvOf(tag, rows);
    for (;;) {
      const answer = await this.ask('/enrich/v1/batches?type=contributions', {
        method: 'POST',
        headers: { ...AUTHORIZATION, 'content-type': 'text/csv', 'idempotency-key': key },
        body,
      });
      if (answer?.status === 202) {
        const batch = (await answer.json().catch(() => null)) as Batch | null;
        if (batch) return { id: batch.id, tag, rows };
      }
      if (answer && answer.status < 500 && ![202, 408, 409, 429].includes(answer.status))
        throw new Error(`${answer.status} ${await answer.text()}`);
      await this.wait();
    }
  }

  async batch(id: string): Promise<Batch> {
    for (;;) {
      const answer = await this.ask(`/enrich/v1/batches/${id}`, { headers: AUTHORIZATION });
      if (answer?.status === 404) throw new Error(`a batch that was accepted is not there: ${id}`);
      const batch = answer?.ok ? ((await answer.json().catch(() => null)) as Batch | null) : null;
      if (batch) return batch;
      await this.wait();
    }
  }

  /** Whole, as CSV. */
  async results(id: string): Promise<string> {
    for (;;) {
      const answer = await this.ask(`/enrich/v1/batches/${id}/results?format=csv`, { headers: AUTHORIZATION }, 60_000);
      const text = answer?.ok ? await answer.text().catch(() => null) : null;
      if (text !== null) return text;
      await this.wait();
    }
  }

  private async ask(path: string, init: RequestInit, withinMs = REQUEST_MS): Promise<Response | null> {
    return fetch(pick(this.random, this.urls) + path, { ...init, signal: AbortSignal.timeout(withinMs) }).catch(
      () => null,
    );
  }

  private async wait(): Promise<void> {
    this.repeated++;
    await pause(100 + 200 * this.random());
  }
}

const NAMES = ['Mary', 'James', 'Linda', 'Robert', 'Ashley', 'Ethan', 'Zzyzx'];
const SURNAMES = ['Smith', 'Garcia', 'Nguyen', 'Washington', 'Yoder'];
/** One row in so many has a street, so that the geocoder is at work, too. */
const STREET_EVERY = 200;

function csvOf(tag: string, rows: number): string {
  const lines = ['row_id,first_name,last_name,date,street,city,state,zip'];
  for (let row = 1; row <= rows; row++) {
    const place = row % STREET_EVERY === 0 ? `${row} Made Up Lane,Springfield,IL,62701` : ',,,';
    const name = `${NAMES[row % NAMES.length]},${SURNAMES[row % SURNAMES.length]}`;
    lines.push(`${tag}-${row},${name},${2004 + (row % 16)}-0${1 + (row % 9)}-15,${place}`);
  }
  return `${lines.join('\n')}\n`;
}
