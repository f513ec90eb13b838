import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { pick } from '../../../test/support/seeded';
import { oneOf, whole } from '../../command/options';
import { type Installation, KEY, type ProcessEnd, QUEUES, type Role } from '../../../test/support/installation';
import { type Finding, scenario } from '../scenario';
import { type Accepted, type BatchClient, isFinal } from '../support/batch-client';
import { quantile } from '../support/statistics';
import { areIntact, describeRows, type Verification, verify } from '../support/verification';

const ROLES: readonly Role[] = ['worker', 'api', 'aggregator'];
const STOP_MS = 30_000;
const START_MS = 120_000;
const CLIENTS = 2;
const BATCH_ROWS = 10_000;
/** Open batches of each client, so that workers are always busy. */
const OPEN_BATCHES = 3;
const CONNECTIONS = 2;
const QUERIES = 2_000;

const options = { times: whole(50, 1), seed: whole(1), queue: oneOf(QUEUES, 'redis') };

interface Result {
  readonly ends: readonly (ProcessEnd & { readonly role: Role; readonly at: number })[];
  /** One list for each api process. */
  readonly requests: readonly (readonly SentRequest[])[];
  readonly found: Verification;
  readonly rows: number;
}
type Found = Finding<typeof options, Result>;

export const stop = scenario<typeof options, Result>({
  promise: 'A role that receives SIGTERM finishes its work within 30 s, and no work is repeated',
  options,
  setUp: () => ({
    processes: { api: 2, worker: 2, aggregator: 2 },
    environment: { CHUNK_ROWS: '500', GEOCODE_PATIENCE_SECONDS: '0' },
  }),
  execute: async (stage, { times }) => {
    const { client, installation, random, say } = stage;
    let isOver = false;
    const sending = Array.from({ length: CLIENTS }, (_, nth) => sendUntil(client, nth, () => isOver));
    const asking = installation.apiUrls.map((api) =>
      Array.from({ length: CONNECTIONS }, () => requestUntil(api, () => isOver)),
    );
    const ends: Result['ends'][number][] = [];
    for (let nth = 0; nth < times; nth++) {
      await pause(300 + 700 * random());
      ends.push(await stopOne(installation, ROLES[nth % ROLES.length], random));
      if ((nth + 1) % 5 === 0) say(`${nth + 1} of ${times} stopped`);
    }
    isOver = true;
    const requests = await Promise.all(asking.map(async (ofApi) => (await Promise.all(ofApi)).flat()));
    const accepted = (await Promise.all(sending)).flat();
    const found = await verify(stage, accepted, START_MS);
    return { ends, requests, found, rows: accepted.reduce((sum, batch) => sum + batch.rows, 0) };
  },
  rows: (findings) => ({
    columns: ['role', 'stops', 'exit code 0 within 30 s', 'median', 'slowest'],
    rows: ROLES.map((role) => {
      const of = findings.flatMap(({ ends }) => ends.filter((end) => end.role === role));
      const times = of.map(({ ms }) => ms);
      const seconds = (share: number): string => `${(quantile(times, share) / 1000).toFixed(1)} s`;
      return [role, of.length, of.filter(isGraceful).length, seconds(0.5), seconds(1)];
    }),
  }),
  checks: {
    'every role ends with exit code 0 within 30 s': ({ ends }) => ends.every(isGraceful),
    'every accepted row is there once and in order': ({ found }) => areIntact(found),
    'no chunk is repeated': ({ found }) => found.repeatedChunks === 0,
    'no answer is cut': (found) => countEnds(found, 'cut') === 0,
    'every request that had arrived is answered': (found) => unanswered(found) === 0,
  },
  notes: (findings) => findings.map(describe),
});

const isGraceful = ({ code, ms }: ProcessEnd): boolean => code === 0 && ms <= STOP_MS;

const countEnds = ({ requests }: Result, end: RequestEnd): number =>
  requests.flat().filter((one) => one.end === end).length;

