import autocannon from 'autocannon';
import { formatCivilDay } from '@donorlens/primitives';
import { nodeOptions, ROLES } from '../../../apps/cli/src/start/roles';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Served } from './bare-server';
import { untilSampleIsImported } from '../service-runs';
import { alternate, line, type Line, median, ratios, reportOf, reportStep, twoDigits } from '../measure';
import { HEADERS } from '../../resilience/support/batch-client';
import { type RunningService, startService } from '../service';
import { amount, whole } from '../../command/options';
import { command } from '../../command/report';
import { donorWeighted } from '../../../test/support/bench-data/donors';

/** A request that is sent repeatedly. */
export interface BenchRequest {
  readonly what: string;
  readonly url: string;
  readonly accept: string;
  /** JSON body of a POST. */
  readonly body?: string;
  readonly connections: number;
}

export interface Load {
  readonly rounds: number;
  /** Duration of each measurement. */
  readonly seconds: number;
}

interface Answer {
  readonly contentType: string;
  readonly bytes: Buffer;
}

const requestOf = ({ accept, body }: BenchRequest): { method: 'GET' | 'POST'; headers: Record<string, string> } => ({
  method: body === undefined ? 'GET' : 'POST',
  headers: {
    ...HEADERS,
    accept,
    'accept-encoding': 'identity',
    ...(body !== undefined && { 'content-type': 'application/json' }),
  },
});

async function answerOf(asked: BenchRequest, url: string): Promise<Answer> {
  const response = await fetch(url, { ...requestOf(asked), body: asked.body });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${bytes.toString()}`);
  return { contentType: response.headers.get('content-type') ?? '', bytes };
}

/** The baseline sends the same bytes; for a bulk request it parses the body and serializes the same results. */
function servedOf(asked: BenchRequest, { contentType, bytes }: Answer): Served {
  if (asked.body === undefined) return { body: bytes.toString('base64'), contentType };
  return { results: (JSON.parse(bytes.toString()) as { results: unknown[] }).results };
}

function assertAlike(asked: BenchRequest, ours: Answer, baseline: Answer): void {
  const isAlike =
    asked.body === undefined
      ? ours.bytes.equals(baseline.bytes)
      : isDeepStrictEqual(JSON.parse(ours.bytes.toString()), JSON.parse(baseline.bytes.toString()));
  if (!isAlike) throw new Error(`${asked.what}: the baseline gives another answer`);
}

/** Compares requests per second of the service with those of a bare node:http server that sends the same answer. */
export async function againstBare(asked: BenchRequest, { rounds, seconds }: Load, target?: number): Promise<Line[]> {
  const ours = await answerOf(asked, asked.url);
  const child = fork(join(__dirname, 'bare-server.js'), { execArgv: nodeOptions(ROLES[0]) }); // memory as for the api
  try {
    child.send(servedOf(asked, ours));
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    const baseline = `http://127.0.0.1:${port}/`;
    assertAlike(asked, ours, await answerOf(asked, baseline));
    const load = (url: string) => () => requestsPerSecond(asked, url, seconds);
    const variants = { bare: load(baseline), donorlens: load(asked.url) };
    for (const warm of Object.values(variants)) await warm();
    return lines(asked, await alternate(rounds, variants, asked.what), target);
  } finally {
    child.disconnect();
  }
}

async function requestsPerSecond(asked: BenchRequest, url: string, seconds: number): Promise<number> {
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
  { what, connections }: BenchRequest,
  rates: Readonly<Record<'bare' | 'donorlens', readonly number[]>>,
  target?: number,
): Line[] {
  const label = `${what}, ${connections} connections`;
  const shown = (perSecond: number): string => `${Math.round(perSecond).toLocaleString('en-US')} req/s`;
  const against = ratios(rates.donorlens, rates.bare);
  return [
    line({ what: `${label}: bare node:http, the baseline`, values: rates.bare, shown }),
    line({
      what: `${label}: donorlens`,
      values: rates.donorlens,
      shown,
      against,
      ...(target !== undefined && { target: [`≥ ${twoDigits(target)}`, median(against) >= target] as const }),
    }),
  ];
}

const QUERIES = 1_000;
const SINGLE = { connections: 32, target: 0.6 };
const BULK = { connections: 8, target: 0.85 };

/** Measures requests to a service started like `npm start`. */
export const http = command({
  what: 'requests against bare node:http',
  options: { rounds: whole(7, 1), seconds: amount(3) },
  async run(load) {
    const service = await reportStep('a service is started', () => startService(process.env));
    try {
      await reportStep('its first import ends', () => untilSampleIsImported(service));
      return reportOf(
        [...(await single(service, load)), ...(await bulk(service, load))],
        'A ratio is that of two rates of one round, ours by the baseline’s: 1 is as many requests as the baseline answers. The load generator has one of the machine’s cores when either is asked. The answers are compared first.',
      );
    } finally {
      await service.stop();
    }
  },
});

const single = ({ url }: RunningService, load: Load) =>
  againstBare(
    {
      what: 'ethnicity of one surname (GET), the key checked',
      url: `${url}/enrich/v1/ethnicity/surname/Garcia/year/2016`,
      accept: 'application/json',
      connections: SINGLE.connections,
    },
    load,
    SINGLE.target,
  );

function bulk({ url }: RunningService, load: Load) {
  const { names, days } = donorWeighted(QUERIES);
  const queries = names.map((name, i) => ({ date: formatCivilDay(days[i]), name }));
  return againstBare(
    {
      what: `age and gender of ${QUERIES.toLocaleString('en-US')} donors (POST), against JSON.parse and JSON.stringify too`,
      url: `${url}/enrich/v1/age_gender`,
      accept: 'application/json',
      body: JSON.stringify({ queries }),
      connections: BULK.connections,
    },
    load,
    BULK.target,
  );
}
