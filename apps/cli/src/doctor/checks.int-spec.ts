import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@donorlens/config';
import { migrateQueue } from '@donorlens/queues';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { Home, type RunInfo } from '../home/home';
import { type Finding, examine } from './checks';

describe('the doctor', () => {
  let db: TestDatabase;
  let folder: string;
  beforeAll(async () => {
    db = await testDatabase();
    folder = mkdtempSync(join(tmpdir(), 'donorlens-doctor-'));
  });
  afterAll(async () => {
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function finding(
    isRunning = true,
    wanted = 'geocoder',
    source: string | undefined = folder,
  ): Promise<Finding | undefined> {
    // The geocoder's port is closed, and with a source the publishers are not called.
    const config = readConfig({
      ...(source ? { DATA_SOURCE: source } : {}),
      GEOCODER_URL: 'http://127.0.0.1:9/geocoder',
    });
    const run: RunInfo = {
      ...{ pid: process.pid, identity: null, url: 'http://127.0.0.1:9', queue: 'postgres', redisUrl: null },
      ...{ databaseUrl: db.url, startedAt: '2026-03-04T12:00:00Z', processes: {} },
    };
    const found = await examine({ config, home: new Home(folder), run: isRunning ? run : null, path: '' });
    return found.find(({ check }) => check === wanted);
  }

  it('reports the geocoder in one line from the database of the running service', async () => {
    expect(await finding()).toEqual({ check: 'geocoder', state: 'ok', text: 'idle' });
    await db.pool.query(`update geocoder set refused_reason = 'no such vintage'`);
    expect(await finding()).toEqual({
      ...{ check: 'geocoder', state: 'warn' },
      text: 'settings refused, no call is made: no such vintage',
    });
  });

  it('warns about alerts of the service, such as a paused queue, and names the command that shows them', async () => {
    await migrateQueue({ queueBackend: 'postgres', databaseUrl: db.url });
    await db.pool.query(`update queue_state set paused_at = now(), paused_by = 'x' where queue = 'enrich'`);
    expect(await finding(true, 'alerts')).toEqual({
      ...{ check: 'alerts', state: 'warn' },
      text: expect.stringMatching(/^\d alerts\. Enrichment paused, .*\. See bin\/donorlens ops status$/) as string,
    });
  });

  it('warns that the publishers cannot be reached only if no official release is active', async () => {
    jest.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('fetch failed'));
    for (const [label, state] of [
      ['sample', 'warn'],
      ['official', 'ok'],
    ]) {
      await db.pool.query(`insert into data_release (id, label, sha256, bytes) values ($1, $1, '', 0)`, [label]);
      await db.pool.query(
        `insert into pointer (name, version_id, moved_at) values ('data_release', $1, now())
         on conflict (name) do update set version_id = excluded.version_id`,
        [label],
      );
      expect(await finding(true, 'network', '')).toMatchObject({ state });
    }
    jest.restoreAllMocks();
  });

  it('warns about database settings that can lose data in a crash', async () => {
    expect(await finding(true, 'database')).toMatchObject({
      state: 'warn',
      text: expect.stringMatching(/^fsync=off: .*; full_page_writes=off: /),
    });
  });

  it('warns about a new timeline of Postgres', async () => {
    await db.pool.query('update installation set timeline = timeline - 1');
    expect(await finding(true, 'database')).toMatchObject({
      state: 'warn',
      text: expect.stringContaining('new timeline') as string,
    });
    await db.pool.query('update installation set timeline = timeline + 1');
  });

  it('names the Postgres that npm start will run, or the package to install if that version is missing', async () => {
    expect(await finding(false, 'database')).toMatchObject({
      state: 'ok',
      text: expect.stringMatching(/^(embedded|installed) PostgreSQL 18.* will be started$/) as string,
    });
    mkdirSync(join(folder, 'postgres'));
    writeFileSync(join(folder, 'postgres', 'PG_VERSION'), '9\n');
    expect(await finding(false, 'database')).toMatchObject({
      state: 'fail',
      text: expect.stringContaining('install the package postgresql-9') as string,
    });
    rmSync(join(folder, 'postgres'), { recursive: true });
  });

  it('reports no geocoder status if no service runs', async () => {
    expect(await finding(false)).toMatchObject({ state: 'ok', text: 'not checked: no service is running' });
  });
});