function describe(found: Found): string {
  const { rows, found: verification, requests } = found;
  return (
    `${rows.toLocaleString('en-US')} rows in ${verification.chunks} chunks were processed meanwhile: ` +
    `${verification.repeatedChunks} chunk attempts repeated, ${describeRows(verification)}. ` +
    `${requests.flat().length} bulk requests on persistent connections: ${countEnds(found, 'answered')} answered, ` +
    `${countEnds(found, 'unavailable')} with 503, ${countEnds(found, 'refused')} connections refused, ` +
    `${countEnds(found, 'closed')} closed before an answer, ${countEnds(found, 'cut')} answers cut. ` +
    `Of the requests that an api had received before SIGTERM, ${unanswered(found)} were not answered.`
  );
}

/** Stops a process and waits until it is ready again, because a process without work has nothing to finish. */
async function stopOne(installation: Installation, role: Role, random: () => number): Promise<Result['ends'][number]> {
  const victim = pick(random, installation.of(role));
  const at = Date.now();
  return { ...(await installation.restart(victim)), role, at };
}

async function sendUntil(client: BatchClient, nth: number, isOver: () => boolean): Promise<Accepted[]> {
  const accepted: Accepted[] = [];
  let ended = 0;
  for (let sent = 0; !isOver(); sent++) {
    accepted.push(await client.submit(`c${nth}b${sent}`, BATCH_ROWS));
    while (accepted.length - ended >= OPEN_BATCHES && !isOver()) {
      if (isFinal(await client.batch(accepted[ended].id))) ended++;
      else await pause(50);
    }
  }
  return accepted;
}

/** `closed`: the connection ended before the first byte of an answer; `cut`: within the answer. */
type RequestEnd = 'answered' | 'unavailable' | 'refused' | 'closed' | 'cut';

interface SentRequest {
  /** Wall-clock time in milliseconds. */
  readonly sentAt: number;
  readonly endedAt: number;
  readonly end: RequestEnd;
}

const BODY = JSON.stringify({
  queries: Array.from({ length: QUERIES }, (_, at) => ({
    name: ['Mary', 'James', 'Ashley'][at % 3],
    date: `2017-07-0${1 + (at % 9)}`,
  })),
});

/** Sends bulk requests over one persistent connection. */
async function requestUntil(api: string, isOver: () => boolean): Promise<SentRequest[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const sent: SentRequest[] = [];
  while (!isOver()) {
    const one = await sendRequest(api, agent);
    sent.push(one);
    if (one.end !== 'answered') await pause(100);
  }
  agent.destroy();
  return sent;
}

function sendRequest(api: string, agent: Agent): Promise<SentRequest> {
  const headers = {
    authorization: `Bearer ${KEY}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(BODY),
  };
  return new Promise((done) => {
    let sentAt = Date.now();
    const finish = (end: RequestEnd): void => done({ sentAt, endedAt: Date.now(), end });
    const outgoing = request(`${api}/enrich/v1/age_gender`, { method: 'POST', headers, agent });
    outgoing.on('finish', () => (sentAt = Date.now()));
    outgoing.on('error', ({ code }: NodeJS.ErrnoException) => finish(code === 'ECONNREFUSED' ? 'refused' : 'closed'));
    outgoing.on('response', (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', () => finish('cut'));
      response.on('close', () => finish(endOf(response.statusCode, response.complete, Buffer.concat(parts))));
    });
    outgoing.end(BODY);
  });
}

function endOf(status: number | undefined, isComplete: boolean, body: Buffer): RequestEnd {
  if (!isComplete) return 'cut';
  if (status === 503) return 'unavailable';
  const { results } = JSON.parse(body.toString()) as { results?: unknown[] };
  return results?.length === QUERIES ? 'answered' : 'cut';
}

/** Counts the requests that an api process had received when it was stopped and that have no answer. */
const unanswered = ({ ends, requests }: Result): number =>
  requests.flatMap((ofApi, nth) => {
    const stops = ends.filter(({ name }) => name === `api-${nth + 1}`);
    return ofApi.filter(
      ({ sentAt, endedAt, end }) => end !== 'answered' && stops.some(({ at }) => sentAt < at && endedAt >= at),
    );
  }).length;
