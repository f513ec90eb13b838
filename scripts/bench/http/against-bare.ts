import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import autocannon from 'autocannon';
import { nodeOptions, ROLES } from '../../../apps/cli/src/start/roles';
import { type Line, line, twoDigits } from '../lines';
import { inTurns, median, ratios } from '../measure';
import { type Served } from './bare-server';

/** What is asked again and again. */
export interface Asked {
  readonly what: string;
  readonly url: string;
  readonly key: string;
  readonly accept: string;
  /** Of a POST, JSON. */
  readonly body?: string;
  readonly connections: number;
}

export interface Load {
  readonly rounds: number;
  /** Of one turn. */
  readonly seconds: number;
}

interface Answer {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const requestOf = ({ key, accept, body }: Asked): { method: 'GET' | 'POST'; headers: Record<string, string> } => ({
  method: body === undefined ? 'GET' : 'POST',
  headers: {
    authorization: `Bearer ${key}`,
    accept,
    'accept-encoding': 'identity',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  },
});

async function answerOf(asked: Asked, url: string): Promise<Answer> {
  const response = await fetch(url, { ...requestOf(asked), body: asked.body });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${bytes.toString()}`);
  return { contentType: response.headers.get('content-type') ?? '', bytes };
}

/** The same bytes for a question; for a bulk the same results, by JSON.parse and JSON.stringify. */
function servedOf(asked: Asked, { contentType, bytes }: Answer): Served {
  if (asked.body === undefined) return { body: bytes.toString('base64'), contentType };
  return { results: (JSON.parse(bytes.toString()) as { results: unknown[] }).results };
}

function assertAlike(asked: Asked, ours: Answer, floor: Answer): void {
  const isAlike =
    asked.body === undefined
      ? ours.bytes.equals(floor.bytes)
      : isDeepStrictEqual(JSON.parse(ours.bytes.toString()), JSON.parse(floor.bytes.toString()));
  if (!isAlike) throw new Error(`${asked.what}: the floor gives another answer`);
}

/** Requests of the service a second against those of a bare node:http server that gives the same answer. */
export async function againstBare(asked: Asked, { rounds, seconds }: Load, reach?: number): Promise<Line[]> {
  const ours = await answerOf(asked, asked.url);
  const child = fork(join(__dirname, 'bare-server.js'), { execArgv: nodeOptions(ROLES[0]) }); // memory as the api has it
  try {
    child.send(servedOf(asked, ours));
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    const floor = `http://127.0.0.1:${port}/`;
    assertAlike(asked, ours, await answerOf(asked, floor));
    const load = (url: string) => () => requestsPerSecond(asked, url, seconds);
    const variants = { bare: load(floor), donorlens: load(asked.url) };
    for (const warm of Object.values(variants)) await warm();
    return lines(asked, await inTurns(rounds, variants, asked.what), reach);
  } finally {
    child.disconnect();
  }
}

async function requestsPerSecond(asked: Asked, url: string, seconds: number): Promise<number> {
  const { connections, body } = asked;
  const { non2xx, errors, requests, duration } = await autocannon({
    ...requestOf(asked),
    url,
    body,
    connections,
    duration: seconds,
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} answers not 2xx, ${errors} errors`);
  return requests.total / duration;
}

function lines(
  { what, connections }: Asked,
  rates: Readonly<Record<'bare' | 'donorlens', readonly number[]>>,
  reach?: number,
): Line[] {
  const label = `${what}, ${connections} connections`;
  const shown = (perSecond: number): string => `${Math.round(perSecond).toLocaleString('en-US')} req/s`;
  const against = ratios(rates.donorlens, rates.bare);
  return [
    line({ what: `${label}: bare node:http, the floor`, values: rates.bare, shown }),
    line({
      what: `${label}: donorlens`,
      values: rates.donorlens,
      shown,
      against,
      ...(reach !== undefined && { reach: [`≥ ${twoDigits(reach)}`, median(against) >= reach] as const }),
    }),
  ];
}
