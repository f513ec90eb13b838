import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, Asker } from '../generated-requests/ask';
import { KEY } from '../../support/installation';

/** What one part of the torture has looked at, and what did not hold. */
export interface Outcome {
  readonly what: string;
  /** Answers, values, cells or pages, each counted as it was looked at. */
  readonly looked: number;
  readonly faults: readonly string[];
}

/** Requests by what was answered to them. */
export interface TrialCounts {
  readonly tried: number;
  /** Below 400. */
  readonly answered: number;
  /** 4xx. */
  readonly refused: number;
  /** 5xx. */
  readonly failed: number;
}

const NONE: TrialCounts = { tried: 0, answered: 0, refused: 0, failed: 0 };

interface Batch {
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
}

type Headers = Readonly<Record<string, string>>;

const FINAL_MS = 120_000;
const CONNECTIONS = 8;

/** The service on the bench: requests with the key, batches with their results. Each answer is counted by its status. */
export class Bench {
  private readonly asker: Asker;
  private counts = NONE;

  constructor(readonly url: string) {
    this.asker = new Asker(url, CONNECTIONS);
  }

  send(method: string, target: string, headers: Headers = {}, body: Buffer | string | null = null): Promise<Answer> {
    return this.sendAs(method, target, { 'X-API-Key': KEY, ...headers }, body);
  }

  /** With a key of its own among the headers, or none. */
  async sendAs(method: string, target: string, headers: Headers, body: Buffer | string | null): Promise<Answer> {
    const answer = await this.ask(method, target, headers, body);
    this.count(answer.status);
    return answer;
  }

  /** Also what a browser was answered. */
  count(status: number): void {
    const { tried, answered, refused, failed } = this.counts;
    this.counts = {
      tried: tried + 1,
      answered: answered + Number(status < 400),
      refused: refused + Number(status >= 400 && status < 500),
      failed: failed + Number(status >= 500),
    };
  }

  /** Since it was last taken. */
  takeCounts(): TrialCounts {
    const taken = this.counts;
    this.counts = NONE;
    return taken;
  }

  private ask(method: string, target: string, headers: Headers, body: Buffer | string | null): Promise<Answer> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return this.asker.ask({
      method,
      target,
      headers: [
        ['Host', new URL(this.url).host],
        ...Object.entries(headers),
        ...(bytes ? [['Content-Length', String(bytes.length)] as const] : []),
      ],
      body: bytes,
    });
  }

  get(target: string, headers: Headers = {}): Promise<Answer> {
    return this.send('GET', target, headers);
  }

  post(target: string, body: Buffer | string, type: string, headers: Headers = {}): Promise<Answer> {
    return this.send('POST', target, { 'Content-Type': type, ...headers }, body);
  }

  /** A batch that was accepted and has ended; null and why where it was refused. */
  async batch(body: Buffer | string, type: string, query = ''): Promise<{ id: string | null; answer: Answer }> {
    const answer = await this.post(`/enrich/v1/batches?${query}`, body, type);
    if (answer.status !== 202) return { id: null, answer };
    const { id } = JSON.parse(answer.body.toString()) as { id: string };
    const end = performance.now() + FINAL_MS;
    for (;;) {
      const { state } = await this.batchNow(id);
      if (state === 'completed' || state === 'failed') return { id, answer };
      if (performance.now() > end) throw new Error(`batch ${id} is ${state} after ${FINAL_MS / 1000} s`);
      await pause(50);
    }
  }

  async results(id: string, query: string, part = 'results'): Promise<Buffer> {
    const { status, body } = await this.get(`/enrich/v1/batches/${id}/${part}?${query}`);
    if (status !== 200) throw new Error(`${part} of ${id}: ${status} ${body.toString().slice(0, 300)}`);
    return body;
  }

  /** Not counted: how often it is asked is a matter of time. */
  private async batchNow(id: string): Promise<Batch> {
    const { body } = await this.ask('GET', `/enrich/v1/batches/${id}`, { 'X-API-Key': KEY }, null);
    return JSON.parse(body.toString()) as Batch;
  }

  close(): void {
    this.asker.close();
  }
}

/** Does it for all of them, a few at a time, and gathers what did not hold. */
export async function each<T>(
  all: readonly T[],
  lanes: number,
  work: (one: T) => Promise<readonly string[]>,
): Promise<Pick<Outcome, 'looked' | 'faults'>> {
  const faults: string[] = [];
  let next = 0;
  let looked = 0;
  const lane = async (): Promise<void> => {
    while (next < all.length) {
      faults.push(...(await work(all[next++])));
      looked++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { looked, faults };
}

/** A refusal as it has to be: of the given statuses, as a problem document. */
export function refusalFaults(what: string, { status, headers, body }: Answer, statuses: readonly number[]): string[] {
  if (!statuses.includes(status)) return [`${what}: ${status} ${body.toString('utf8').slice(0, 200)}`];
  return headers['content-type'] === 'application/problem+json' ? [] : [`${what}: ${headers['content-type']}`];
}
