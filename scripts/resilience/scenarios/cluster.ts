import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as yauzl from 'yauzl';
import { CAMPAIGN_COMMITTEES, JOINT_FUNDRAISER, writeSampleFiles } from '@donorlens/fec-sample';
import { CELL, FIELD_SEPARATOR, ItcontScanner } from '@donorlens/tabular';
import { flag, whole } from '../../command/options';
import { Installation, type Role, until } from '../../../test/support/installation';
import { type Finding, scenario, type Stage } from '../scenario';
import { type BatchClient, type Batch, contributionsCsv, HEADERS, sendBatches } from '../support/batch-client';
import { RestartingCluster, RestartingPooler, POOL_SIZE } from '../../../test/support/installation/cluster-servers';
import { runApp } from '../support/operator';
import { type Verification, VERIFICATION_CHECKS, VERIFICATION_COLUMNS, verify } from '../support/verification';

const CLIENTS = 3;
/** The sample that a first start imports has later cycles. */
const CYCLES = [2012, 2016] as const;
const END_MS = 600_000;
const BETWEEN_KILLS_MS = 2_000;
const MAX_TRIES = 20;

const options = {
  'redis-cluster': flag,
  pgbouncer: flag,
  rows: whole(100_000, 1),
  kills: whole(6),
  replicas: whole(3, 1),
};

interface Result {
  readonly found: Verification;
  readonly contributions: { readonly lines: number; readonly stored: number; readonly tries: number };
  readonly cancelledAs: string;
  /** Views of operators that are wrong. */
  readonly wrongViews: readonly string[];
  readonly killed: readonly string[];
  readonly isRefused: boolean | null;
  readonly repeatedRequests: number;
}
type Found = Finding<typeof options, Result>;

/** With neither option, both are meant. */
const hasCluster = (run: { 'redis-cluster': boolean; pgbouncer: boolean }): boolean =>
  run['redis-cluster'] || !run.pgbouncer;
const hasPooler = (run: { 'redis-cluster': boolean; pgbouncer: boolean }): boolean =>
  run.pgbouncer || !run['redis-cluster'];

/** Servers of the current run, which its faults kill. */
let redis: RestartingCluster | undefined;
let pooler: RestartingPooler | undefined;

export const cluster = scenario<typeof options, Result>({
  promise: 'Replicas of each role work behind a Redis Cluster and PgBouncer, also while servers and roles are killed',
  options,
  setUp: async (run) => {
    redis = hasCluster(run) ? await RestartingCluster.start() : undefined;
    pooler = hasPooler(run) ? new RestartingPooler() : undefined;
    return {
      processes: { api: run.replicas, worker: run.replicas, aggregator: run.replicas },
      withGeocoder: true,
      environment: { CHUNK_ROWS: '500', LOG_LEVEL: 'warn' },
      ...(redis && { redisUrl: redis.url }),
      ...(pooler && { databaseUrl: (url: string) => pooler!.start(url) }),
      dispose: () => Promise.all([redis?.stop(), pooler?.stop()]),
    };
  },
  execute: async (stage, run) => {
    const { client, installation, pool } = stage;
    const [api] = installation.apiUrls;
    const wrongBefore = await wrongViews(installation);
    for (const action of ['pause', 'resume']) await retried(installation, ['queues', action, 'enrich']);
    const pace = { kills: 0 };
    const smaller = Math.min(run.rows, 20_000);
    const batchRows = Math.min(10_000, Math.max(500, Math.ceil(run.rows / 20)));
    const [accepted, contributions, cancelledAs, killed] = await Promise.all([
      sendBatches(
        client,
        { tag: '', rows: run.rows, batchRows, clients: CLIENTS },
        (nth, batches) => run.kills === 0 || nth / batches < pace.kills / run.kills,
      ),
      importContributions(stage, smaller),
      cancelBatch(client, smaller),
      killInTurn(stage, run.kills, pace),
    ]);
    await client.allEnded(accepted, END_MS);
    const found = await verify(client, accepted, { api, pool });
    const isRefused = pooler ? await refusesQueueInPostgres(installation) : null;
    const views = [...wrongBefore, ...(await wrongViews(installation))];
    if (redis) Installation.versions.add(`Redis ${redis.holder.version}`);
    if (pooler) Installation.versions.add(`PgBouncer ${pooler.running.version}`);
    const repeatedRequests = client.repeated;
    return { found, contributions, cancelledAs, wrongViews: views, killed, isRefused, repeatedRequests };
  },
  rows: ([found]) => ({ columns: ['', 'found'], rows: rowsOf(found) }),
  checks: {
    ...VERIFICATION_CHECKS,
    'every contribution of the file is stored once': ({ contributions }) =>
      contributions.stored === contributions.lines,
    'the cancelled batch is cancelled': ({ cancelledAs }) => cancelledAs === 'cancelled',
    'views of operators are right': ({ wrongViews: wrong }) => wrong.length === 0,
    'a queue in Postgres behind PgBouncer is refused': ({ isRefused }) => isRefused !== false,
  },
});

