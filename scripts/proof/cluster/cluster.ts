import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CELL, ItcontScanner } from '@donorlens/campaign-finance';
import { CAMPAIGN_COMMITTEES, JOINT_FUNDRAISER, writeSampleFiles } from '@donorlens/fec-sample';
import { FIELD_SEPARATOR } from '@donorlens/primitives';
import pg from 'pg';
import * as yauzl from 'yauzl';
import { seeded } from '../../seeded';
import { type Accepted, Client } from '../chaos/client';
import { type Count, countAtClient, countInDatabase } from '../chaos/count';
import { violationsAt } from '../chaos/violations';
import { Installation, until } from '../installation';
import { madeUpGeocoder } from '../made-up-geocoder';
import { flag, whole } from '../options';
import { part, type Report } from '../report';
import { cancelled, lookedAt, pausedAndResumed } from './around';
import { insisted, ran } from './commands';
import { KeptCluster, KeptPooler, POOL_SIZE } from './servers';

interface Asked {
  readonly redisCluster: boolean;
  readonly pgbouncer: boolean;
  readonly rows: number;
  readonly kills: number;
  /** Processes of each role. */
  readonly replicas: number;
}

const CLIENTS = 3;
/** The sample that a first start imports has later ones. */
const CYCLES = [2012, 2016] as const;
const SETTLE_MS = 600_000;
const BETWEEN_MS = 2_000;

/** Replicas of each role behind a Redis Cluster and PgBouncer, whose processes are killed under work. */
export const cluster = part({
  what: 'Redis Cluster, PgBouncer in transaction mode, replicas of each role',
  options: {
    'redis-cluster': flag,
    pgbouncer: flag,
    rows: whole(100_000, 1),
    kills: whole(6),
    replicas: whole(3, 1),
  },
  async run({ 'redis-cluster': redisCluster, pgbouncer, ...asked }) {
    const both = redisCluster === pgbouncer; // neither is said: both are meant
    return reportOf(await run({ ...asked, redisCluster: both || redisCluster, pgbouncer: both || pgbouncer }));
  },
});

interface Found extends Asked {
  readonly count: Count;
  readonly chunks: number;
  readonly repeatedChunks: number;
  readonly violations: number;
  readonly contributions: { readonly lines: number; readonly stored: number; readonly times: number };
  readonly cancelledAs: string;
  /** What operators look at and does not tell right. */
  readonly wrongViews: readonly string[];
  readonly repeatedRequests: number;
  readonly killed: readonly string[];
  readonly seconds: number;
  /** What a start with the queue in the database says behind PgBouncer. */
  readonly refusal: string | null;
  readonly versions: readonly string[];
}

const say = (text: string): void => void process.stderr.write(`cluster: ${text}\n`);

async function run(asked: Asked): Promise<Found> {
  const geocoder = await madeUpGeocoder();
  const redis = asked.redisCluster ? await KeptCluster.start() : undefined;
  const pooler = asked.pgbouncer ? new KeptPooler() : undefined;
  try {
    return await installed(asked, geocoder.url, { redis, pooler });
  } finally {
    await Promise.all([redis?.stop(), pooler?.stop(), geocoder.stop()]);
  }
}

async function installed(asked: Asked, geocoderUrl: string, servers: Servers): Promise<Found> {
  const { redis, pooler } = servers;
  const installation = await Installation.start({
    processes: { api: asked.replicas, worker: asked.replicas, aggregator: asked.replicas },
    ...{ queue: 'redis', geocoderUrl, environment: { CHUNK_ROWS: '500', LOG_LEVEL: 'warn' } },
    ...(redis && { redisUrl: redis.url }),
    ...(pooler && { databaseUrl: (ours: string) => pooler.start(ours) }),
  });
  const started = performance.now();
  try {
    say(`ready, logs in ${installation.home}/logs`);
    const found = await worked(installation, asked, servers);
    const seconds = (performance.now() - started) / 1000;
    const refusal = pooler ? await refusalOf(installation) : null;
    const versions = [
      `PostgreSQL ${installation.postgres.version}`,
      `Redis ${(redis?.holder ?? installation.redis)?.version ?? ''}`,
      ...(pooler ? [`PgBouncer ${pooler.running.version}`] : []),
    ];
    return { ...asked, ...found, seconds, refusal, versions };
  } finally {
    await installation.stop();
  }
}

