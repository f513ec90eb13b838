import { statfs } from 'node:fs/promises';
import { type Config, isHttpUrl, isPooled } from '@donorlens/config';
import {
  INSTALLATION_MESSAGES,
  STANDBY_MESSAGE,
  assertSchemaIsCurrent,
  durabilityWarnings,
  installationState,
  isStandby,
} from '@donorlens/database';
import {
  type PostgresBinaries,
  describePostgres,
  findPostgresBinaries,
  findRedisServer,
  postgresFor,
} from '@donorlens/local-servers';
import { checkRedis } from '@donorlens/queues';
import { ReleaseRepository } from '@donorlens/reference-data';
import { messageOf } from '../exit-code';
import { readStatus, geocoderLine, isBlocked } from '../geocode/geocode-status';
import { type Home, type RunInfo } from '../home/home';
import { readOverallStatus } from '../ops/ops';
import { shownUrl } from '../start/banner';
import { listenablePort } from '../start/port';
import { withPool } from '../with-pool';

/** Result of one check. `warn` means that it works but needs attention. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly text: string;
}

export interface CheckContext {
  readonly config: Config;
  readonly home: Home;
  readonly run: RunInfo | null;
  readonly path: string;
}

const MIN_FREE_BYTES = 2e9;
/** Behind a transaction pooler the timeouts must be set for the database role. */
const MISSING_TIMEOUTS =
  'bin/donorlens migrate sets them for the role, and the pooler gets them when it reconnects (RECONNECT)';
const SITE = 'https://www.ssa.gov/oact/babynames/limits.html';

const finding = (check: string, state: Finding['state'], text: string): Finding => ({ check, state, text });

export async function examine(context: CheckContext): Promise<Finding[]> {
  const checks = { node, home: homeFolder, database, queue, port, release, alerts, geocoder, network };
  return Promise.all(
    Object.entries(checks).map(([name, check]) =>
      check(context).catch((error: unknown) => finding(name, 'fail', messageOf(error))),
    ),
  );
}

function node(): Promise<Finding> {
  const old = process.version.startsWith('v20.');
  const text = old ? `${process.version} works, but gets no more security fixes: 22, 24 or 26 do` : process.version;
  return Promise.resolve(finding('node', old ? 'warn' : 'ok', text));
}

async function homeFolder({ home }: CheckContext): Promise<Finding> {
  home.create();
  const { bavail, bsize } = await statfs(home.root);
  const free = bavail * bsize;
  const isFull = free < MIN_FREE_BYTES;
  const advice = isFull ? `; ${(MIN_FREE_BYTES / 1e9).toFixed(0)} GB or more are needed` : '';
  return finding('home', isFull ? 'warn' : 'ok', `${home.root}, ${(free / 1e9).toFixed(1)} GB free${advice}`);
}

async function database({ config, home, run, path }: CheckContext): Promise<Finding> {
  const url = run?.databaseUrl ?? config.databaseUrl;
  if (url) {
    const { timeout, commit, warnings } = await withPool(url, async (pool) => {
      await assertSchemaIsCurrent(pool);
      const { rows } = await pool.query<{ timeout: string; commit: string }>(
        `select current_setting('statement_timeout') as timeout, current_setting('synchronous_commit') as commit`,
      );
      const state = await installationState(pool);
      return {
        ...rows[0],
        warnings: [
          ...((await isStandby(pool)) ? [STANDBY_MESSAGE] : []),
          ...(await durabilityWarnings(pool)),
          ...(state === 'confirmed' ? [] : [INSTALLATION_MESSAGES[state]]),
        ],
      };
    });
    if (warnings.length > 0) return finding('database', 'warn', warnings.join('; '));
    if (isPooled(url) && timeout === '0')
      return finding('database', 'warn', `${shownUrl(url)} answers, but without timeouts: ${MISSING_TIMEOUTS}`);
    const note = commit === 'off' ? '; synchronous_commit is off, donorlens turns it on for what it confirms' : '';
    const isOwn = run?.processes.postgres !== undefined;
    const own = isOwn ? `${describePostgres(ownPostgres(home, path).chosen)} at ` : '';
    return finding('database', 'ok', `${own}${shownUrl(url)} answers, its schema is current${note}`);
  }
  const { chosen, best } = ownPostgres(home, path);
  const isOther = chosen.major !== best.major;
  const note = isOther ? `; bin/donorlens upgrade moves the data to ${describePostgres(best)}` : '';
  return finding('database', 'ok', `${describePostgres(chosen)} will be started${note}`);
}

