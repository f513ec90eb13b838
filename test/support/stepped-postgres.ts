import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { migrate } from '@donorlens/database';
import { findPostgresBinaries, startPostgres } from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { faketimeLibrary } from './tools';

/** A migrated Postgres whose clock a test sets while it runs. */
export interface SteppedPostgres {
  readonly pool: Pool;
  /** Sets the clock to that many seconds before or after the right time. */
  step(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startSteppedPostgres(): Promise<SteppedPostgres> {
  const home = mkdtempSync(join(tmpdir(), `donorlens-test-${process.pid}-clock-`));
  chmodSync(home, 0o711); // as root, Postgres runs as another user, who has to pass
  const clock = join(home, 'clock');
  const set = (seconds: number): void => writeFileSync(clock, `${seconds < 0 ? '' : '+'}${seconds}\n`);
  set(0);
  const [installed] = findPostgresBinaries(process.env.PATH ?? '');
  const folder = join(home, 'bin');
  mkdirSync(folder);
  symlinkSync(join(installed.folder, 'initdb'), join(folder, 'initdb'));
  const faked = {
    LD_PRELOAD: faketimeLibrary(),
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
    FAKETIME_DISABLE_SHM: '1',
  };
  const settings = Object.entries(faked).map(([name, value]) => `${name}=${value}`);
  const wrapper = `#!/bin/sh\nexec env ${settings.join(' ')} ${join(installed.folder, 'postgres')} "$@"\n`;
  writeFileSync(join(folder, 'postgres'), wrapper, { mode: 0o755 });
  const server = await startPostgres({
    dataDir: join(home, 'postgres'),
    logFile: join(home, 'postgres.log'),
    binaries: [{ ...installed, folder }],
    tuning: 'test',
  });
  await migrate(server.url, createLogger('test', 'silent'));
  const pool = new Pool({ connectionString: server.url, max: 8 });
  pool.on('error', () => undefined);
  return {
    pool,
    async step(seconds) {
      set(seconds);
      const { rows } = await pool.query<{ at: number }>('select extract(epoch from clock_timestamp())::float8 as at');
      if (Math.abs(rows[0].at - Date.now() / 1000 - seconds) > 5) throw new Error('the clock of Postgres did not step');
    },
    async stop() {
      await pool.end();
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
