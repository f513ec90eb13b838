import { setTimeout as pause } from 'node:timers/promises';
import { KEY, until } from '../installation';

const REQUEST_MS = 30_000;
const WAIT_MS = 200;
const END_MS = 240_000;
export const FINAL = ['completed', 'cancelled', 'failed', 'expired'];

export interface Batch {
  readonly id: string;
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly addresses: Readonly<Record<string, number>>;
}

/** Asks the api, again and again while it is away or says that it cannot. */
export class Asking {
  constructor(private readonly url: () => string) {}

  async answer(path: string, init: RequestInit = {}): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${KEY}`, ...(init.headers as Record<string, string>) };
    for (const end = performance.now() + END_MS; performance.now() < end; await pause(WAIT_MS)) {
      const request = { ...init, headers, signal: AbortSignal.timeout(REQUEST_MS) };
      const response = await fetch(this.url() + path, request).catch(() => null);
      const text = await response?.text().catch(() => null);
      const isFinal = response && (response.status < 500 || response.status === 501) && response.status !== 409;
      if (isFinal && typeof text === 'string') return { status: response.status, text };
    }
    throw new Error(`no answer to ${init.method ?? 'GET'} ${path}`);
  }

  async batch(path: string, init?: RequestInit): Promise<Batch> {
    const { status, text } = await this.answer(path, init);
    if (status >= 300) throw new Error(`${status} to ${init?.method ?? 'GET'} ${path}: ${text.slice(0, 300)}`);
    return JSON.parse(text) as Batch;
  }

  /** @throws Error where it has not ended in time */
  ended(id: string): Promise<Batch> {
    const look = async (): Promise<Batch | false> => {
      const batch = await this.batch(`/enrich/v1/batches/${id}`);
      return FINAL.includes(batch.state) && batch;
    };
    return until(`the end of batch ${id}`, look, END_MS);
  }
}