const rowsOf = (found: Found): (readonly [string, string | number])[] => [
  ['queue', hasCluster(found) ? 'Redis Cluster, three nodes' : 'one Redis'],
  ['database', hasPooler(found) ? `PgBouncer, pool_mode transaction, ${POOL_SIZE} connections` : 'Postgres'],
  ['processes', `${found.replicas} of each role`],
  ['kill -9', found.killed.join(', ')],
  ['rows sent', found.rows],
  ...Object.entries(VERIFICATION_COLUMNS).map(([name, cell]) => [name, cell(found)] as const),
  ['contributions stored / in the file', `${found.contributions.stored} / ${found.contributions.lines}`],
  ['import commands until one succeeded', found.contributions.tries],
  ['state of the cancelled batch', found.cancelledAs],
  ['wrong views, before and after', found.wrongViews.join(', ') || 'none'],
  ['requests repeated', found.repeatedRequests],
  ['seconds', Math.round(found.seconds)],
  ...(found.isRefused === null
    ? []
    : [['QUEUE_BACKEND=postgres behind PgBouncer', found.isRefused ? 'refused' : 'not refused'] as const]),
];

/** Names what operators look at and that is wrong, while all servers run. */
async function wrongViews({ apiUrls, environment }: Installation): Promise<string[]> {
  const view = async (path: string): Promise<string> => {
    const answer = await fetch(apiUrls[0] + path, { headers: HEADERS });
    return answer.ok ? answer.text() : '';
  };
  const [doctor, queues] = await Promise.all(
    ['doctor', 'queues'].map((name) => runApp('cli', [name, '--json'], environment)),
  );
  const findings = JSON.parse(doctor.out) as readonly { check: string; state: string }[];
  const isHealthy = (check: string): boolean =>
    findings.some((finding) => finding.check === check && finding.state !== 'fail');
  const views: Record<string, boolean> = {
    doctor: isHealthy('database') && isHealthy('queue'),
    queues: queues.code === 0 && !queues.out.includes('"jobs": null'),
    metrics: /^donorlens_invariant_violations(?:\{[^}]*\})? 0$/m.test(await view('/metrics')),
    '/ops': (await view('/ops')).includes('enrich'),
    '/ops/queues': (await view('/ops/queues/api/queues')).includes('"enrich"'),
  };
  return Object.keys(views).filter((name) => !views[name]);
}

/** Repeats a command that was interrupted, as an operator does. @returns how often it was run */
async function retried({ environment }: Installation, args: readonly string[]): Promise<number> {
  for (let tries = 1; ; tries++) {
    const { code, err } = await runApp('cli', args, environment);
    if (code === 0) return tries;
    if (tries === MAX_TRIES) throw new Error(`donorlens ${args.join(' ')} ended with ${code}: ${err.trim()}`);
  }
}

/** @returns its final state */
async function cancelBatch(client: BatchClient, rows: number): Promise<string> {
  const { id } = await client.submit('x', rows, contributionsCsv('x', rows, Infinity));
  await client.json<Batch>(`/enrich/v1/batches/${id}/cancel`, { method: 'POST' });
  return (await client.ended(id, END_MS)).state;
}

/** Imports contributions of a synthetic campaign twice; the second import must change nothing. */
async function importContributions({ installation, pool, say }: Stage, rows: number): Promise<Result['contributions']> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-fec-'));
  try {
    await writeSampleFiles(folder, { rows, cycles: CYCLES });
    const args = ['import', 'fec', '--cycle', String(CYCLES[1]), '--source', folder];
    const tries = await retried(installation, args);
    const second = await runApp('cli', args, installation.environment);
    if (second.code !== 0) throw new Error(`a second import of the same file fails: ${second.err.trim()}`);
    say('contributions are imported');
    const sql = 'select count(*)::int as stored from contribution where file_cycle = $1';
    const stored = (await pool.query<{ stored: number }>(sql, [CYCLES[1]])).rows[0].stored;
    return { lines: await contributionsIn(folder), stored, tries };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Distinct contributions of the file. */
async function contributionsIn(folder: string): Promise<number> {
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
    for await (const part of await zip.openReadStreamPromise(entry)) scanner.push(part as Buffer);
  scanner.finish();
  return rows.size;
}

/** kill -9 in rotation: the Redis node with the jobs, PgBouncer, a worker, another node, an aggregator, an api. */
async function killInTurn(
  { installation, pool, say }: Stage,
  times: number,
  pace: { kills: number },
): Promise<string[]> {
  const role = (name: Role) => [name, () => installation.of(name)[0].signal('SIGKILL')] as const;
  const victims: readonly (readonly [string, () => unknown])[] = [
    ...(redis ? [['node with the jobs', () => redis!.holder.kill()] as const] : []),
    ...(pooler ? [['PgBouncer', () => pooler!.running.kill()] as const] : []),
    role('worker'),
    ...(redis ? [['another node', () => redis!.other.kill()] as const] : []),
    role('aggregator'),
    role('api'),
  ];
  const killed: string[] = [];
  for (let nth = 0; nth < times; nth++) {
    await pause(BETWEEN_KILLS_MS);
    pace.kills++;
    const isBusy = async (): Promise<boolean> =>
      (await pool.query(`select from chunk where state in ('pending', 'queued', 'leased') limit 1`)).rowCount === 1;
    await until('chunks are open', isBusy, END_MS);
    const [name, kill] = victims[nth % victims.length];
    await kill();
    killed.push(name);
    say(`kill -9: ${name}`);
  }
  return killed;
}

/** A start with the queue in Postgres must end with the exit code for a wrong environment and say what to do. */
async function refusesQueueInPostgres({ environment }: Installation): Promise<boolean> {
  const { code, out, err } = await runApp('worker', [], { ...environment, QUEUE_BACKEND: 'postgres' });
  return code === 2 && /set REDIS_URL/.test(out + err);
}
