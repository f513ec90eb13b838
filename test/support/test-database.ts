import { randomBytes } from 'node:crypto';
import { Client, Pool } from 'pg';
import { TEMPLATE, TEST_DATABASE_SERVER } from './names';

export interface TestDatabase {
  readonly url: string;
  readonly pool: Pool;
  readonly name: string;
  /** Ends the pool. The database stays until the servers stop, to be looked at after a failure. */
  close(): Promise<void>;
}

/**
 * A database of the caller's own with the current schema: in beforeAll, with close() in afterAll.
 * @param migrated  false for an empty one
 */
export async function testDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const server = process.env[TEST_DATABASE_SERVER];
  if (server === undefined) throw new Error('no test servers: is globalSetup of jest.config.js on?');
  const name = `test_${process.env.JEST_WORKER_ID ?? '0'}_${randomBytes(6).toString('hex')}`;
  const admin = new Client({ connectionString: server });
  await admin.connect();
  await admin.query(`create database ${name} template ${migrated ? TEMPLATE : 'template0'}`);
  await admin.end();
  const url = new URL(server);
  url.pathname = `/${name}`;
  const pool = new Pool({ connectionString: url.href, max: 8 });
  pool.on('error', () => undefined); // a test that kills connections is not to die of it
  return { url: url.href, pool, name, close: () => pool.end() };
}
