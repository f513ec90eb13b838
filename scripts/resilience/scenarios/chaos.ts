import { setTimeout as pause } from 'node:timers/promises';
import { type Pool } from 'pg';
import { someOf, text, whole, wholes } from '../../command/options';
import { say } from '../../command/report';
import { QUEUES, until } from '../../../test/support/installation';
import { has } from '../../../test/support/tools';
import { type Finding, scenario, type Stage } from '../scenario';
import { type Accepted, sendBatches } from '../support/batch-client';
import { type Fault, FaultInjector } from '../../../test/support/fault-injection/fault-injector';
import { type Verification, VERIFICATION_CHECKS, VERIFICATION_COLUMNS, verify } from '../support/verification';

const CLIENTS = 4;
/** Number of batches sent ahead of the faults, so that each fault hits work in progress. */
const AHEAD = 4;
const END_MS = 240_000;
/** Limits of runs with at least this many rows and at most this many faults. In smaller runs, a chunk is 1 %. */
const GOAL = { rows: 1_000_000, faults: 200, seconds: 900, repeatedShare: 0.25 };
/** Longest time without progress after the last fault, while work is left. */
const MAX_STUCK_SECONDS = 30;
const POLL_MS = 200;
/** One upgrade and one restore for each this many faults; at most three of each. */
const FAULTS_FOR_A_STOP = 50;

const options = {
  ...{ rows: whole(1_000_000, 1), faults: whole(200), seed: wholes(1), queue: someOf(QUEUES, ['redis']) },
  'upgrade-from': text('DIR', undefined),
};

interface Result {
  readonly found: Verification;
  readonly injected: ReadonlyMap<string, number>;
  readonly repeatedRequests: number;
  readonly stuckSeconds: number;
}
type Found = Finding<typeof options, Result>;

export const chaos = scenario<typeof options, Result>({
  promise:
    'No accepted row is lost or duplicated by kills, freezes, broken networks, clock steps, restores or upgrades',
  options,
  setUp: (run) => {
    if (!has('faketime')) say('no libfaketime on this machine (Debian: apt-get install faketime): no clock is stepped');
    return {
      processes: { api: 2, worker: 2, aggregator: 2 },
      ...{ proxied: true, withGeocoder: true, checkout: run['upgrade-from'], hasSteppedClocks: has('faketime') },
      environment: { CHUNK_ROWS: '500', LOG_LEVEL: 'warn' },
    };
  },
  execute: async (stage, run) => {
    const { accepted, ...sent } = await sendDuringFaults(stage, run);
    return { found: await verify(stage, accepted, END_MS), ...sent, repeatedRequests: stage.client.repeated };
  },
  columns: {
    queue: ({ queue }) => queue,
    seed: ({ seed }) => seed,
    rows: ({ rows }) => rows,
    faults: ({ faults }) => faults,
    ...VERIFICATION_COLUMNS,
    'longest without progress after the last fault': ({ stuckSeconds }) => `${stuckSeconds.toFixed(1)} s`,
    'requests repeated': ({ repeatedRequests }) => repeatedRequests,
    seconds: ({ seconds }) => Math.round(seconds),
  },
  checks: {
    ...VERIFICATION_CHECKS,
    [`work goes on within ${MAX_STUCK_SECONDS} s after the last fault`]: ({ stuckSeconds }) =>
      stuckSeconds <= MAX_STUCK_SECONDS,
    'a full run ends in time and repeats few chunks': ({ rows, faults, seconds, found }) =>
      rows < GOAL.rows ||
      faults > GOAL.faults ||
      (seconds < GOAL.seconds && found.repeatedChunks <= GOAL.repeatedShare * found.chunks),
  },
  notes: (findings) => [...new Set(findings.map(({ queue }) => queue))].map((queue) => describeFaults(findings, queue)),
});

