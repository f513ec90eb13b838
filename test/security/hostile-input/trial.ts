import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, RequestSender } from '../generated-requests/request-sender';
import { KEY } from '../../support/installation';

/** Result of one trial. */
export interface Outcome {
  readonly what: string;
  /** Checked answers, values, cells or pages. */
  readonly looked: number;
  readonly faults: readonly string[];
}

/** Requests by the status of their answers. */
export interface TrialCounts {
  readonly tried: number;
  /** Below 400. */
  readonly answered: number;
  /** 4xx. */
  readonly refused: number;
  /** 5xx. */
  readonly failed: number;
}

const NO_REQUESTS: TrialCounts = { tried: 0, answered: 0, refused: 0, failed: 0 };

interface Batch {
  readonly state: string;
  readonly counts: Readonly<Record<string, number>>;
}

type Headers = Readonly<Record<string, string>>;

const FINAL_MS = 120_000;
const CONNECTIONS = 8;

/** Sends requests and batches to the service under test and counts the answers by status. */
export class TrialService {
  private readonly sender: RequestSender;
  private counts = NO_REQUESTS;

  constructor(readonly url: string) {
    this.sender = new RequestSender(url, CONNECTIONS);
  }

  send(method: string, target: string, headers: Headers = {}, body: Buffer | string | null = null): Promise<Answer> {
    return this.sendAs(method, target, { 'X-API-Key': KEY, ...headers }, body);
  }

  /** Sends with the given headers; the key is one of them, or missing. */
  async sendAs(method: string, target: string, headers: Headers, body: Buffer | string | null): Promise<Answer> {
    const answer = await this.ask(method, target, headers, body);
    this.count(answer.status);
    return answer;
  }

  /** Counts an answer, also one that a browser received. */
  count(status: number): void {
    const { tried, answered, refused, failed } = this.counts;
    this.counts = {
      tried: tried + 1,
      answered: answered + Number(status < 400),
      refused: refused + Number(status >= 400 && status < 500),
      failed: failed + Number(status >= 500),
    };
  }

  /** Counts since the last call. */
  takeCounts(): TrialCounts {
    const taken = this.counts;
    this.counts = NO_REQUESTS;
    return taken;
  }

  private ask(method: string, target: string, headers: Headers, body: Buffer | string | null): Promise<Answer> {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    return this.sender.send({
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

  /** Submits a batch and waits until it has ended. @returns its id, or null if it was refused, and the answer */
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

  /** Not counted, because the number of polls depends on time. */
  private async batchNow(id: string): Promise<Batch> {
    const { body } = await this.ask('GET', `/enrich/v1/batches/${id}`, { 'X-API-Key': KEY }, null);
    return JSON.parse(body.toString()) as Batch;
  }

  close(): void {
    this.sender.close();
  }
}

/** Runs `work` for all items with limited concurrency and collects the faults. */
export async function forEachConcurrently<T>(
  all: readonly T[],
  concurrency: number,
  work: (one: T) => Promise<readonly string[]>,
): Promise<Pick<Outcome, 'looked' | 'faults'>> {
  const faults: string[] = [];
  let next = 0;
  let checked = 0;
  const worker = async (): Promise<void> => {
    while (next < all.length) {
      faults.push(...(await work(all[next++])));
      checked++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { looked: checked, faults };
}

/** Faults of a refusal, which must have one of the statuses and a problem document. */
export function refusalFaults(what: string, { status, headers, body }: Answer, statuses: readonly number[]): string[] {
  if (!statuses.includes(status)) return [`${what}: ${status} ${body.toString('utf8').slice(0, 200)}`];
  return headers['content-type'] === 'application/problem+json' ? [] : [`${what}: ${headers['content-type']}`];
}