interface Servers {
  readonly redis: KeptCluster | undefined;
  readonly pooler: KeptPooler | undefined;
}

async function worked(installation: Installation, asked: Asked, servers: Servers) {
  const client = new Client(installation.apiUrls, seeded(1));
  const wrongViews = await lookedAt(installation);
  await pausedAndResumed(installation);
  say('the views of operators are right, pause and resume are done');
  const pace = { kills: 0 };
  const [accepted, contributions, cancelledAs, killed] = await Promise.all([
    sent(client, asked, pace),
    imported(installation, Math.min(asked.rows, 20_000)),
    cancelled(installation.apiUrls, Math.min(asked.rows, 20_000)),
    kills(installation, asked, servers, pace),
  ]);
  await until('every batch is final', () => allFinal(client, accepted), SETTLE_MS);
  say('every batch is final');
  const count = await countAtClient(client, accepted);
  const { chunks, repeated } = await countInDatabase(installation.postgres.url);
  const violations = await violationsAt(installation.apiUrls[0]);
  const wrongAfter = await lookedAt(installation);
  say(JSON.stringify({ ...count, chunks, repeated, violations, contributions, cancelledAs, wrongViews, wrongAfter }));
  return {
    ...{ count, chunks, repeatedChunks: repeated, violations, contributions, cancelledAs, killed },
    ...{ wrongViews: [...wrongViews, ...wrongAfter], repeatedRequests: client.repeated },
  };
}

/** Kills that were begun. */
interface Pace {
  kills: number;
}

/** A part of the batches for each kill, so that it meets work. */
async function sent(client: Client, { rows, kills: times }: Asked, pace: Readonly<Pace>): Promise<Accepted[]> {
  const batchRows = Math.min(10_000, Math.max(500, Math.ceil(rows / 20)));
  const batches = Math.ceil(rows / batchRows);
  const accepted: Accepted[] = [];
  let begun = 0;
  const one = async (): Promise<void> => {
    for (let n = begun++; n < batches; n = begun++) {
      while (n / batches >= pace.kills / times) await pause(20);
      accepted.push(await client.submit(`b${n}`, Math.min(batchRows, rows - n * batchRows)));
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, one));
  say(`${accepted.length} batches are accepted`);
  return accepted;
}

async function allFinal(client: Client, accepted: readonly Accepted[]): Promise<boolean> {
  for (const { id } of accepted)
    if (!['completed', 'failed', 'cancelled'].includes((await client.batch(id)).state)) return false;
  return true;
}

/** Contributions of a made-up campaign, with their charts, by the command; counted in the file and past every pooler. */
async function imported({ environment, postgres }: Installation, rows: number): Promise<Found['contributions']> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-made-up-'));
  try {
    await writeSampleFiles(folder, { rows, cycles: CYCLES });
    const args = ['import', 'fec', '--cycle', String(CYCLES[1]), '--source', folder];
    const { times } = await insisted(args, environment);
    const again = await ran('cli', args, environment);
    if (again.code !== 0) throw new Error(`a second import of the same file fails: ${again.err.trim()}`);
    say('contributions are imported, charts are built');
    return { lines: await rowsOf(folder), stored: await storedAt(postgres.url), times };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rows that the file's contributions make: of several lines with one number in one cycle there is one. */
async function rowsOf(folder: string): Promise<number> {
  const rows = new Set<string>();
  const committees = new Set([...CAMPAIGN_COMMITTEES, JOINT_FUNDRAISER].map(({ id }) => id));
  const scanner = new ItcontScanner(
    { committees, fileCycle: CYCLES[1] },
    {
      kept: (bytes, from, to, cycle) =>
        rows.add(`${cycle} ${bytes.toString('latin1', from, to).split(FIELD_SEPARATOR)[CELL.SUB_ID]}`),
      rejected: () => undefined,
    },
  );
  const zip = await yauzl.openPromise(join(folder, `fec/${CYCLES[1]}/indiv${String(CYCLES[1]).slice(2)}.zip`));
  for await (const entry of zip.eachEntry())
    for await (const piece of await zip.openReadStreamPromise(entry)) scanner.push(piece as Buffer);
  scanner.finish();
  return rows.size;
}

async function storedAt(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ stored: number }>(
      'select count(*)::int as stored from contribution where file_cycle = $1',
      [CYCLES[1]],
    );
    return rows[0].stored;
  } finally {
    await client.end();
  }
}

