import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { ChartRepository, readChartsCoverage } from '@donorlens/charts';
import { readConfig } from '@donorlens/config';
import { SourceFileRepository } from '@donorlens/downloads';
import { writeSampleFiles } from '@donorlens/fec-sample';
import { ImportLease } from '@donorlens/imports';
import { createLogger } from '@donorlens/observability';
import { type Release, ReleaseRepository } from '@donorlens/reference-data';
import { activateSample } from '../../../test/support/reference-data/sample-tables';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import { ImportWorkers } from '../../../test/support/pipeline/import-workers';
import { CampaignData } from './campaign-data';

describe("importing the FEC's files in the aggregator", () => {
  const logger = createLogger('test', 'silent');
  let release: Release;
  let db: TestDatabase;
  let workers: ImportWorkers;
  let home: string;
  let lease: ImportLease;

  beforeEach(async () => {
    db = await testDatabase();
    release = await activateSample(db.pool);
    workers = await ImportWorkers.on(db.pool, release);
    home = mkdtempSync(join(tmpdir(), 'donorlens-aggregator-'));
    lease = await ImportLease.take(db.pool, logger);
  });
  afterEach(async () => {
    await workers.stop();
    await lease.release();
    await db.close();
    rmSync(home, { recursive: true });
  });

  const dataOf = (dataSource?: string): CampaignData =>
    new CampaignData(
      new SourceFileRepository(db.pool),
      new ReleaseRepository(db.pool),
      db.pool,
      readConfig({ DONORLENS_HOME: home, DATABASE_URL: db.url, ...(dataSource && { DATA_SOURCE: dataSource }) }),
      logger,
    );
  const work = (signal = new AbortController().signal) => ({ lease, signal });

  it('continues an interrupted import of the sample, and builds charts only after it is complete', async () => {
    const data = dataOf();
    const stop = new AbortController();
    const begun = data.importSample(work(stop.signal));
    await until('a file is being read', async () => {
      const loading = `select from fec_import where kind = 'contributions' and state = 'loading' and rows_kept > 0`;
      return (await db.pool.query(loading)).rowCount === 1;
    });
    stop.abort(new Error('stopped'));
    await expect(begun).rejects.toThrow('stopped');
    expect(await data.wantsSample()).toBe(true);
    await data.bringUpToDate(work());
    expect(await new ChartRepository(db.pool).current()).toBeNull();

    workers.start();
    expect(await data.rebuildCharts(work())).toMatchObject({ outcome: 'built' });
    expect(await data.wantsSample()).toBe(false);
    const reader = new ChartRepository(db.pool);
    const version = await reader.current();
    const { cycles } = await readChartsCoverage(db.pool, version!);
    expect(cycles.map(({ cycle }) => cycle)).toEqual(expect.arrayContaining([2020, 2024]));
    const { rows } = await db.pool.query(`select state, count(*)::int as n from fec_import group by state`);
    expect(rows).toEqual([{ state: 'done', n: 6 }]); // masters and contributions of two cycles, two filings
  });

  it('builds no charts while the import of an operator is incomplete', async () => {
    await db.pool.query(
      `insert into fec_import (kind, cycle, label, source, state, epoch)
       values ('contributions', 2020, 'official', '/synthetic/itcont.txt', 'loading', 1)`,
    );
    workers.start();
    const data = dataOf();
    await expect(data.rebuildCharts(work())).rejects.toThrow(
      'the import of /synthetic/itcont.txt was interrupted: run its command again, or wait a day',
    );
    expect(await new ChartRepository(db.pool).current()).toBeNull();
  });

  it('removes the tables of abandoned imports', async () => {
    const cycles = [2016, 2020, 2024];
    for (const cycle of cycles) await db.pool.query(`create table contribution_${cycle}_next ()`);
    await db.pool.query(
      `insert into fec_import (kind, cycle, label, source, state, epoch, started_at)
       values ('contributions', 2020, 'official', 'a', 'loading', 1, now() - interval '2 days'),
         ('contributions', 2024, 'official', 'a', 'loading', 1, now())`,
    );
    await dataOf().removeLeftovers();
    const { rows } = await db.pool.query(
      `select relname as name from pg_class where relname ~ '^contribution_.*_next$'`,
    );
    expect(rows).toEqual([{ name: 'contribution_2024_next' }]);
  });

  it('completes an interrupted enrichment under the active release before it rebuilds charts', async () => {
    const folder = join(home, 'files');
    await writeSampleFiles(folder, { rows: 1_000 });
    await db.pool.query(`insert into data_release (id, label, sha256, bytes) values ('old', 'sample', '', 0)`);
    const activate = (id: string) =>
      db.pool.query(`update pointer set version_id = $1 where name = 'data_release'`, [id]);
    const data = dataOf(folder);
    workers.start();
    await activate('old');
    await data.importBulk(work(), [2024]);
    await activate(release.id);
    // the state after a process ended in the middle of the enrichment
    await db.pool.query('delete from cycle_enrichment');
    await db.pool.query(
      `insert into fec_import (kind, cycle, label, source, state, epoch, detail)
       values ('reenrich', 2024, 'sample', $1, 'loading', 1, $2)`,
      [release.id, { releaseId: release.id, after: String(-(2n ** 63n)) }],
    );
    const file = await db.pool.query(
      `insert into fec_import (kind, cycle, label, source, state, epoch)
       values ('contributions', 2012, 'sample', '/synthetic/itcont.txt', 'loading', 1) returning id`,
    );
    await expect(data.rebuildCharts(work())).rejects.toThrow('the import of /synthetic/itcont.txt was interrupted');
    const { rows } = await db.pool.query(`select source, state from fec_import where kind = 'reenrich'`);
    expect(rows).toEqual([{ source: release.id, state: 'done' }]);
    await db.pool.query(`update fec_import set state = 'failed' where id = $1`, [file.rows[0].id]);
    expect(await data.rebuildCharts(work())).toMatchObject({ outcome: 'built' });
  });

  it('requests the sample until real files are imported, also if reading them has failed', async () => {
    const folder = join(home, 'files');
    await writeSampleFiles(folder, { rows: 1_000 });
    rmSync(join(folder, 'sample.json'));
    const data = dataOf(folder);
    workers.start();
    const warnings = jest.spyOn(logger, 'warn').mockClear();
    await expect(data.importBulk(work(), [2012, 2016])).rejects.toThrow('has no fec/2012/cn12.zip');
    expect(warnings.mock.calls).toEqual([[{ cycle: 2016 }, expect.stringContaining('has no fec/2016/cn16.zip')]]);
    expect(await data.wantsSample()).toBe(true);
    await data.importBulk(work(), [2020, 2024]);
    expect([await data.wantsSample(), await data.hasRealData()]).toEqual([false, true]);
  });

  it('lists loaded, unchanged and missing files', async () => {
    const folder = join(home, 'files');
    await writeSampleFiles(folder, { rows: 1_000 });
    rmSync(join(folder, 'sample.json'));
    rmSync(join(folder, 'fec/2024/indiv24.zip'));
    const data = dataOf(folder);
    workers.start();
    const missing = 'indiv24.zip (contributions of 2024)';
    const masters2024 = 'cn24.zip, cm24.zip, ccl24.zip';
    expect(await data.importBulk(work(), [2020])).toEqual({
      cycles: [2020],
      loaded: 'cn20.zip, cm20.zip, ccl20.zip, indiv20.zip',
    });
    expect(await data.importBulk(work(), [2020, 2024])).toEqual({
      cycles: [2020, 2024],
      missing,
      loaded: masters2024,
      unchanged: 'cn20.zip, cm20.zip, ccl20.zip, indiv20.zip',
    });
  });

  /** Files in the layout of the FEC, whose cycle 2024 is imported; workers have been started. */
  async function importedCycle(): Promise<{ folder: string; data: CampaignData }> {
    const folder = join(home, 'files');
    await writeSampleFiles(folder, { rows: 1_000 });
    rmSync(join(folder, 'sample.json'));
    const data = dataOf(folder);
    workers.start();
    await data.importBulk(work(), [2024]);
    return { folder, data };
  }

  it('reads the filings of a day again only if their file has changed', async () => {
    const { folder, data } = await importedCycle();
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    await zipped(join(folder, 'fec/efiling'), ['2024001.fec'], `${today}.zip`);
    const first = await data.importNewFilings(work());
    expect(first).toEqual({ filings: 1, days: { [today]: expect.stringMatching(/^[0-9a-f]{64}\.\d+\.2$/) } });
    expect(await data.importNewFilings(work(), first)).toEqual({ ...first, filings: 0 });
    await zipped(join(folder, 'fec/efiling'), ['2024001.fec', '2024002.fec'], `${today}.zip`);
    expect(await data.importNewFilings(work(), first)).toMatchObject({ filings: 1 });
  });

  it('logs filings that failed, and imports a day again unless the bytes of the filing are the reason', async () => {
    const warnings = jest.spyOn(logger, 'warn').mockClear();
    const { folder, data } = await importedCycle();
    await workers.stop();
    const today = new Date().toISOString().slice(0, 10).replaceAll('-', '');
    writeFileSync(join(folder, 'fec/efiling/1.fec'), 'not a filing\n');
    await zipped(join(folder, 'fec/efiling'), ['1.fec', '2024001.fec'], `${today}.zip`);
    const importing = data.importNewFilings(work());
    await until('workers have failed', async () => {
      const failed = `update batch b set state = 'failed', error_code = 'chunk_mismatch' from fec_import i
        where i.id = b.import_id and i.kind = 'filing' and i.state = 'loading'`;
      return (await db.pool.query(failed)).rowCount! > 0;
    });
    expect(await importing).toEqual({ filings: 0, days: {} });
    expect(warnings.mock.calls.map(([fields]) => fields)).toMatchObject([
      { file: expect.stringMatching(/\.zip\/1\.fec$/), code: 'filing_header' },
      { file: expect.stringMatching(/\.zip\/2024001\.fec$/), code: 'batch_failed' },
    ]);
    workers.start();
    expect(await data.importNewFilings(work(), { days: {} })).toMatchObject({
      filings: 1,
      days: { [today]: expect.any(String) },
    });
  });

  it('does not take the sample as complete while workers could not store a filing', async () => {
    await db.pool.query(`
      create function fail_filing() returns trigger language plpgsql as $$ begin
        if exists (select from fec_import where id = new.import_id and kind = 'filing') then
          new.state := 'failed';
          new.error_code := 'chunk_mismatch';
        end if;
        return new;
      end $$;
      create trigger fail_filing before insert on batch for each row execute function fail_filing()`);
    workers.start();
    const data = dataOf();
    await data.importSample(work());
    expect(await data.wantsSample()).toBe(false); // not at once
    await db.pool.query('drop trigger fail_filing on batch');
    const restarted = dataOf();
    expect(await restarted.wantsSample()).toBe(true);
    await restarted.importSample(work());
    expect(await restarted.wantsSample()).toBe(false);
  });

  async function zipped(folder: string, names: readonly string[], zip: string): Promise<void> {
    mkdirSync(folder, { recursive: true });
    const file = new ZipFile();
    for (const name of names) file.addFile(join(folder, name), name);
    file.end();
    await pipeline(file.outputStream, createWriteStream(join(folder, zip)));
  }
});
