import { seeded } from '../../seeded';
import { Client } from '../chaos/client';
import { Installation, type QueueBackend, QUEUES, until } from '../installation';
import { someOf, whole } from '../options';
import { part, type Report } from '../report';
import { Held } from './held';

/** What is promised, at the 95th percentile. */
const PROMISE_S = 15;
const BATCH_ROWS = 60_000;
const CHUNK_ROWS = 5_000;
/** Over both workers, when one of them is killed. */
const IN_WORK = 4;
const SETTLE_MS = 120_000;

interface Found {
  readonly queue: QueueBackend;
  readonly kills: number;
  /** Seconds from the kill, for each chunk that the killed worker held. */
  readonly claimed: readonly number[];
  readonly done: readonly number[];
  /** Batches that did not complete. */
  readonly unfinished: number;
}

/** How long the work of a worker that was killed stands still. */
export const recovery = part({
  what: 'kill -9 of a worker while it holds chunks, and when they go on',
  options: { kills: whole(50, 1), seed: whole(1), queue: someOf(QUEUES) },
  async run({ kills, seed, queue: queues }) {
    const found: Found[] = [];
    for (const queue of queues) found.push(await run(queue, kills, seed));
    return reportOf(found);
  },
});

async function run(queue: QueueBackend, kills: number, seed: number): Promise<Found> {
  const installation = await Installation.start({
    processes: { worker: 2 },
    queue,
    environment: { CHUNK_ROWS: String(CHUNK_ROWS), LOG_LEVEL: 'warn', GEOCODE_PATIENCE_SECONDS: '0' },
  });
  const held = await Held.open(installation.postgres.url);
  const random = seeded(seed);
  const client = new Client(installation.apiUrls, random);
  const found = { claimed: [] as number[], done: [] as number[] };
  try {
    let unfinished = 0;
    for (let struck = 0, tried = 0; struck < kills; tried++) {
      const { id } = await client.submit(`k${tried}`, BATCH_ROWS);
      await until('chunks are in work', () => held.areLeased(IN_WORK), SETTLE_MS);
      const victim = installation.of('worker')[random() < 0.5 ? 0 : 1];
      const killed = performance.now();
      victim.signal('SIGKILL');
      const times = await held.afterDeath(killed, SETTLE_MS);
      if (!(await isCompleted(client, id))) unfinished++;
      if (times.length === 0) continue; // it held nothing, or had just committed all of it
      for (const { claimedMs, doneMs } of times) {
        found.claimed.push(claimedMs / 1000);
        found.done.push(doneMs / 1000);
      }
      if (++struck % 5 === 0) process.stderr.write(`${queue}: ${struck} kills, ${found.done.length} chunks\n`);
    }
    return { queue, kills, ...found, unfinished };
  } finally {
    await held.close();
    await installation.stop();
  }
}

const isCompleted = (client: Client, id: string): Promise<boolean> =>
  until('the batch is final', async () => (await client.batch(id)).state === 'completed', SETTLE_MS).catch(() => false);

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? NaN;

function reportOf(found: readonly Found[]): Report {
  const shown = (seconds: readonly number[]): string => {
    const sorted = [...seconds].sort((a, b) => a - b);
    return [0.5, 0.95, 1].map((share) => quantile(sorted, share).toFixed(1)).join(' / ');
  };
  const p95 = ({ done }: Found): number =>
    quantile(
      [...done].sort((a, b) => a - b),
      0.95,
    );
  return {
    document: 'reliability',
    columns: [
      'queue',
      'kills',
      'chunks it held',
      'claimed again after s, p50 / p95 / max',
      'done after s, p50 / p95 / max',
      'batches not completed',
    ],
    rows: found.map((one) => [
      one.queue,
      one.kills,
      one.done.length,
      shown(one.claimed),
      shown(one.done),
      one.unfinished,
    ]),
    notes: [`Promised: done after ${PROMISE_S} s at the 95th percentile. A kill that hit no chunk is not counted.`],
    passed: found.every((one) => p95(one) <= PROMISE_S && one.unfinished === 0),
  };
}
