import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { seeded } from '../../../test/support/seeded';
import { type Accepted, BatchClient, contributionsCsv, HEADERS } from '../support/batch-client';
import { countRows, type RowCounts } from '../support/verification';

const GIVE_UP_MS = 90_000;
const REQUEST_PAUSE_MS = 100;
const BATCH_PAUSE_MS = 500;
const BATCH_ROWS = 2_000;

interface RepeatedRequest {
  /** Number of the endpoint in the specification. */
  readonly number: number;
  readonly path: string;
  readonly init: RequestInit;
}

const post = (number: number, path: string, query: object): RepeatedRequest => {
  const headers = { ...HEADERS, 'content-type': 'application/json' };
  return { number, path, init: { method: 'POST', headers, body: JSON.stringify({ queries: [query] }) } };
};
const get = (number: number, path: string, accept: string): RepeatedRequest => ({
  number,
  path,
  init: { headers: { ...HEADERS, accept } },
});

/** Endpoints 1 to 4: answered from memory. */
export const LOOKUPS: readonly RepeatedRequest[] = [
  post(1, '/enrich/v1/age_gender', { name: 'Mary', date: '2017-07-01' }),
  get(2, '/enrich/v1/age_gender/name/Mary/date/2017-07-01', 'text/html'),
  post(3, '/enrich/v1/ethnicity', { surname: 'Garcia', year: 2016 }),
  get(4, '/enrich/v1/ethnicity/surname/Garcia/year/2016', '*/*'),
];
/** Endpoints 5 to 9: answered from the database. */
export const READS: readonly RepeatedRequest[] = [
  get(5, '/data-charts/v1/about', 'text/html'),
  get(6, '/data-charts/v1/age_distribution/committee?cycle=2024', 'text/csv'),
  get(7, '/data-charts/v1/cumulative_donors/candidate?cycle=2024', 'text/csv'),
  get(8, '/data-charts/v1/candidate/search?name_part=an&cycle=2024', 'text/csv'),
  get(9, '/data-charts/v1/committee/candidate/search?name_part=an&cycle=2024', 'text/csv'),
];
export const REQUESTS: readonly RepeatedRequest[] = [...LOOKUPS, ...READS];

/** Answers by status or error name, and their times. */
class AnswerCounts {
  readonly answers = new Map<string, number>();
  slowestMs = 0;
  /** 503 answers without Retry-After, and errors that are not problem documents. */
  malformed = 0;

  constructor(private readonly what: string) {}

  get total(): number {
    return [...this.answers.values()].reduce((sum, count) => sum + count, 0);
  }

  get description(): string {
    const answers = [...this.answers].map(([answer, count]) => `${count} × ${answer}`).join(', ') || 'none';
    return `${this.total} ${this.what}: ${answers}, slowest ${Math.round(this.slowestMs)} ms`;
  }

  protected record(answer: string, started: number): void {
    this.slowestMs = Math.max(this.slowestMs, performance.now() - started);
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }

  protected check({ ok, status, headers }: Response): void {
    const isProblem = (headers.get('content-type') ?? '').startsWith('application/problem+json');
    if (!ok && !(isProblem && (status !== 503 || Number(headers.get('retry-after')) > 0))) this.malformed++;
  }
}

/** Sends one request after the other to each api process until it is stopped. */
export class RequestLoop extends AnswerCounts {
  private isRunning = true;
  private readonly loops: readonly Promise<void>[];

  constructor(urls: readonly string[], requests: readonly RepeatedRequest[]) {
    super('requests');
    this.loops = urls.map(async (url) => {
      for (let nth = 0; this.isRunning; nth++, await pause(REQUEST_PAUSE_MS))
        await this.send(url, requests[nth % requests.length]);
    });
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    await Promise.all(this.loops);
  }

  private async send(url: string, { number, path, init }: RepeatedRequest): Promise<void> {
    const started = performance.now();
    const answer = await fetch(url + path, { ...init, signal: AbortSignal.timeout(GIVE_UP_MS) })
      .then(async (response) => {
        await response.arrayBuffer();
        this.check(response);
        return response.ok ? '200' : `${response.status} at ${number}`;
      })
      .catch((error: Error) => `${error.name} at ${number}`);
    this.record(answer, started);
  }
}

export const areAllAnswered = ({ answers, total }: RequestLoop): boolean => answers.get('200') === total;

/** True when all nine endpoints have data to answer with. */
export async function hasData(url: string): Promise<boolean> {
  for (const { path, init } of REQUESTS) {
    const answer = await fetch(url + path, init).catch(() => null);
    const text = answer?.ok ? await answer.text() : '';
    if (text.trim().split('\n').length < 2 && !text.startsWith('{')) return false;
  }
  return true;
}

interface SentBatch {
  readonly tag: string;
  readonly key: string;
}

/** Sends batches one after the other without retries. */
export class BatchSender extends AnswerCounts {
  readonly accepted: Accepted[] = [];
  /** Batches without a 2xx answer. */
  private readonly refused: SentBatch[] = [];
  private isRunning = false;
  private loop: Promise<void> = Promise.resolve();
  private sent = 0;
  private readonly client: BatchClient;

  constructor(
    private readonly urls: readonly string[],
    private readonly tag: string,
  ) {
    super('batches sent');
    this.client = new BatchClient(urls, seeded(1));
  }

  start(): void {
    this.isRunning = true;
    this.loop = (async () => {
      for (; this.isRunning; await pause(BATCH_PAUSE_MS)) await this.send();
    })();
  }

  async stop(): Promise<void> {
    this.isRunning = false;
    await this.loop;
  }

  /** @returns the status of the answer, or the name of the error */
  async send(batch: SentBatch = { tag: `${this.tag}${this.sent++}`, key: randomUUID() }): Promise<string> {
    const started = performance.now();
    const url = `${this.urls[this.sent % this.urls.length]}/enrich/v1/batches?type=contributions`;
    const headers = { ...HEADERS, 'content-type': 'text/csv', 'idempotency-key': batch.key };
    const body = contributionsCsv(batch.tag, BATCH_ROWS, Infinity);
    const signal = AbortSignal.timeout(GIVE_UP_MS);
    const response = await fetch(url, { method: 'POST', headers, body, signal }).catch((error: Error) => error);
    const answer = response instanceof Error ? response.name : String(response.status);
    this.record(answer, started);
    if (!(response instanceof Error)) this.check(response);
    const accepted =
      response instanceof Error || !response.ok
        ? null
        : ((await response.json().catch(() => null)) as { id: string } | null);
    if (accepted) this.accepted.push({ id: accepted.id, tag: batch.tag, rows: BATCH_ROWS });
    else this.refused.push(batch);
    return answer;
  }

  /** Sends refused batches again with the same Idempotency-Key. */
  async resend(): Promise<void> {
    for (const batch of this.refused.splice(0)) await this.send(batch);
  }

  /** @returns seconds until every accepted batch has ended */
  async ended(withinMs: number): Promise<number> {
    const started = performance.now();
    await this.client.allEnded(this.accepted, withinMs);
    return (performance.now() - started) / 1000;
  }

  count(): Promise<RowCounts> {
    return countRows(this.client, this.accepted);
  }
}
