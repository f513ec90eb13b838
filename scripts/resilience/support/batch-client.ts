import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { pick } from '../../../test/support/seeded';
import { KEY, until } from '../../../test/support/installation';

/** A batch that the service has accepted: rows have the ids `tag-1`, `tag-2`, … */
export interface Accepted {
  readonly id: string;
  readonly tag: string;
  readonly rows: number;
}

export interface Batch {
  readonly id: string;
  readonly state: string;
  readonly counts: Readonly<Record<'total' | 'done' | 'ok' | 'partial' | 'not_found' | 'invalid' | 'failed', number>>;
  readonly addresses: Readonly<Record<string, number>>;
  readonly started_at: string;
  readonly finished_at: string;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
}

const REQUEST_MS = 15_000;
const RESULTS_MS = 60_000;
const GIVE_UP_MS = 600_000;
const FINAL_STATES = ['completed', 'failed', 'cancelled', 'expired'];
export const HEADERS = { authorization: `Bearer ${KEY}` };

export const isFinal = ({ state }: Pick<Batch, 'state'>): boolean => FINAL_STATES.includes(state);

/** A client that follows the documentation: one Idempotency-Key for each batch, and retries at any api process. */
export class BatchClient {
  /** Number of requests that ended without a usable answer. */
  repeated = 0;
  /** Number of batches that are being submitted. */
  open = 0;

  constructor(
    private readonly urls: readonly string[],
    private readonly random: () => number,
  ) {}

  /** Returns the first answer that is not a transient refusal. @throws Error after ten minutes */
  async answer(path: string, init: RequestInit = {}, timeoutMs = REQUEST_MS): Promise<Answer> {
    const headers = { ...HEADERS, ...(init.headers as Record<string, string>) };
    for (const end = performance.now() + GIVE_UP_MS; performance.now() < end; this.repeated++) {
      const signal = AbortSignal.timeout(timeoutMs);
      const response = await fetch(pick(this.random, this.urls) + path, { ...init, headers, signal }).catch(() => null);
      const text = (await response?.text().catch(() => null)) ?? null;
      if (response && text !== null && !isTransient(response.status)) return { status: response.status, text };
      await pause(100 + 200 * this.random());
    }
    throw new Error(`no answer to ${init.method ?? 'GET'} ${path}`);
  }

  /** @throws Error for an answer that is not 2xx */
  async json<T>(path: string, init?: RequestInit): Promise<T> {
    const { status, text } = await this.answer(path, init);
    if (status >= 300) throw new Error(`${status} to ${init?.method ?? 'GET'} ${path}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as T;
  }

  async submit(tag: string, rows: number, csv = contributionsCsv(tag, rows), extra = {}): Promise<Accepted> {
    const headers = { 'content-type': 'text/csv', 'idempotency-key': randomUUID(), ...extra };
    const init = { method: 'POST', headers, body: csv };
    this.open++;
    const accepted = this.json<Batch>('/enrich/v1/batches?type=contributions', init);
    const { id } = await accepted.finally(() => this.open--);
    return { id, tag, rows };
  }

  batch(id: string): Promise<Batch> {
    return this.json<Batch>(`/enrich/v1/batches/${id}`);
  }

  /** All results as CSV. */
  async results(id: string): Promise<string> {
    const { status, text } = await this.answer(`/enrich/v1/batches/${id}/results?format=csv`, {}, RESULTS_MS);
    if (status !== 200) throw new Error(`${status} for the results of ${id}`);
    return text;
  }

  async ended(id: string, withinMs: number): Promise<Batch> {
    const look = async (): Promise<Batch | null> => {
      const batch = await this.batch(id);
      return isFinal(batch) ? batch : null;
    };
    return until(`the end of batch ${id}`, look, withinMs);
  }

  async allEnded(accepted: readonly Pick<Accepted, 'id'>[], withinMs: number): Promise<void> {
    const end = performance.now() + withinMs;
    for (const { id } of accepted) await this.ended(id, Math.max(1, end - performance.now()));
  }
}

const isTransient = (status: number): boolean =>
  (status >= 500 && status !== 501) || status === 408 || status === 409 || status === 429;

const NAMES = ['Mary', 'James', 'Linda', 'Robert', 'Ashley', 'Ethan', 'Zzyzx'];
const SURNAMES = ['Smith', 'Garcia', 'Nguyen', 'Washington', 'Yoder'];
export const dayOf = (n: number): string => `${2004 + (n % 16)}-0${1 + (n % 9)}-15`;
export const nameOf = (n: number): string => NAMES[n % NAMES.length];
export const surnameOf = (n: number): string => SURNAMES[n % SURNAMES.length];

/** Synthetic contributions. One row in `addressEvery` has an address, so that the geocoder also has work. */
export function contributionsCsv(tag: string, rows: number, addressEvery = 200, streets = ['Test']): string {
  const lines = ['row_id,first_name,last_name,date,street,city,state,zip'];
  for (let row = 1; row <= rows; row++) {
    const street = `${row} ${streets[Math.floor(row / addressEvery) % streets.length]} Street`;
    const address = row % addressEvery === 0 ? `${street},Springfield,IL,62701` : ',,,';
    lines.push(`${tag}-${row},${nameOf(row)},${surnameOf(row)},${dayOf(row)},${address}`);
  }
  return `${lines.join('\n')}\n`;
}

/** Sends batches from several clients at a time. @param mayBegin - the n-th batch waits until this returns true */
export async function sendBatches(
  client: BatchClient,
  load: { readonly tag: string; readonly rows: number; readonly batchRows: number; readonly clients: number },
  mayBegin: (nth: number, batches: number) => boolean = () => true,
): Promise<Accepted[]> {
  const accepted: Accepted[] = [];
  const batches = Math.ceil(load.rows / load.batchRows);
  let next = 0;
  const send = async (): Promise<void> => {
    for (let nth = next++; nth < batches; nth = next++) {
      while (!mayBegin(nth, batches)) await pause(20);
      const rows = Math.min(load.batchRows, load.rows - nth * load.batchRows);
      accepted.push(await client.submit(`${load.tag}b${nth}`, rows));
    }
  };
  await Promise.all(Array.from({ length: load.clients }, send));
  return accepted;
}