/** kill -9 in turn: the node that holds the jobs, another node, PgBouncer, a worker, the leader's kind, an api. */
async function kills(
  installation: Installation,
  { kills: times }: Asked,
  { redis, pooler }: Servers,
  pace: Pace,
): Promise<string[]> {
  const death = (role: 'api' | 'worker' | 'aggregator') => () =>
    Promise.resolve(void installation.of(role)[0].signal('SIGKILL'));
  const victims: readonly (readonly [string, () => Promise<void>])[] = [
    ...(redis ? [['node with the jobs', () => redis.holder.kill()] as const] : []),
    ...(pooler ? [['PgBouncer', () => pooler.running.kill()] as const] : []),
    ['worker', death('worker')],
    ...(redis ? [['another node', () => redis.other.kill()] as const] : []),
    ['aggregator', death('aggregator')],
    ['api', death('api')],
  ];
  const killed: string[] = [];
  for (let n = 0; n < times; n++) {
    await pause(BETWEEN_MS);
    pace.kills++;
    await until('chunks are in work', () => areChunksOpen(installation.postgres.url), SETTLE_MS);
    const [name, strike] = victims[n % victims.length];
    await strike();
    killed.push(name);
    say(`kill -9: ${name}`);
  }
  return killed;
}

/** Past every pooler. */
async function areChunksOpen(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (
      (await client.query(`select from chunk where state in ('pending', 'queued', 'leased') limit 1`)).rowCount === 1
    );
  } finally {
    await client.end();
  }
}

/** A start with the queue in the database must not half work: it ends with the code for a wrong environment and says what to do. */
async function refusalOf({ environment }: Installation): Promise<string> {
  const { code, out, err } = await ran('worker', [], { ...environment, QUEUE_BACKEND: 'postgres' });
  return code === 2 && /set REDIS_URL/.test(out + err) ? 'refused' : `not refused: code ${code}`;
}

const isKept = ({ count, violations, contributions, cancelledAs, wrongViews, refusal }: Found): boolean =>
  count.lost + count.duplicated + count.misplaced + count.wrongBatches.length + violations + wrongViews.length === 0 &&
  contributions.stored === contributions.lines &&
  cancelledAs === 'cancelled' &&
  (refusal === null || refusal === 'refused');

function reportOf(found: Found): Report {
  const { count, contributions } = found;
  return {
    document: 'reliability',
    columns: ['', 'found'],
    rows: [
      ['jobs', found.redisCluster ? 'Redis Cluster, three nodes' : 'one Redis'],
      ['database', found.pgbouncer ? `PgBouncer, pool_mode transaction, ${POOL_SIZE} connections` : 'Postgres itself'],
      ['processes', `${found.replicas} of each role`],
      ['kill -9', found.killed.join(', ')],
      ['rows sent', found.rows],
      ['lost', count.lost],
      ['doubled', count.duplicated],
      ['out of place', count.misplaced],
      ['batches not whole', count.wrongBatches.length],
      ['violations', found.violations],
      [
        'contributions imported, of',
        `${contributions.stored}, ${contributions.lines}; the command was given ${contributions.times} times`,
      ],
      ['a batch that was cancelled is', found.cancelledAs],
      ['views that tell wrong, before and after', found.wrongViews.join(', ') || 'none'],
      ['chunk runs repeated', `${((100 * found.repeatedChunks) / found.chunks).toFixed(1)} %`],
      ['requests repeated', found.repeatedRequests],
      ['seconds', Math.round(found.seconds)],
      ...(found.refusal === null ? [] : [['QUEUE_BACKEND=postgres behind it', found.refusal]]),
    ],
    versions: found.versions,
    passed: isKept(found),
  };
}
