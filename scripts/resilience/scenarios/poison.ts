import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { oneOf, someOf, whole } from '../../command/options';
import { QUEUES, ROOT, until } from '../../../test/support/installation';
import { type Finding, scenario } from '../scenario';
import { type BatchClient } from '../support/batch-client';
import { quantile } from '../support/statistics';

/** Behavior of a row, by the surname that triggers it in a worker that preloads the fault injection. */
const POISONS = {
  THROWSATONCE: 'throws',
  LOOPSFOREVER: 'loops forever',
  EATSMEMORY: 'exhausts memory',
  EXITSPROCESS: 'exits the process',
} as const;
const CHUNK_ROWS = 500;
const CHUNKS = 5;
/** In the middle of the middle chunk. */
const POISONED_ROW = 1_250;
const CALM_MS = 10_000;
const PROBE_INTERVAL_MS = 500;
const END_MS = 600_000;
const MAX_DELAY_MS = 5_000;
/** Small, so that a row that exhausts memory ends the worker before the machine runs out of memory. */
const HEAP = '--max-old-space-size=256';

const options = {
  workers: whole(2, 1),
  queue: oneOf(QUEUES, 'redis'),
  only: someOf(Object.keys(POISONS) as (keyof typeof POISONS)[]),
};

interface Result {
  /** Until the chunks without the poisoned row were done. */
  readonly healthyMs: number;
  readonly batchMs: number;
  readonly deaths: number;
  /** Row numbers of failed rows. */
  readonly failed: readonly number[];
  readonly areOthersComplete: boolean;
  /** Durations of healthy batches in milliseconds, before and beside the poisoned batch. */
  readonly calm: readonly number[];
  readonly beside: readonly number[];
}
type Found = Finding<typeof options, Result>;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const delayOf = ({ calm, beside }: Result): number => Math.max(0, ...beside) - quantile(calm, 0.5);
const isExact = ({ failed }: Found): boolean => failed.join() === String(POISONED_ROW);

export const poison = scenario<typeof options, Result>({
  promise: 'A row that crashes or blocks its worker fails alone, and delays no other batch by more than 5 s',
  options,
  setUp: ({ workers }) => ({
    processes: { worker: workers },
    nodeOptions: [HEAP, '-r', join(ROOT, 'dist/test/support/fault-injection/poison.js')],
    environment: { CHUNK_ROWS: String(CHUNK_ROWS), GEOCODE_PATIENCE_SECONDS: '0' },
  }),
  execute: async ({ client, installation }, { only }) => {
    const deaths = (): number => installation.of('worker').reduce((sum, worker) => sum + worker.deaths, 0);
    const calm = await probesDuring(client, 'calm', () => pause(CALM_MS));
    const before = deaths();
    let [id, healthyMs, batchMs] = ['', NaN, NaN];
    const beside = await probesDuring(client, 'beside', async () => {
      const minimum = pause(CALM_MS);
      ({ id } = await client.submit('poison', CHUNKS * CHUNK_ROWS, csvWith(only)));
      const submitted = performance.now();
      const areHealthyDone = async (): Promise<boolean> =>
        (await client.batch(id)).counts.done >= (CHUNKS - 1) * CHUNK_ROWS;
      await until(`chunks beside a row that ${POISONS[only]} are done`, areHealthyDone, END_MS);
      healthyMs = performance.now() - submitted;
      await client.ended(id, END_MS);
      batchMs = performance.now() - submitted;
      await minimum;
    });
    return { calm, beside, healthyMs, batchMs, deaths: deaths() - before, ...(await rowsOf(client, id)) };
  },
  columns: {
    'a row that': ({ only }) => POISONS[only],
    'rows failed': (found) =>
      isExact(found) ? '1, the right one' : `${found.failed.length}: ${found.failed.slice(0, 5).join(' ')}`,
    'others complete': ({ areOthersComplete }) => (areOthersComplete ? 'yes' : 'no'),
    'batch done after': ({ batchMs }) => seconds(batchMs),
    'its four healthy chunks after': ({ healthyMs }) => seconds(healthyMs),
    'workers ended': ({ deaths }) => deaths,
    'healthy batches beside it': ({ beside }) => beside.length,
    'their median: calm / beside it': ({ calm, beside }) =>
      `${seconds(quantile(calm, 0.5))} / ${seconds(quantile(beside, 0.5))}`,
    'longest delay of one': (found) => seconds(delayOf(found)),
  },
  checks: {
    'only the poisoned row fails': (found) => isExact(found) && found.areOthersComplete,
    'no healthy batch is delayed by more than 5 s': (found) => delayOf(found) <= MAX_DELAY_MS,
    'its healthy chunks are delayed by at most 5 s': ({ healthyMs, calm }) =>
      healthyMs - quantile(calm, 0.5) <= MAX_DELAY_MS,
  },
  notes: ([{ workers }]) => [
    `${workers} workers; each batch has ${CHUNKS} chunks of ${CHUNK_ROWS} rows, one of which misbehaves.`,
  ],
});

function csvWith(surname: string): string {
  const row = (_: unknown, at: number): string =>
    `${at + 1},Mary,${at + 1 === POISONED_ROW ? surname : 'Smith'},2016-03-01`;
  return ['row_id,first_name,last_name,date', ...Array.from({ length: CHUNKS * CHUNK_ROWS }, row), ''].join('\n');
}

/** Sends small healthy batches while the work runs. @returns milliseconds of each, from its 202 to its end */
async function probesDuring(client: BatchClient, tag: string, work: () => Promise<unknown>): Promise<number[]> {
  const probes: Promise<number>[] = [];
  let isOver = false;
  const probe = async (nth: number): Promise<number> => {
    const { id } = await client.submit(`${tag}-${nth}`, CHUNK_ROWS);
    const start = performance.now();
    const { counts } = await client.ended(id, END_MS);
    if (counts.failed > 0) throw new Error(`rows of a healthy batch failed: ${id}`);
    return performance.now() - start;
  };
  const sending = (async () => {
    for (; !isOver; await pause(PROBE_INTERVAL_MS)) probes.push(probe(probes.length));
  })();
  await work().finally(() => (isOver = true));
  await sending;
  return Promise.all(probes);
}

async function rowsOf(client: BatchClient, id: string): Promise<Pick<Result, 'failed' | 'areOthersComplete'>> {
  const lines = (await client.results(id)).trimEnd().split('\n').slice(1);
  const { text } = await client.answer(`/enrich/v1/batches/${id}/errors?format=ndjson`);
  const errors = text.split('\n').filter((line) => line !== '');
  const failed = errors.map((line) => (JSON.parse(line) as { row: number }).row);
  const isEnriched = (line: string, at: number): boolean =>
    line.startsWith(`${at + 1},`) && (failed.includes(at + 1) || /,f(,|$)/i.test(line));
  return { failed, areOthersComplete: lines.length === CHUNKS * CHUNK_ROWS && lines.every(isEnriched) };
}
