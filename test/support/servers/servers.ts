import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { type BrowserServer } from 'playwright-core';
import { migrate } from '@donorlens/database';
import {
  type RunningServer,
  findPostgresBinaries,
  findRedisServer,
  startPostgres,
  startRedis,
} from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { startBrowserServer } from '../browser/browser-server';
import { TEMPLATE, TEST_DATABASE_SERVER, TEST_FOLDER, TEST_REDIS_SERVER } from './environment-names';

interface TestServers {
  readonly home: string;
  readonly servers: readonly RunningServer[];
  browser?: BrowserServer;
}

const FOLDER = 'donorlens-test-';
const KEPT = Symbol.for('donorlens.test-servers');
const kept = globalThis as { [KEPT]?: TestServers };

export async function startTestServers(): Promise<void> {
  const path = process.env.PATH ?? '';
  removeLeftovers();
  const home = mkdtempSync(join(tmpdir(), `${FOLDER}${process.pid}-`));
  chmodSync(home, 0o711); // as root, Postgres runs as another user, who needs access
  const postgres = await startPostgres({
    dataDir: join(home, 'postgres'),
    logFile: join(home, 'postgres.log'),
    binaries: findPostgresBinaries(path),
    tuning: 'test',
  });
  kept[KEPT] = { home, servers: [postgres] };
  await makeTemplate(postgres.url);
  process.env[TEST_DATABASE_SERVER] = postgres.url;
  process.env[TEST_FOLDER] = home;
  kept[KEPT].browser = await startBrowserServer();

  const binary = findRedisServer(path);
  if (binary === null) return; // tests that need Redis report it through testRedisUrl()
  const redis = await startRedis({
    dataDir: join(home, 'redis'),
    logFile: join(home, 'redis.log'),
    binary,
    durable: false,
  });
  kept[KEPT] = { ...kept[KEPT], servers: [redis, postgres] };
  process.env[TEST_REDIS_SERVER] = redis.url;
}

/** Removes the folders of interrupted runs; their servers ended with them. */
function removeLeftovers(): void {
  for (const entry of readdirSync(tmpdir()).filter((name) => name.startsWith(FOLDER)))
    if (!isAlive(Number.parseInt(entry.slice(FOLDER.length), 10)))
      rmSync(join(tmpdir(), entry), { recursive: true, force: true });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (err) {
    return (err as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Migrates a template; every test database is a copy of it. */
async function makeTemplate(url: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  const template = new URL(url);
  template.pathname = `/${TEMPLATE}`;
  await migrate(template.href, createLogger('test', 'silent'));
  const migrated = new Client({ connectionString: template.href });
  await migrated.connect();
  await migrated.query(`update retention_clock set at = 'infinity'`); // the clock of the server is trusted
  await migrated.end();
}

export async function stopTestServers(): Promise<void> {
  const running = kept[KEPT];
  if (running === undefined) return;
  await running.browser?.close();
  await Promise.all(running.servers.map((server) => server.stop()));
  rmSync(running.home, { recursive: true, force: true });
}
