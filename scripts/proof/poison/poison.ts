import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { seeded } from '../../seeded';
import { Client } from '../chaos/client';
import { Installation, KEY, QUEUES, ROOT, until } from '../installation';
import { oneOf, whole } from '../options';
import { part, type Report } from '../report';
import { POISONS, POISON_NAMES, type PoisonName } from './poisons';
import { Probes } from './probes';

const CHUNK_ROWS = 500;
const CHUNKS = 5;
/** In the middle of the middle chunk. */
const POISONED_ROW = 1_250;
const CALM_MS = 10_000;
const FINAL_MS = 600_000;
const MOST_DELAY_MS = 5_000;
/** Small, so that a row that eats memory ends its worker and not the machine. */
const HEAP = '--max-old-space-size=256';

interface Found {
  readonly poison: PoisonName;
  readonly seconds: number;
  /** Until the chunks of its batch that have no such row were done, milliseconds. */
  readonly healthyMs: number;
  readonly deaths: number;
  /** Numbers of the rows that failed. */
  readonly failed: readonly number[];
  readonly isWhole: boolean;
  readonly calm: readonly number[];
  readonly meanwhile: readonly number[];
}

/** Rows that end or stop whoever enriches them: they fail, and nothing else does. */
export const poison = part({
  what: 'rows that throw, loop, exhaust memory or exit the worker',
  options: { workers: whole(2, 1), queue: oneOf(QUEUES, 'redis') },
  async run({ workers, queue }) {
    const installation = await Installation.start({
      processes: { worker: workers },
      queue,
      nodeOptions: [HEAP, '-r', join(ROOT, 'dist/scripts/proof/poison/misbehaving.js')],
      environment: { CHUNK_ROWS: String(CHUNK_ROWS), GEOCODE_PATIENCE_SECONDS: '0' },
    });
    try {
      const found: Found[] = [];
      for (const name of POISON_NAMES) found.push(await run(installation, name));
      return reportOf(found, workers);
    } finally {
      await installation.stop();
    }
  },
});

async function run(installation: Installation, name: PoisonName): Promise<Found> {
  const client = new Client(installation.apiUrls, seeded(1));
  const calm = await during(new Probes(client, `calm-${name}`), () => pause(CALM_MS));
  const before = deathsOf(installation);
  const started = performance.now();
  let [id, healthyMs, seconds] = ['', NaN, NaN];
  const meanwhile = await during(new Probes(client, `beside-${name}`), async () => {
    const leastProbes = pause(CALM_MS);
    id = await submitted(installation.apiUrls[0], name);
    const submittedAt = performance.now();
    const healthy = async (): Promise<boolean> => (await client.batch(id)).counts.done >= (CHUNKS - 1) * CHUNK_ROWS;
    await until(`the chunks beside a row that ${POISONS[name]} are done`, healthy, FINAL_MS);
    healthyMs = performance.now() - submittedAt;
    await until(`the batch with a row that ${POISONS[name]} is final`, () => isFinal(client, id), FINAL_MS);
    seconds = (performance.now() - started) / 1000;
    await leastProbes;
  });
  const { failed, isWhole } = await rowsOf(installation.apiUrls[0], client, id);
  process.stderr.write(`${POISONS[name]}: ${Math.round(seconds)} s, rows ${failed.join(' ')} failed\n`);
  const deaths = deathsOf(installation) - before;
  return { poison: name, seconds, healthyMs, deaths, failed, isWhole, calm, meanwhile };
}

async function during(probes: Probes, work: () => Promise<unknown>): Promise<readonly number[]> {
  probes.start();
  await work().catch(async (error: unknown) => {
    await probes.stop().catch(() => []);
    throw error;
  });
  return probes.stop();
}

const deathsOf = (installation: Installation): number =>
  installation.of('worker').reduce((sum, { deaths }) => sum + deaths, 0);

const isFinal = async (client: Client, id: string): Promise<boolean> =>
  ['completed', 'failed', 'cancelled'].includes((await client.batch(id)).state);

async function submitted(api: string, name: PoisonName): Promise<string> {
  const row = (_: unknown, at: number): string =>
    `${at + 1},Mary,${at + 1 === POISONED_ROW ? name : 'Smith'},2016-03-01`;
  const rows = Array.from({ length: CHUNKS * CHUNK_ROWS }, row);
  const response = await fetch(`${api}/enrich/v1/batches?type=contributions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'text/csv' },
    body: ['row_id,first_name,last_name,date', ...rows, ''].join('\n'),
  });
  if (response.status !== 202) throw new Error(`${response.status} ${await response.text()}`);
  return ((await response.json()) as { id: string }).id;
}

/** Which rows failed, and whether all others are there, in order and enriched. */
async function rowsOf(api: string, client: Client, id: string): Promise<{ failed: number[]; isWhole: boolean }> {
  const lines = (await client.results(id)).trimEnd().split('\n').slice(1);
  const response = await fetch(`${api}/enrich/v1/batches/${id}/errors?format=ndjson`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  const errors = (await response.text())
    .trim()
    .split('\n')
    .filter((line) => line !== '');
  const failed = errors.map((line) => (JSON.parse(line) as { row: number }).row);
  const isWhole =
    lines.length === CHUNKS * CHUNK_ROWS &&
    lines.every((line, at) => line.startsWith(`${at + 1},`) && (failed.includes(at + 1) || /,f(,|$)/i.test(line)));
  return { failed, isWhole };
}

function reportOf(found: readonly Found[], workers: number): Report {
  const median = (ms: readonly number[]): number => [...ms].sort((a, b) => a - b)[Math.floor(ms.length / 2)] ?? NaN;
  const delay = ({ calm, meanwhile }: Found): number => Math.max(0, ...meanwhile) - median(calm);
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
  const isExact = ({ failed, isWhole }: Found): boolean => isWhole && failed.join() === String(POISONED_ROW);
  return {
    document: 'reliability',
    columns: [
      'a row that',
      'rows failed',
      'others whole',
      'batch done after',
      'its four healthy chunks after',
      'workers ended',
      'healthy batches beside it',
      'their median: calm / beside it',
      'longest delay of one',
    ],
    rows: found.map((one) => [
      POISONS[one.poison],
      `${one.failed.length}${isExact(one) ? ', the right one' : `: ${one.failed.slice(0, 5).join(' ')}`}`,
      one.isWhole ? 'yes' : 'no',
      `${one.seconds.toFixed(0)} s`,
      seconds(one.healthyMs),
      one.deaths,
      one.meanwhile.length,
      `${seconds(median(one.calm))} / ${seconds(median(one.meanwhile))}`,
      seconds(delay(one)),
    ]),
    notes: [`${workers} workers; each batch has ${CHUNKS} chunks of ${CHUNK_ROWS} rows, of which one row misbehaves.`],
    passed: found.every(
      (one) => isExact(one) && delay(one) <= MOST_DELAY_MS && one.healthyMs - median(one.calm) <= MOST_DELAY_MS,
    ),
  };
}
