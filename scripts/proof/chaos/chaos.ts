import { setTimeout as pause } from 'node:timers/promises';
import { seeded } from '../../seeded';
import { Installation, type QueueBackend, QUEUES } from '../installation';
import { madeUpGeocoder } from '../made-up-geocoder';
import { someOf, whole, wholes } from '../options';
import { part, type Report } from '../report';
import { type Accepted, Client } from './client';
import { type Count, countAtClient, countInDatabase } from './count';
import { Faults } from './faults';
import { violationsAt } from './violations';

interface Run {
  readonly queue: QueueBackend;
  readonly seed: number;
  readonly rows: number;
  readonly faults: number;
}

const CLIENTS = 4;
/** Batches sent ahead of the faults, so that there is always work to be disturbed. */
const AHEAD = 4;
const SETTLE_MS = 240_000;
/** What a run of at least so many rows and at most so many faults is to keep to; in a small one, one chunk is a percent. */
const GOAL = { rows: 1_000_000, faults: 200, seconds: 300, repeated: 0.25 };

/** N faults while work is in flight: nothing accepted is lost, doubled or out of order. */
export const chaos = part({
  what: 'kills, freezes and broken networks while batches run',
  options: { rows: whole(1_000_000, 1), faults: whole(200), seed: wholes(1), queue: someOf(QUEUES, ['redis']) },
  async run({ rows, faults, seed: seeds, queue: queues }) {
    const found: Found[] = [];
    for (const queue of queues) for (const seed of seeds) found.push(await run({ queue, seed, rows, faults }));
    return reportOf(found);
  },
});

interface Found extends Run {
  readonly count: Count;
  readonly chunks: number;
  readonly repeatedChunks: number;
  readonly violations: number;
  readonly repeatedRequests: number;
  readonly struck: ReadonlyMap<string, number>;
  readonly seconds: number;
}

async function run(asked: Run): Promise<Found> {
  const say = (text: string): void => void process.stderr.write(`${asked.queue}, seed ${asked.seed}: ${text}\n`);
  const geocoder = await madeUpGeocoder();
  const installation = await Installation.start({
    processes: { api: 2, worker: 2, aggregator: 2 },
    queue: asked.queue,
    proxied: true,
    geocoderUrl: geocoder.url,
    environment: { CHUNK_ROWS: '500', LOG_LEVEL: 'warn' },
  });
  const started = performance.now();
  try {
    say(`ready, logs in ${installation.home}/logs`);
    const client = new Client(installation.apiUrls, seeded(asked.seed + 1));
    const { accepted, struck } = await disturbed(installation, client, asked, say);
    await allFinal(client, accepted, say);
    const seconds = (performance.now() - started) / 1000;
    const count = await countAtClient(client, accepted);
    const { chunks, repeated } = await countInDatabase(installation.postgres.url);
    const violations = await violationsAt(installation.apiUrls[0]);
    const found = { ...asked, count, chunks, repeatedChunks: repeated, violations, struck, seconds };
    say(JSON.stringify({ ...count, chunks, repeated, violations, seconds: Math.round(seconds) }));
    return { ...found, repeatedRequests: client.repeated };
  } finally {
    await installation.stop();
    await geocoder.stop();
  }
}

/** Sends the batches in step with the faults. */
async function disturbed(
  installation: Installation,
  client: Client,
  asked: Run,
  say: (text: string) => void,
): Promise<{ accepted: Accepted[]; struck: Map<string, number> }> {
  const random = seeded(asked.seed);
  const faults = new Faults(installation, random);
  const struck = new Map<string, number>();
  const accepted: Accepted[] = [];
  const batchRows = Math.min(10_000, Math.max(500, Math.ceil(asked.rows / 100)));
  const batches = Math.ceil(asked.rows / batchRows);
  let [begun, done] = [0, 0];
  const send = async (): Promise<void> => {
    for (;;) {
      const n = begun++;
      if (n >= batches) return;
      while (n / batches > done / asked.faults + AHEAD / batches) await pause(20);
      const rows = Math.min(batchRows, asked.rows - n * batchRows);
      accepted.push(await client.submit(`s${asked.seed}b${n}`, rows));
    }
  };
  const sending = Promise.all(Array.from({ length: CLIENTS }, send));
  sending.catch(() => undefined); // thrown when it is awaited
  while (done < asked.faults) {
    await pause(400 + 600 * random());
    const fault = faults.next();
    if (!(await fault.strike())) continue;
    struck.set(fault.name, (struck.get(fault.name) ?? 0) + 1);
    if (++done % 10 === 0) say(`${done} faults, ${accepted.length} of ${batches} batches accepted`);
  }
  await faults.over();
  await sending;
  return { accepted, struck };
}

async function allFinal(client: Client, accepted: readonly Accepted[], say: (text: string) => void): Promise<void> {
  const end = performance.now() + SETTLE_MS;
  const open = new Set(accepted.map(({ id }) => id));
  while (open.size > 0 && performance.now() < end) {
    for (const id of open) {
      const { state } = await client.batch(id);
      if (['completed', 'failed', 'cancelled'].includes(state)) open.delete(id);
    }
    if (open.size > 0) await pause(200);
  }
  say(open.size === 0 ? 'every batch is final' : `${open.size} batches are not final: ${[...open].join(' ')}`);
}

const isWhole = ({ count, violations }: Found): boolean =>
  count.lost + count.duplicated + count.misplaced + count.wrongBatches.length === 0 && violations === 0;

const isInTime = ({ rows, faults, seconds, repeatedChunks, chunks }: Found): boolean =>
  rows < GOAL.rows || faults > GOAL.faults || (seconds < GOAL.seconds && repeatedChunks <= GOAL.repeated * chunks);

/** By queue, of all its seeds. */
function faultsOf(found: readonly Found[], queue: QueueBackend): string {
  const sums = new Map<string, number>();
  for (const run of found)
    if (run.queue === queue) for (const [name, n] of run.struck) sums.set(name, (sums.get(name) ?? 0) + n);
  const list = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, n]) => `${name} ${n}`);
  return `Faults of all runs with the queue in ${queue}: ${list.join(', ')}.`;
}

function reportOf(found: readonly Found[]): Report {
  return {
    document: 'reliability',
    columns: [
      'queue',
      'seed',
      'rows',
      'faults',
      'lost',
      'doubled',
      'out of place',
      'batches not whole',
      'violations',
      'chunk runs repeated',
      'requests repeated',
      'seconds',
    ],
    rows: found.map((run) => [
      run.queue,
      run.seed,
      run.rows,
      run.faults,
      run.count.lost,
      run.count.duplicated,
      run.count.misplaced,
      run.count.wrongBatches.length,
      run.violations,
      `${((100 * run.repeatedChunks) / run.chunks).toFixed(1)} %`,
      run.repeatedRequests,
      Math.round(run.seconds),
    ]),
    notes: [...new Set(found.map(({ queue }) => queue))].map((queue) => faultsOf(found, queue)),
    passed: found.every((run) => isWhole(run) && isInTime(run)),
  };
}