/** Sends batches at the pace of the faults. */
async function sendDuringFaults(
  stage: Stage,
  run: Pick<Found, keyof typeof options>,
): Promise<Omit<Result, 'found' | 'repeatedRequests'> & { readonly accepted: Accepted[] }> {
  const { client, installation, random, say, pool } = stage;
  const { rows, faults, seed } = run;
  const injector = new FaultInjector(installation, random);
  const injected = new Map<string, number>();
  const batchRows = Math.min(10_000, Math.max(500, Math.ceil(rows / 100)));
  const pace = { done: 0, isOpen: true };
  const mayBegin = (nth: number, batches: number): boolean =>
    pace.isOpen && (faults === 0 || nth / batches <= pace.done / faults + AHEAD / batches);
  const sending = sendBatches(client, { tag: `s${seed}`, rows, batchRows, clients: CLIENTS }, mayBegin);
  sending.catch(() => undefined); // the error is thrown where `sending` is awaited
  const inProgress: Accepted[] = [];
  const restore = async (): Promise<boolean> => {
    await injector.untilNormal();
    pace.isOpen = false;
    await until('all requests are answered', () => client.open === 0, END_MS);
    await installation.restore(async () => {
      for (let nth = 0; nth < AHEAD; nth++)
        inProgress.push(await client.submit(`s${seed}f${pace.done}b${nth}`, batchRows));
    });
    return (pace.isOpen = true);
  };
  const upgrade = (): Promise<boolean> => installation.upgrade().then(() => true);
  const planned = plannedStops(run, upgrade, restore);
  while (pace.done < faults) {
    await pause(400 + 600 * random());
    const fault = planned.get(pace.done) ?? injector.next();
    if (!(await fault.inject())) continue;
    injected.set(fault.name, (injected.get(fault.name) ?? 0) + 1);
    if (++pace.done % 10 === 0) say(`${pace.done} of ${faults} faults`);
  }
  await injector.untilNormal();
  const stuckSeconds = await measureLongestStall(pool, sending);
  return { accepted: [...(await sending), ...inProgress], injected, stuckSeconds };
}

/** Alternating upgrades and restores, by the number of faults before each. */
function plannedStops(
  run: Pick<Found, keyof typeof options>,
  upgrade: Fault['inject'],
  restore: Fault['inject'],
): ReadonlyMap<number, Fault> {
  const stops = 2 * Math.min(3, Math.ceil(run.faults / FAULTS_FOR_A_STOP));
  const at = (nth: number): number => Math.floor(((nth + 0.5) * run.faults) / stops);
  const first = run['upgrade-from'] === undefined ? 'rolling restart' : 'upgrade from an earlier build';
  return new Map(
    Array.from({ length: stops }, (_, nth): [number, Fault] => {
      const name = nth === 0 ? first : 'rolling restart';
      return [at(nth), nth % 2 === 0 ? { name, inject: upgrade } : { name: 'restore of a backup', inject: restore }];
    }),
  );
}

/** Waits until all batches are sent and have ended. @returns the longest time without progress, in seconds */
async function measureLongestStall(pool: Pool, sending: Promise<unknown>): Promise<number> {
  let isSent = false;
  void sending.then(() => (isSent = true));
  const end = performance.now() + END_MS;
  let [longest, movedAt, before] = [0, performance.now(), ''];
  for (let open = 1; (open > 0 || !isSent) && performance.now() < end; await pause(POLL_MS)) {
    const { rows } = await pool.query<{ open: number; done: string }>(
      `select count(*) filter (where state in ('accepted', 'running', 'cancelling'))::int as open,
              md5(string_agg(to_jsonb(b)::text, '' order by id)) as done from batch b`,
    );
    if (rows[0].done !== before) [movedAt, before] = [performance.now(), rows[0].done];
    open = rows[0].open;
    longest = Math.max(longest, performance.now() - movedAt);
  }
  return longest / 1000;
}

/** Describes the faults of all runs with this queue. */
function describeFaults(findings: readonly Found[], queue: string): string {
  const sums = new Map<string, number>();
  for (const found of findings)
    if (found.queue === queue)
      for (const [name, count] of found.injected) sums.set(name, (sums.get(name) ?? 0) + count);
  const list = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${name} ${count}`);
  return `Faults of all runs with the queue in ${queue}: ${list.join(', ')}.`;
}
