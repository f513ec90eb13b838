import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { migrate } from '@donorlens/database';
import { findPostgresBinaries, startPostgres } from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { SteppedClock } from '../pipeline/stepped-clock';

/** A migrated Postgres whose clock a test sets while it runs. */
export interface SteppedPostgres {
  readonly pool: Pool;
  /** Sets the clock to this many seconds before or after the right time. */
  step(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startSteppedPostgres(): Promise<SteppedPostgres> {
  const home = mkdtempSync(join(tmpdir(), `donorlens-test-${process.pid}-clock-`));
  chmodSync(home, 0o711); // as root, Postgres runs as another user, who needs access
  const clock = new SteppedClock(home, 'postgres');
  const [installed] = findPostgresBinaries(process.env.PATH ?? '');
  const server = await startPostgres({
    dataDir: join(home, 'postgres'),
    logFile: join(home, 'postgres.log'),
    binaries: [clock.binaries(installed)],
    tuning: 'test',
  });
  await migrate(server.url, createLogger('test', 'silent'));
  const pool = new Pool({ connectionString: server.url, max: 8 });
  pool.on('error', () => undefined);
  return {
    pool,
    async step(seconds) {
      clock.step(seconds);
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
