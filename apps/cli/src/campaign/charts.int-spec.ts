import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeSampleFiles } from '@donorlens/fec-sample';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { type Context } from '../program-context';
import { Home, writeRunInfo } from '../home/home';
import { identityOf } from '../home/process-identity';
import { rebuild } from './charts';
import { importFec } from './import-fec';

describe('charts after commands', () => {
  let db: TestDatabase;
  const context: Context = { out: () => undefined, note: () => undefined, run: () => () => Promise.resolve() };
  const interruptedImport = (kind: string, source: string) =>
    db.pool.query(
      `insert into fec_import (kind, cycle, label, source, state, epoch) values ($1, 2016, 'folder', $2, 'loading', 1)`,
      [kind, source],
    );

  beforeAll(async () => void (db = await testDatabase()));
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query('truncate fec_import cascade');
    jest.replaceProperty(process, 'env', { DATABASE_URL: db.url });
  });
  afterEach(() => jest.restoreAllMocks());

  it('are not rebuilt until the command of an interrupted import has run again', async () => {
    await interruptedImport('contributions', 'itcont.txt');
    await expect(rebuild(context, {})).rejects.toThrow(
      /^import \d+ \(itcont\.txt\) was interrupted: run its command again first, or wait a day$/,
    );
  });

  it('are not rebuilt until the aggregator has re-enriched all rows under a new data release', async () => {
    await interruptedImport('reenrich', 'r-2020');
    await expect(rebuild(context, {})).rejects.toThrow(
      /^contributions of 2016 are not all enriched under release r-2020 yet .* a running aggregator continues it/,
    );
  });

  it('are rebuilt if no import was interrupted', async () => {
    await expect(rebuild(context, {})).resolves.toBe(0);
  });

  it('follow an import from the DATA_SOURCE of the running service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-import-'));
    try {
      await writeSampleFiles(folder, { rows: 100 });
      const run = { pid: process.pid, identity: identityOf(process.pid), url: '', databaseUrl: db.url, redisUrl: null };
      const schedule = { dataSource: folder };
      writeRunInfo(new Home(folder), { ...run, queue: 'postgres', startedAt: '', processes: {}, schedule });
      jest.replaceProperty(process, 'env', { DONORLENS_HOME: folder });
      expect(await importFec(context, { cycle: 2024, masters: true })).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('follow an import command, whose start is in the audit log without file names', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'donorlens-import-'));
    try {
      await writeSampleFiles(folder, { rows: 100 });
      expect(await importFec(context, { cycle: 2024, masters: true, source: folder })).toBe(0);
      await expect(importFec(context, { cycle: 2024, contributions: join(folder, 'missing.txt') })).rejects.toThrow(
        'is not a readable file',
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
    const { rows } = await db.pool.query(`select actor, action, detail from audit order by id`);
    expect(rows.slice(-2)).toEqual([
      { actor: 'operator', action: 'import.started', detail: { cycle: 2024, files: 'masters' } },
      { actor: 'operator', action: 'import.started', detail: { cycle: 2024, files: 'contributions' } },
    ]);
  });
});
