import { createReadStream, createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { readConfig } from '@donorlens/config';
import { type RowCounts, restoreBackup, writeBackup } from '@donorlens/database';
import { findPostgresBinaries, startPostgres } from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { migrateQueue } from '@donorlens/queues';
import { databaseUrlOf } from '../database-url';
import { codeOf, EXIT, type ExitCode, usageError } from '../exit-code';
import { lockHome } from '../home/home-lock';
import { clientContext, type Context } from '../program-context';
import { searchPath } from '../start/layers';
import { withPool } from '../with-pool';

export interface JsonOption {
  readonly json?: boolean;
}

/** Level 3 is fast, and for COPY text its file is within a few percent of the smallest possible one. */
const GZIP_LEVEL = 3;

/** The value of FILE for standard output (`backup`) or standard input (`restore`). */
const STANDARD_STREAM = '-';

/** Writes `FILE.partial` and renames it at the end, so that FILE is complete or does not exist. */
export async function backup(context: Context, file: string, options: JsonOption): Promise<ExitCode> {
  if (existsSync(file)) throw usageError(`${file} exists: give the name of a new file`);
  const started = performance.now();
  const isStream = file === STANDARD_STREAM;
  const partial = `${file}.partial`;
  const rows = await withPool(databaseUrlOf(), async (pool) => {
    const client = await pool.connect();
    let counts: RowCounts = {};
    const pieces = async function* () {
      counts = yield* writeBackup(client);
    };
    try {
      await pipeline(
        Readable.from(pieces()),
        createGzip({ level: GZIP_LEVEL }),
        isStream ? process.stdout : createWriteStream(partial, { mode: 0o600, flush: true }),
        { end: !isStream },
      );
      return counts;
    } catch (error) {
      if (!isStream) rmSync(partial, { force: true });
      throw error;
    } finally {
      client.release(true);
    }
  });
  if (isStream) report({ ...context, out: context.note }, options, rows, 'written', started);
  else {
    renameSync(partial, file);
    const megabytes = (statSync(file).size / 1e6).toFixed(1);
    report(context, options, rows, `written to ${file}, ${megabytes} MB`, started);
  }
  const { config, home } = clientContext();
  if (config.databaseUrl === undefined)
    context.note(`keep ${home.addressSecret} with it: address ids are made with that secret`);
  return EXIT.ok;
}

export async function restore(context: Context, file: string, options: JsonOption): Promise<ExitCode> {
  const isStream = file === STANDARD_STREAM;
  if (!isStream && !existsSync(file)) throw usageError(`${file} does not exist`);
  const { queueBackend } = readConfig();
  const started = performance.now();
  const rows = await withTargetDatabase(async (databaseUrl) => {
    const sql = createGunzip();
    const [, rows] = await Promise.all([
      pipeline(isStream ? process.stdin : createReadStream(file), sql),
      restoreBackup(databaseUrl, sql, createLogger('restore', 'warn')),
    ]).catch((error: Error) => {
      const code = codeOf(error);
      if (code === 'Z_BUF_ERROR') throw usageError(`${file} is incomplete: copy the backup again`);
      throw code?.startsWith('Z_') ? usageError(`${file} is not a file of bin/donorlens backup`) : error;
    });
    await migrateQueue({ queueBackend, databaseUrl }); // a backup does not contain the queue's tables
    return rows;
  });
  report(context, options, rows, `restored from ${file}`, started);
  const { config, home } = clientContext();
  if (config.databaseUrl === undefined)
    context.note(`copy address-secret and, if it exists, key of the backup's home to ${home.root} before the start`);
  context.note(
    'no API key is valid yet: check them with "bin/donorlens keys list", then run "bin/donorlens keys confirm"',
  );
  return EXIT.ok;
}

/** Runs work on the database of DATABASE_URL, or else on that of the home, whose Postgres runs only meanwhile. */
async function withTargetDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const { config, home } = clientContext();
  if (config.databaseUrl !== undefined) return work(config.databaseUrl);
  home.create();
  const unlock = lockHome(home);
  try {
    const server = await startPostgres({
      dataDir: home.postgres,
      logFile: join(home.logs, 'postgres.log'),
      binaries: findPostgresBinaries(searchPath()),
    });
    try {
      return await work(server.url);
    } finally {
      await server.stop();
    }
  } finally {
    unlock();
  }
}

export function report(context: Context, { json }: JsonOption, rows: RowCounts, what: string, started: number): void {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  context.out(
    json
      ? JSON.stringify(rows)
      : `${total.toLocaleString('en-US')} rows of ${Object.keys(rows).length} tables ${what}, in ${seconds} s`,
  );
}
