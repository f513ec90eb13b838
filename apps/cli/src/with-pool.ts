import { createPool } from '@donorlens/database';
import { createLogger } from '@donorlens/observability';
import { type Pool } from 'pg';

/** Opens a connection pool and closes it after the work. */
export async function withPool<T>(databaseUrl: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool(databaseUrl, createLogger('cli', 'silent'), { max: 2, name: 'donorlens cli' });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}
