import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type RowCounts, restoreBackup, writeBackup } from '@donorlens/database';
import {
  type PostgresBinaries,
  describePostgres,
  findPostgresBinaries,
  finishReplacement,
  majorOfData,
  passwordFileOf,
  postgresFor,
  replaceDataDirectory,
  startPostgres,
} from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { codeOf, EXIT, type ExitCode, usageError } from '../exit-code';
import { type Home } from '../home/home';
import { lockHome } from '../home/home-lock';
import { withKeys } from '../keys/open-keys';
import { clientContext, type Context } from '../program-context';
import { searchPath } from '../start/layers';
import { withPool } from '../with-pool';
import { type JsonOption, report } from './backup';

const OF_DONORLENS = 'For an upgrade of donorlens see "Upgrade" in docs/runbook.md';

/**
 * Copies the database of the home from a server of its major version into a new data directory of the preferred one,
 * then swaps the directories. The old data is kept. After an interruption the operator can run the command again.
 * @param binaries - installed Postgres versions, the preferred one first
 */
export async function upgrade(
  context: Context,
  options: JsonOption,
  binaries: readonly PostgresBinaries[] = findPostgresBinaries(searchPath()),
): Promise<ExitCode> {
  const { config, home } = clientContext();
  if (config.databaseUrl !== undefined)
    throw usageError(
      `DATABASE_URL is set, but this command upgrades only the Postgres of DONORLENS_HOME: unset it. ${OF_DONORLENS}`,
    );
  home.create();
  const unlock = lockHome(home);
  try {
    finishReplacement(home.postgres);
    if (majorOfData(home.postgres) === null)
      throw usageError(`${home.postgres} holds no Postgres to upgrade. ${OF_DONORLENS}`);
    const old = postgresFor(home.postgres, binaries);
    const [preferred] = binaries;
    if (old.major === preferred.major) {
      context.out(options.json ? '{}' : `${home.postgres} needs no upgrade: it runs on ${describePostgres(old)}`);
      return EXIT.ok;
    }
    const started = performance.now();
    const { rows, kept } = await replaceDatabase(home, old, preferred);
    report(context, options, rows, `copied from Postgres ${old.major} to ${describePostgres(preferred)}`, started);
    context.note(`the old data are in ${kept}: delete them when you need them no more`);
    return EXIT.ok;
  } finally {
    unlock();
  }
}

async function replaceDatabase(
  home: Home,
  old: PostgresBinaries,
  preferred: PostgresBinaries,
): Promise<{ rows: RowCounts; kept: string }> {
  const logFile = (name: string): string => join(home.logs, `${name}.log`);
  const fresh = `${home.postgres}.upgrading`;
  rmSync(fresh, { recursive: true, force: true }); // left behind by an interrupted upgrade
  copyFileSync(passwordFileOf(home.postgres), passwordFileOf(fresh));
  const source = await startPostgres({ dataDir: home.postgres, logFile: logFile('postgres'), binaries: [old] });
  let rows: RowCounts;
  try {
    const target = await startPostgres({ dataDir: fresh, logFile: logFile('postgres-upgrade'), binaries: [preferred] });
    try {
      rows = await copyDatabase(source.url, target.url);
    } finally {
      await target.stop();
    }
  } finally {
    await source.stop();
  }
  rmSync(passwordFileOf(fresh));
  return { rows, kept: replaceDataDirectory(home.postgres, fresh) };
}

/** API keys keep their state without `keys confirm`: the home is locked, so no key was revoked during the copy. */
async function copyDatabase(source: string, target: string): Promise<RowCounts> {
  const rows = await withPool(source, async (pool) => {
    const client = await pool.connect();
    try {
      return await restoreBackup(target, buffersOf(writeBackup(client)), createLogger('upgrade', 'warn'));
    } finally {
      client.release(true);
    }
  });
  if (await isConfirmed(source)) await withKeys(target, (keys) => keys.confirm());
  return rows;
}

async function* buffersOf(pieces: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}

/** A database of an earlier version, which did not record the state, counts as not confirmed. */
const isConfirmed = (databaseUrl: string): Promise<boolean> =>
  withKeys(databaseUrl, async (keys) => (await keys.installationState()) === 'confirmed').catch((error: unknown) => {
    if (['42P01', '42703'].includes(codeOf(error) ?? '')) return false; // no such table or column
    throw error;
  });
