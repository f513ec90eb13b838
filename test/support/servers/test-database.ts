import { randomBytes } from 'node:crypto';
import { Client, Pool } from 'pg';
import { TEMPLATE, TEST_DATABASE_SERVER } from './environment-names';

export interface TestDatabase {
  readonly url: string;
  readonly pool: Pool;
  readonly name: string;
  /** Ends the pool. The database stays until the servers stop, so that it can be inspected after a failure. */
  close(): Promise<void>;
}

/**
 * Creates a database with the current schema for the caller: in beforeAll, with close() in afterAll.
 * @param migrated - false: an empty database
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
  pool.on('error', () => undefined); // tests may kill its connections
  return { url: url.href, pool, name, close: () => pool.end() };
}
