import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeSampleFiles } from '@donorlens/fec-sample';
import { whole } from '../../command/options';
import { Installation, type Role, until } from '../../../test/support/installation';
import { scenario, type Stage } from '../scenario';
import { type BatchClient, type Batch, contributionsCsv, HEADERS, sendBatches } from '../support/batch-client';
import { RestartingCluster, RestartingPooler, POOL_SIZE } from '../../../test/support/installation/cluster-servers';
import { runApp } from '../support/operator';
import { type Verification, VERIFICATION_CHECKS, VERIFICATION_COLUMNS, verify } from '../support/verification';

const CLIENTS = 3;
/** Cycles of the import. The sample that the first start imports has only later cycles. */
const CYCLES = [2012, 2016] as const;
const END_MS = 600_000;
const BETWEEN_KILLS_MS = 2_000;
const MAX_TRIES = 20;

const options = { rows: whole(100_000, 1), kills: whole(6), replicas: whole(3, 1) };

interface Result {
  readonly found: Verification;
  readonly contributions: { readonly lines: number; readonly stored: number; readonly tries: number };
  readonly cancelledAs: string;
  /** Names of operator views that show wrong values. */
  readonly wrongViews: readonly string[];
  readonly killed: readonly string[];
  readonly isRefused: boolean;
  readonly repeatedRequests: number;
}

/** Servers of the current run, which its faults kill. */
let redis: RestartingCluster;
let pooler: RestartingPooler;

export const cluster = scenario<typeof options, Result>({
  promise: 'Replicas of each role work behind a Redis Cluster and PgBouncer, also while servers and roles are killed',
  options,
  setUp: async ({ replicas }) => {
    redis = await RestartingCluster.start();
    pooler = new RestartingPooler();
    return {
      processes: { api: replicas, worker: replicas, aggregator: replicas },
      withGeocoder: true,
      environment: { CHUNK_ROWS: '500', LOG_LEVEL: 'warn' },
      redisUrl: redis.url,
      databaseUrl: (url: string) => pooler.start(url),
      dispose: () => Promise.all([redis.stop(), pooler.stop()]),
    };
  },
  execute: async (stage, run) => {
    const { client, installation } = stage;
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
    const found = await verify(stage, accepted, END_MS);
    const isRefused = await refusesQueueInPostgres(installation);
    const views = [...wrongBefore, ...(await wrongViews(installation))];
    Installation.versions.add(`Redis ${redis.holder.version}`).add(`PgBouncer ${pooler.running.version}`);
    const repeatedRequests = client.repeated;
    return { found, contributions, cancelledAs, wrongViews: views, killed, isRefused, repeatedRequests };
  },
  columns: {
    processes: ({ replicas }) => `${replicas} of each role`,
    'kill -9': ({ killed }) => killed.join(', '),
    'rows sent': ({ rows }) => rows,
    ...VERIFICATION_COLUMNS,
    'contributions stored / in the file': ({ contributions }) => `${contributions.stored} / ${contributions.lines}`,
    'import commands until one succeeded': ({ contributions }) => contributions.tries,
    'state of the cancelled batch': ({ cancelledAs }) => cancelledAs,
    'wrong views, before and after': ({ wrongViews: wrong }) => wrong.join(', ') || 'none',
    'queue in Postgres behind PgBouncer': ({ isRefused }) => (isRefused ? 'refused' : 'not refused'),
    'requests repeated': ({ repeatedRequests }) => repeatedRequests,
    seconds: ({ seconds }) => Math.round(seconds),
  },
  checks: {
    ...VERIFICATION_CHECKS,
    'every contribution of the file is stored once': ({ contributions }) =>
      contributions.stored === contributions.lines,
    'the cancelled batch is cancelled': ({ cancelledAs }) => cancelledAs === 'cancelled',
    'views of operators are right': ({ wrongViews: wrong }) => wrong.length === 0,
    'a queue in Postgres behind PgBouncer is refused': ({ isRefused }) => isRefused,
  },
  notes: () => [
    `Redis Cluster of three nodes; PgBouncer with pool_mode transaction and ${POOL_SIZE} connections to Postgres.`,
  ],
});

/** Names the operator views that show wrong values while all servers run. */
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
    '/ops/queues': /<code>enrich<(?!.*does not answer)/s.test(await view('/ops/queues')),
  };
  return Object.keys(views).filter((name) => !views[name]);
}

/** Repeats a command until it succeeds, as an operator does after an interruption. @returns the number of runs */
async function retried({ environment }: Installation, args: readonly string[]): Promise<number> {
  for (let tries = 1; ; tries++) {
    const { code, err } = await runApp('cli', args, environment);
    if (code === 0) return tries;
    if (tries === MAX_TRIES) throw new Error(`donorlens ${args.join(' ')} ended with ${code}: ${err.trim()}`);
  }
}

/** @returns the final state of the batch */
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
    const second = await runApp('cli', [...args, '--again', '--json'], installation.environment);
    if (second.code !== 0) throw new Error(`a second import of the same file fails: ${second.err.trim()}`);
    const { contributions } = JSON.parse(second.out) as { contributions: { kept: number } };
    say('contributions are imported');
    const sql = 'select count(*)::int as stored from contribution where file_cycle = $1';
    const stored = (await pool.query<{ stored: number }>(sql, [CYCLES[1]])).rows[0].stored;
    return { lines: contributions.kept, stored, tries };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Rotates kill -9: the Redis node with the jobs, PgBouncer, a worker, another node, an aggregator, an api. */
async function killInTurn(
  { installation, pool, say }: Stage,
  times: number,
  pace: { kills: number },
): Promise<string[]> {
  const role = (name: Role) => [name, () => installation.of(name)[0].signal('SIGKILL')] as const;
  const victims: readonly (readonly [string, () => unknown])[] = [
    ['node with the jobs', () => redis.holder.kill()],
    ['PgBouncer', () => pooler.running.kill()],
    role('worker'),
    ['another node', () => redis.other.kill()],
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

/** Checks that a worker with its queue in Postgres exits with the code for a wrong environment and says what to do. */
async function refusesQueueInPostgres({ environment }: Installation): Promise<boolean> {
  const { code, out, err } = await runApp('worker', [], { ...environment, QUEUE_BACKEND: 'postgres' });
  return code === 2 && /set REDIS_URL/.test(out + err);
}
