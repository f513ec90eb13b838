import { setTimeout as pause } from 'node:timers/promises';
import { KEY } from '../installation';

const HEADERS = { authorization: `Bearer ${KEY}` };
const JSON_BODY = { method: 'POST', headers: { ...HEADERS, 'content-type': 'application/json' } };
const CSV = { headers: { ...HEADERS, accept: 'text/csv' } };
const HTML = { headers: { ...HEADERS, accept: 'text/html' } };
const GIVEN_UP_MS = 90_000;
const PAUSE_MS = 100;

export interface Question {
  /** The endpoint's number in the specification. */
  readonly number: number;
  readonly path: string;
  readonly init: RequestInit;
}

/** Endpoints 1 to 4: names are looked up in memory. */
export const OF_NAMES: readonly Question[] = [
  {
    number: 1,
    path: '/enrich/v1/age_gender',
    init: { ...JSON_BODY, body: JSON.stringify({ queries: [{ name: 'Mary', date: '2017-07-01' }] }) },
  },
  { number: 2, path: '/enrich/v1/age_gender/name/Mary/date/2017-07-01', init: HTML },
  {
    number: 3,
    path: '/enrich/v1/ethnicity',
    init: { ...JSON_BODY, body: JSON.stringify({ queries: [{ surname: 'Garcia', year: 2016 }] }) },
  },
  { number: 4, path: '/enrich/v1/ethnicity/surname/Garcia/year/2016', init: { headers: HEADERS } },
];

/** Endpoints 5 to 9: what is loaded, and charts. */
export const OF_DATA: readonly Question[] = [
  { number: 5, path: '/data-charts/v1/about', init: HTML },
  { number: 6, path: '/data-charts/v1/age_distribution/committee?cycle=2024', init: CSV },
  { number: 7, path: '/data-charts/v1/cumulative_donors/candidate?cycle=2024', init: CSV },
  { number: 8, path: '/data-charts/v1/candidate/search?name_part=an&cycle=2024', init: CSV },
  { number: 9, path: '/data-charts/v1/committee/candidate/search?name_part=an&cycle=2024', init: CSV },
];

export const ALL: readonly Question[] = [...OF_NAMES, ...OF_DATA];

export interface Tally {
  readonly asked: number;
  readonly slowestMs: number;
  /** By status, or the error's name: `503`, `TimeoutError`. */
  readonly answers: ReadonlyMap<string, number>;
  /** 503 without Retry-After, or errors that are no problem document. */
  readonly illFormed: number;
}

/** Asks each api again and again, one question after the other, until it is stopped. */
export class Asking {
  private isAsking = true;
  private readonly answers = new Map<string, number>();
  private slowestMs = 0;
  private asked = 0;
  private illFormed = 0;
  private readonly ends: readonly Promise<void>[];

  constructor(urls: readonly string[], questions: readonly Question[]) {
    this.ends = urls.map((url) => this.again(url, questions));
  }

  /** Once all that was asked is answered. */
  async stop(): Promise<Tally> {
    this.isAsking = false;
    await Promise.all(this.ends);
    const { asked, slowestMs, answers, illFormed } = this;
    return { asked, slowestMs, answers, illFormed };
  }

  private async again(url: string, questions: readonly Question[]): Promise<void> {
    for (let n = 0; this.isAsking; n++) {
      await this.ask(url, questions[n % questions.length]);
      await pause(PAUSE_MS);
    }
  }

  private async ask(url: string, { number, path, init }: Question): Promise<void> {
    const started = performance.now();
    const answer = await fetch(url + path, { ...init, signal: AbortSignal.timeout(GIVEN_UP_MS) })
      .then(async (response) => {
        await response.arrayBuffer();
        if (!response.ok && !isProper(response)) this.illFormed++;
        return response.ok ? '200' : `${response.status} at ${number}`;
      })
      .catch((error: Error) => `${error.name} at ${number}`);
    this.slowestMs = Math.max(this.slowestMs, performance.now() - started);
    this.asked++;
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }
}

/** A problem document, and a 503 that says when to come back. */
export const isProper = ({ status, headers }: Response): boolean =>
  (headers.get('content-type') ?? '').startsWith('application/problem+json') &&
  (status !== 503 || Number(headers.get('retry-after')) > 0);

/** Once data of the cycle are there for all nine. */
export async function allAnswer(url: string): Promise<boolean> {
  for (const { path, init } of ALL) {
    const answer = await fetch(url + path, init).catch(() => null);
    const text = answer?.ok ? await answer.text() : '';
    if (text.trim().split('\n').length < 2 && !text.startsWith('{')) return false;
  }
  return true;
}

export const ok = ({ answers, asked }: Tally): boolean => answers.get('200') === asked;

export const told = ({ answers, asked, slowestMs }: Tally): string =>
  `${asked} asked: ${[...answers].map(([answer, n]) => `${n} × ${answer}`).join(', ')}, slowest ${Math.round(slowestMs)} ms`;
