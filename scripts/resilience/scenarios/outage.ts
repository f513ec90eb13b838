import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Installation, type SupervisedProcess, until } from '../../../test/support/installation';
import { type SetUp, type Stage } from '../scenario';
import { areIntact, describeRows } from '../support/verification';
import { areAllAnswered, BatchSender, LOOKUPS, READS, REQUESTS, RequestLoop } from './outage-load';

export interface OutageOptions {
  /** Seconds that Redis is stopped in redis-away, and seconds of every other outage. */
  readonly 'redis-away-s': number;
  readonly 'away-s': number;
}

/** Collects observations; a broken promise is written in bold. */
export class Observations {
  readonly sentences: string[] = [];
  isKept = true;

  add(sentence: string, isKept = true): void {
    this.sentences.push(isKept ? sentence : `**${sentence}**`);
    this.isKept &&= isKept;
  }
}

/** One way in which a server fails. */
export interface Outage {
  readonly name: (options: OutageOptions) => string;
  readonly promise: string;
  /** Default: Redis as the queue, behind proxies. */
  readonly setUp?: () => SetUp | Promise<SetUp>;
  readonly observe: (stage: Stage, observations: Observations, options: OutageOptions) => Promise<void>;
}

const END_MS = 180_000;
const BACK_MS = 60_000;
/** Limit for readiness and new batches after Postgres returns. */
const MAX_BACK_S = 10;
/** A process has up to twelve components, and each logs once that a server is unavailable. */
const MAX_LOG = { perSecond: 1, burst: 12 };

export interface Absence {
  readonly seconds: number;
  readonly interrupt: () => unknown;
  readonly restore: () => unknown;
  /** Maximum duration of a request. */
  readonly maxMs: number;
  /** The server answers, but cannot store anything. */
  readonly isReadOnly?: boolean;
}

function addLogs(observations: Observations, rates: readonly LogRate[]): void {
  const [loudest] = [...rates].sort((a, b) => b.perSecond - a.perSecond);
  const burst = Math.max(...rates.map((rate) => rate.burst));
  observations.add(
    `log lines: at most ${loudest.perSecond.toFixed(2)} per second (${loudest.process}), ${burst} in one second`,
    loudest.perSecond <= MAX_LOG.perSecond && burst <= MAX_LOG.burst,
  );
}

export async function addBatches(observations: Observations, batches: BatchSender): Promise<void> {
  const counts = await batches.count();
  observations.add(`of ${batches.accepted.length} accepted batches: ${describeRows(counts)}`, areIntact(counts));
}

/** Sends batches, and then makes a server unavailable. */
async function startLoad(apiUrls: readonly string[], tag: string, interrupt: Absence['interrupt']) {
  const batches = new BatchSender(apiUrls, tag);
  batches.start();
  await pause(1_500);
  const from = new Date();
  await interrupt();
  return { batches, from };
}

/** Observes the service under load while Redis is unavailable. */
export async function withoutRedis(
  { apiUrls, processes }: Installation,
  observations: Observations,
  { seconds, interrupt, restore, maxMs }: Absence,
): Promise<void> {
  const { batches, from } = await startLoad(apiUrls, 'r', interrupt);
  const requests = new RequestLoop(apiUrls, REQUESTS);
  await pause(1000 * seconds);
  await batches.stop();
  await requests.stop();
  const rates = logRates(processes, from);
  await restore();
  observations.add(requests.description, areAllAnswered(requests) && requests.slowestMs <= maxMs);
  const isAccepted = batches.answers.size === 1 && batches.answers.has('202');
  observations.add(batches.description, isAccepted && batches.slowestMs <= maxMs);
  addLogs(observations, rates);
  observations.add(`all finished ${(await batches.ended(END_MS)).toFixed(1)} s after its return`);
  await addBatches(observations, batches);
}

/** Observes the service under load while Postgres is unavailable. */
export async function withoutPostgres(
  { apiUrls, processes }: Installation,
  observations: Observations,
  { seconds, interrupt, restore, maxMs, isReadOnly = false }: Absence,
): Promise<void> {
  const { batches, from } = await startLoad(apiUrls, 'p', interrupt);
  const [lookups, reads] = [new RequestLoop(apiUrls, LOOKUPS), new RequestLoop(apiUrls, READS)];
  await pause(2_000);
  const ready = await fetch(`${apiUrls[0]}/health/ready`).then(({ status }) => status);
  await pause(1000 * seconds - 2_000);
  const rates = logRates(processes, from);
  const returned = performance.now();
  await restore();
  for (const url of apiUrls) await untilHealthy(url);
  const backS = (performance.now() - returned) / 1000;
  await Promise.all([batches.stop(), lookups.stop(), reads.stop()]);
  const isRefused = [...reads.answers.keys()].every((answer) => answer === '200' || answer.startsWith('503'));
  const isPlain = [...batches.answers.keys()].every((answer) => answer === '202' || answer === '503');
  observations.add(`endpoints 1 to 4, ${lookups.description}`, areAllAnswered(lookups));
  observations.add(`5 to 9, ${reads.description}`, isRefused && reads.malformed === 0 && reads.slowestMs <= maxMs);
  observations.add(batches.description, isPlain && batches.malformed === 0 && batches.slowestMs <= maxMs);
  observations.add(`/health/ready ${ready}`, isReadOnly || ready === 503);
  addLogs(observations, rates);
  observations.add(`ready and accepting batches ${backS.toFixed(1)} s after its return`, backS <= MAX_BACK_S);
  await batches.resend();
  observations.add(`all finished after ${(await batches.ended(END_MS)).toFixed(1)} s more`);
  await addBatches(observations, batches);
}

async function untilHealthy(url: string): Promise<void> {
  const isReady = (): Promise<boolean> =>
    fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(`${url} is ready`, isReady, BACK_MS);
  const probe = new BatchSender([url], 'probe');
  await until(`${url} accepts a batch`, async () => (await probe.send()) === '202', BACK_MS);
}

interface LogRate {
  readonly process: string;
  readonly perSecond: number;
  /** Most lines in one second. */
  readonly burst: number;
}

const LOG_TIME = /"time":"([^"]+)"/;

/** Log rate of each process since `from`, without the lines of requests. */
function logRates(processes: readonly SupervisedProcess[], from: Date, until = new Date()): readonly LogRate[] {
  const seconds = Math.max(1, (until.getTime() - from.getTime()) / 1000);
  return processes.map(({ name, logFile }) => {
    let last = ''; // a line that is not JSON counts with the line before it
    const times = readFileSync(logFile, 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.endsWith('"msg":"request"}'))
      .map((line) => new Date((last = LOG_TIME.exec(line)?.[1] ?? last)))
      .filter((time) => time >= from && time < until);
    const bySecond = new Map<number, number>();
    for (const time of times) {
      const second = Math.floor(time.getTime() / 1000);
      bySecond.set(second, (bySecond.get(second) ?? 0) + 1);
    }
    return { process: name, perSecond: times.length / seconds, burst: Math.max(0, ...bySecond.values()) };
  });
}
