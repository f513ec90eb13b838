import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { type GuardedRoute, type Caller, urlPathOf, isExpected } from './guarded-routes';

const IGNORED_HEADERS = ['date', 'x-request-id', 'set-cookie'];

/** An answer without the headers that differ between equal answers: date and request id. */
export interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

export interface Mismatch {
  readonly caller: string;
  readonly route: string;
  readonly expected: string;
  readonly status: number;
}

interface TestRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

let clients = 0;

/** A loopback address that sent no request yet: attempts with wrong keys are limited by client address. */
export const nextClientAddress = (): string => `127.1.${(++clients >> 8) & 255}.${clients & 255}`;

/** Uses node:http, because fetch cannot set the local address. */
export async function send(url: string, init: TestRequest, localAddress = nextClientAddress()): Promise<Answer> {
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
  readonly routes: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly mismatches: readonly Mismatch[];
  /** The answers of status 401, each once. */
  readonly refusals: ReadonlySet<string>;
}

/**
 * Sends the requests of one caller to every route.
 * @param batchId - of no stored batch, so that nothing changes
 */
export async function checkEveryRoute(
  url: string,
  routes: readonly GuardedRoute[],
  caller: Caller,
  batchId: string,
): Promise<RouteCheck> {
  const outcomes: Record<string, number> = {};
  const mismatches: Mismatch[] = [];
  const refusals = new Set<string>();
  for (const route of routes) {
    const expected = caller.expected(route);
    const query = new URLSearchParams(caller.query).toString();
    const answer = await send(`${url}${urlPathOf(route, batchId)}${query && `?${query}`}`, {
      method: route.method,
      headers: caller.headers,
    });
    outcomes[expected] = (outcomes[expected] ?? 0) + 1;
    if (!isExpected(expected, answer.status))
      mismatches.push({
        caller: caller.name,
        route: `${route.method} ${route.template}`,
        expected: String(expected),
        status: answer.status,
      });
    if (answer.status === 401 && route.method !== 'HEAD') refusals.add(answer.body);
  }
  return { routes: routes.length, outcomes, mismatches, refusals };
}
