import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { type Door, type Guest, addressOf, isExpected } from './doors';

const IGNORED_HEADERS = ['date', 'x-request-id', 'set-cookie'];

/** An answer, without what differs from one to the next: when it was given, and to which request. */
export interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

export interface Misfit {
  readonly guest: string;
  readonly door: string;
  readonly expected: string;
  readonly status: number;
}

interface TestRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

let clients = 0;

/** A loopback address that no request came from yet: wrong keys are limited by client address. */
export const nextClient = (): string => `127.1.${(++clients >> 8) & 255}.${clients & 255}`;

/** Not by fetch, which cannot choose the client's address. */
export async function asked(url: string, init: TestRequest, localAddress = nextClient()): Promise<Answer> {
  const { method, headers, body } = init;
  const request = httpRequest(url, {
    ...{ method, headers, localAddress, agent: false },
    signal: AbortSignal.timeout(120_000),
  }).end(body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const streams = response.headers['content-type']?.startsWith('text/event-stream');
  const answer = streams ? '' : await text(response);
  if (streams) response.destroy();
  const shown = Object.entries(response.headers).filter(([name]) => !IGNORED_HEADERS.includes(name));
  return {
    status: response.statusCode ?? 0,
    headers: JSON.stringify(shown),
    body: answer.replace(/"instance":"[^"]*",?/, ''),
  };
}

export interface RouteCheck {
  readonly doors: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly misfits: readonly Misfit[];
  /** The answers of status 401, each once. */
  readonly refusals: ReadonlySet<string>;
}

/** One caller at every route. @param batchId - of no batch, so that nothing changes */
export async function goRound(url: string, doors: readonly Door[], guest: Guest, batchId: string): Promise<RouteCheck> {
  const verdicts: Record<string, number> = {};
  const misfits: Misfit[] = [];
  const refusals = new Set<string>();
  for (const door of doors) {
    const expected = guest.expected(door);
    const query = new URLSearchParams(guest.query).toString();
    const answer = await asked(`${url}${addressOf(door, batchId)}${query && `?${query}`}`, {
      method: door.method,
      headers: guest.headers,
    });
    verdicts[expected] = (verdicts[expected] ?? 0) + 1;
    if (!isExpected(expected, answer.status))
      misfits.push({
        guest: guest.name,
        door: `${door.method} ${door.template}`,
        expected: String(expected),
        status: answer.status,
      });
    if (answer.status === 401 && door.method !== 'HEAD') refusals.add(answer.body);
  }
  return { doors: doors.length, verdicts, misfits, refusals };
}
