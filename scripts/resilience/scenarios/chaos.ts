import { setTimeout as pause } from 'node:timers/promises';
import { someOf, whole, wholes } from '../../command/options';
import { QUEUES } from '../../../test/support/installation';
import { type Finding, scenario, type Stage } from '../scenario';
import { type Accepted, sendBatches } from '../support/batch-client';
import { FaultInjector } from '../../../test/support/fault-injection/fault-injector';
import { type Verification, VERIFICATION_CHECKS, VERIFICATION_COLUMNS, verify } from '../support/verification';

const CLIENTS = 4;
/** Batches that are sent ahead of the faults, so that every fault meets work. */
const AHEAD = 4;
const END_MS = 240_000;
/** Limits of a run with at least so many rows and at most so many faults. In a smaller one, one chunk is a percent. */
const GOAL = { rows: 1_000_000, faults: 200, seconds: 300, repeatedShare: 0.25 };

const options = { rows: whole(1_000_000, 1), faults: whole(200), seed: wholes(1), queue: someOf(QUEUES, ['redis']) };

interface Result {
  readonly found: Verification;
  readonly injected: ReadonlyMap<string, number>;
  readonly repeatedRequests: number;
}
type Found = Finding<typeof options, Result>;

export const chaos = scenario<typeof options, Result>({
  promise: 'No accepted row is lost or duplicated by killed processes, frozen processes or broken networks',
  options,
  setUp: () => ({
    processes: { api: 2, worker: 2, aggregator: 2 },
    proxied: true,
    withGeocoder: true,
    environment: { CHUNK_ROWS: '500', LOG_LEVEL: 'warn' },
  }),
  execute: async (stage, run) => {
    const { accepted, injected } = await sendDuringFaults(stage, run);
    return { found: await verify(stage, accepted, END_MS), injected, repeatedRequests: stage.client.repeated };
  },
  columns: {
    queue: ({ queue }) => queue,
    seed: ({ seed }) => seed,
    rows: ({ rows }) => rows,
    faults: ({ faults }) => faults,
    ...VERIFICATION_COLUMNS,
    'requests repeated': ({ repeatedRequests }) => repeatedRequests,
    seconds: ({ seconds }) => Math.round(seconds),
  },
  checks: {
    ...VERIFICATION_CHECKS,
    'a full run ends in time and repeats few chunks': ({ rows, faults, seconds, found }) =>
      rows < GOAL.rows ||
      faults > GOAL.faults ||
      (seconds < GOAL.seconds && found.repeatedChunks <= GOAL.repeatedShare * found.chunks),
  },
  notes: (findings) => [...new Set(findings.map(({ queue }) => queue))].map((queue) => describeFaults(findings, queue)),
});

/** Sends batches in step with the faults. */
async function sendDuringFaults(
  { client, installation, random, say }: Stage,
  { rows, faults, seed }: { readonly rows: number; readonly faults: number; readonly seed: number },
): Promise<{ accepted: Accepted[]; injected: Map<string, number> }> {
  const injector = new FaultInjector(installation, random);
  const injected = new Map<string, number>();
  const batchRows = Math.min(10_000, Math.max(500, Math.ceil(rows / 100)));
  let done = 0;
  const mayBegin = (nth: number, batches: number): boolean => nth / batches <= done / faults + AHEAD / batches;
  const sending = sendBatches(client, { tag: `s${seed}`, rows, batchRows, clients: CLIENTS }, mayBegin);
  sending.catch(() => undefined); // thrown where it is awaited
  while (done < faults) {
    await pause(400 + 600 * random());
    const fault = injector.next();
    if (!(await fault.inject())) continue;
    injected.set(fault.name, (injected.get(fault.name) ?? 0) + 1);
    if (++done % 10 === 0) say(`${done} of ${faults} faults`);
  }
  await injector.over();
  return { accepted: await sending, injected };
}

/** Faults of all runs with a queue. */
function describeFaults(findings: readonly Found[], queue: string): string {
  const sums = new Map<string, number>();
  for (const found of findings)
    if (found.queue === queue)
      for (const [name, count] of found.injected) sums.set(name, (sums.get(name) ?? 0) + count);
  const list = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => `${name} ${count}`);
  return `Faults of all runs with the queue in ${queue}: ${list.join(', ')}.`;
}
