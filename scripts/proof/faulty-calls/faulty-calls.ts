import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seeded } from '../../seeded';
import { type Accepted, Client } from '../chaos/client';
import { type Count, countAtClient, countInDatabase } from '../chaos/count';
import { violationsAt } from '../chaos/violations';
import { FAULTS, type FaultPlan, SPOILT, type Spoilt } from '../inside/fault-plan';
import { FOLDER_VARIABLE } from '../inside/role';
import { Installation, type QueueBackend, QUEUES, ROOT, until } from '../installation';
import { madeUpGeocoder } from '../made-up-geocoder';
import { amount, someOf, whole, wholes } from '../options';
import { part, type Report } from '../report';

interface Run {
  readonly queue: QueueBackend;
  readonly seed: number;
  readonly rows: number;
  readonly share: number;
}

interface Found extends Run {
  readonly spoilt: Spoilt;
  readonly count: Count;
  readonly chunks: number;
  readonly repeated: number;
  readonly violations: number;
  readonly seconds: number;
}

const BATCH_ROWS = 1_000;
const CLIENTS = 4;
const FINAL = ['completed', 'failed', 'cancelled'];
const FINAL_MS = 600_000;

/** One call in twenty is done and reported as failed, for as long as batches run: nothing is lost or doubled by it. */
export const faultyCalls = part({
  what: 'calls to Postgres and Redis are done and reported as failed',
  options: { rows: whole(20_000, 1), percent: amount(5), seed: wholes(1), queue: someOf(QUEUES, ['redis']) },
  async run({ rows, percent, seed: seeds, queue: queues }) {
    const found: Found[] = [];
    for (const queue of queues)
      for (const seed of seeds) found.push(await run({ queue, seed, rows, share: percent / 100 }));
    return reportOf(found);
  },
});

async function run(asked: Run): Promise<Found> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-faults-'));
  const geocoder = await madeUpGeocoder();
  const installation = await Installation.start({
    processes: { api: 2, worker: 2, aggregator: 2 },
    queue: asked.queue,
    geocoderUrl: geocoder.url,
    nodeOptions: ['-r', join(ROOT, 'dist/scripts/proof/inside/faulty.js')],
    environment: { CHUNK_ROWS: '100', LOG_LEVEL: 'warn', [FOLDER_VARIABLE]: folder },
  });
  const started = performance.now();
  try {
    const client = new Client(installation.apiUrls, seeded(asked.seed + 1));
    writeFileSync(join(folder, FAULTS), JSON.stringify({ seed: asked.seed, share: asked.share } satisfies FaultPlan));
    const accepted = await submitted(client, asked);
    for (const { id } of accepted)
      await until(`the end of batch ${id}`, async () => FINAL.includes((await client.batch(id)).state), FINAL_MS);
    const seconds = (performance.now() - started) / 1000;
    rmSync(join(folder, FAULTS));
    const count = await countAtClient(client, accepted);
    const { chunks, repeated } = await countInDatabase(installation.postgres.url);
    const violations = await violationsAt(installation.apiUrls[0]);
    const found = { ...asked, spoilt: spoiltIn(folder), count, chunks, repeated, violations, seconds };
    process.stderr.write(`${JSON.stringify(found)}\n`);
    return found;
  } finally {
    await installation.stop();
    await geocoder.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function submitted(client: Client, { seed, rows }: Run): Promise<Accepted[]> {
  const accepted: Accepted[] = [];
  let next = 0;
  const batches = Math.ceil(rows / BATCH_ROWS);
  const send = async (): Promise<void> => {
    for (let n = next++; n < batches; n = next++) {
      accepted.push(await client.submit(`s${seed}b${n}`, Math.min(BATCH_ROWS, rows - n * BATCH_ROWS)));
      process.stderr.write(`${accepted.length} of ${batches} batches accepted\n`);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, send));
  return accepted;
}

/** Over all processes, the ended ones too. */
function spoiltIn(folder: string): Spoilt {
  const sum: Spoilt = { calls: 0, plain: 0, connection: 0 };
  for (const name of readdirSync(folder).filter((file) => file.startsWith(SPOILT))) {
    const { calls, plain, connection } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Spoilt;
    sum.calls += calls;
    sum.plain += plain;
    sum.connection += connection;
  }
  return sum;
}

function reportOf(found: readonly Found[]): Report {
  return {
    document: 'reliability',
    columns: [
      'queue',
      'seed',
      'rows',
      'calls',
      'done but an error',
      'of them with the connection closed',
      'lost',
      'doubled',
      'out of place',
      'batches not whole',
      'violations',
      'chunk runs repeated',
      'seconds',
    ],
    rows: found.map(({ queue, seed, rows, spoilt, count, violations, repeated, chunks, seconds }) => [
      queue,
      seed,
      rows,
      spoilt.calls,
      spoilt.plain + spoilt.connection,
      spoilt.connection,
      count.lost,
      count.duplicated,
      count.misplaced,
      count.wrongBatches.length,
      violations,
      `${((100 * repeated) / chunks).toFixed(1)} %`,
      Math.round(seconds),
    ]),
    passed: found.every(
      ({ count, violations, spoilt }) =>
        Math.min(spoilt.plain, spoilt.connection) > 0 &&
        count.lost + count.duplicated + count.misplaced + count.wrongBatches.length + violations === 0,
    ),
  };
}