/** The Postgres that `npm start` runs on this home, and the one that it would run on a new home. */
function ownPostgres(home: Home, path: string): { chosen: PostgresBinaries; best: PostgresBinaries } {
  const binaries = findPostgresBinaries(path);
  return { chosen: postgresFor(home.postgres, binaries), best: binaries[0] };
}

async function queue({ config, run, path }: CheckContext): Promise<Finding> {
  const url = run?.redisUrl ?? config.redisUrl;
  if (url)
    return (await checkRedis(url))
      ? finding('queue', 'ok', `Redis at ${shownUrl(url)} answers and does not evict keys`)
      : finding('queue', 'fail', `Redis at ${shownUrl(url)} does not answer: start it, or correct REDIS_URL`);
  if (run || (config.queueBackendForced && config.queueBackend === 'postgres'))
    return finding('queue', 'ok', 'in the database');
  const binary = findRedisServer(path);
  return finding(
    'queue',
    'ok',
    binary ? `${binary.path} ${binary.version} will be started` : 'in the database: no redis-server on the PATH',
  );
}

async function port({ config, run }: CheckContext): Promise<Finding> {
  if (run) return finding('port', 'ok', `donorlens serves ${run.url}`);
  await listenablePort(config.port, config.host);
  return finding('port', 'ok', `${config.port} on ${config.host} is free`);
}

/** Undefined if no database is configured or running. */
async function activeRelease({ config, run }: CheckContext) {
  const url = run?.databaseUrl ?? config.databaseUrl;
  return url ? withPool(url, (pool) => new ReleaseRepository(pool).active()) : undefined;
}

async function release(context: CheckContext): Promise<Finding> {
  const active = await activeRelease(context);
  if (active === undefined) return finding('release', 'ok', 'not checked: no service is running');
  if (!active) return finding('release', 'warn', 'no data release yet: run bin/donorlens refresh');
  const state = active.label === 'sample' ? 'warn' : 'ok';
  const more =
    active.label === 'sample' ? ': small and synthetic, bin/donorlens refresh fetches the official files' : '';
  return finding('release', state, `${active.id} (${active.label})${more}`);
}

async function alerts({ config, run }: CheckContext): Promise<Finding> {
  if (!run) return finding('alerts', 'ok', 'not checked: no service is running');
  const { text, hasAlerts } = await readOverallStatus(run, config);
  return hasAlerts
    ? finding('alerts', 'warn', `${text} See bin/donorlens ops status`)
    : finding('alerts', 'ok', text.replace(/\.$/, ''));
}

/** Reports the geocoder state stored in the database. It does not call the geocoder. */
async function geocoder({ run }: CheckContext): Promise<Finding> {
  if (!run) return finding('geocoder', 'ok', 'not checked: no service is running');
  const status = await readStatus(run.databaseUrl);
  return finding('geocoder', isBlocked(status) ? 'warn' : 'ok', geocoderLine(status));
}

async function network(context: CheckContext): Promise<Finding> {
  const { dataSource } = context.config;
  const isUrl = isHttpUrl(dataSource);
  if (dataSource && !isUrl)
    return finding('network', 'ok', 'not needed for the reference data: DATA_SOURCE is a folder');
  try {
    await fetch(isUrl ? dataSource : SITE, { method: 'HEAD', signal: AbortSignal.timeout(5_000) });
    return finding('network', 'ok', 'the publishers of the reference data can be reached');
  } catch {
    const active = await activeRelease(context).catch(() => null); // the database check reports the error
    if (active && active.label !== 'sample')
      return finding('network', 'ok', `not needed for the active data release, ${active.id}`);
    return finding('network', 'warn', 'the publishers of the reference data cannot be reached: set DATA_SOURCE');
  }
}
