import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContributionsRepository } from '@donorlens/campaign-finance';
import { createLogger } from '@donorlens/observability';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../../../../test/support/reference-data/sample-tables';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { ImportWorkers } from '../../../../test/support/pipeline/import-workers';
import { storeLocations } from '../../../../test/support/reference-data/known-addresses';
import { textOf } from '../../../../test/support/pipeline/pipeline';
import { itcontLine, linkCommittees, sha256Of } from '../../../../test/support/fec-data/itcont';
import { importContributions } from './import-contributions';
import { ImportRepository } from '../engine/import.repository';
import { type ImportContext } from '../import-context';
import { cyclesToReenrich } from './reenrich.repository';
import { reenrich } from './reenrich';

const OLD = 'old';
const ROWS = 250;

describe('enriching stored rows again', () => {
  let db: TestDatabase;
  let release: Release;
  let workers: ImportWorkers;
  let folder: string;

  beforeAll(async () => {
    release = await sampleTables();
  });
  beforeEach(async () => {
    db = await testDatabase();
    workers = (await ImportWorkers.on(db.pool, release)).start();
    folder = mkdtempSync(join(tmpdir(), 'donorlens-reenrich-'));
    await linkCommittees(db.pool, 2016, 'C00001000');
    await db.pool.query(`insert into data_release (id, label, sha256, bytes) values ('${OLD}', 'sample', '', 0)`);
    const text = Array.from({ length: ROWS }, (_, i) =>
      itcontLine(i + 1, { EMPLOYER: i % 2 ? 'A\\B \\N' : '', TRANSACTION_DT: i < 10 ? '' : '03012016' }),
    ).join('\n');
    writeFileSync(join(folder, 'indiv16.txt'), text);
    await importContributions(context({ releases: () => Promise.resolve(OLD) }), {
      cycle: 2016,
      file: join(folder, 'indiv16.txt'),
      source: 'indiv16.txt',
      label: 'folder',
      sha256: sha256Of(text),
    });
    // Simulates values of the older release, and adds a row of a filing.
    await db.pool.query(`update contribution set age = 1, gender = null where row_id > 100`);
    await db.pool.query(
      `insert into contribution select (jsonb_populate_record(c, jsonb_build_object('row_id', -7, 'file_cycle', null,
         'tran_id', 'X1', 'record', record || e'\\x1cSA17A\\x1cSAMPLE\\x1cJENNIFER'))).* from contribution c where row_id = 101`,
    );
    await db.pool.query('truncate donor_touched');
  });
  afterEach(async () => {
    await workers.stop();
    expect(workers.violations).toBe(0);
    await db.close();
    rmSync(folder, { recursive: true });
  });

  const context = (more: Partial<ImportContext> = {}): ImportContext => ({
    pool: db.pool,
    releases: () => Promise.resolve(release.id),
    logger: createLogger('test', 'silent'),
    chunkRows: 20,
    ...more,
  });
  const again = (more: Partial<ImportContext> = {}) => reenrich(context(more), { cycle: 2016, releaseId: release.id });
  const one = async <T>(sql: string): Promise<T> => (await db.pool.query<{ value: T }>(sql)).rows[0].value;
  const filed = (): Promise<string> =>
    one(
      `select md5(string_agg(concat_ws(',', row_id, committee_id, donor_key, received_on, money_cents, file_cycle, tran_id, record), ';'
         order by row_id)) as value from contribution`,
    );

  it('changes only values that differ and touches only their donors', async () => {
    expect(await cyclesToReenrich(db.pool, OLD)).toEqual([]);
    expect(await cyclesToReenrich(db.pool, release.id)).toEqual([2016]);
    const before = await filed();
    expect(await again()).toMatchObject({ outcome: 'reenriched', cycle: 2016, rows: ROWS + 1 });
    expect(await filed()).toBe(before);
    expect(await one(`select count(*)::int as value from contribution where age = 1 or gender is null`)).toBe(0);
    const ofRelease = (id: string): Promise<number> =>
      one(
        `select count(*)::int as value from contribution join enrichment_release on no = release_no where release_id = '${id}'`,
      );
    expect([await ofRelease(OLD), await ofRelease(release.id)]).toEqual([100, 151]);
    expect(await one('select count(distinct donor_key)::int as value from donor_touched')).toBe(150);
    expect(await cyclesToReenrich(db.pool, release.id)).toEqual([]);
    expect(await again()).toEqual({
      importId: null,
      outcome: 'unchanged',
      cycle: 2016,
      releaseId: release.id,
      rows: 0,
    });
  });

  it('changes incomes of geocoded addresses that an older release gave', async () => {
    const key = Buffer.from('an address here.');
    const { fips, medianHouseholdIncome } = release.counties.find('10001')!;
    expect(medianHouseholdIncome).toBeGreaterThan(1);
    await storeLocations(db.pool, [{ key, fips }]);
    await db.pool.query('update contribution set address_key = $1, hh_income_median = 1 where row_id in (7, 150)', [
      key,
    ]);
    expect(await cyclesToReenrich(db.pool, release.id)).toEqual([2016]);
    await again();
    const { rows } = await db.pool.query(
      'select row_id::int as row, hh_income_median as income from contribution where hh_income_median is not null order by 1',
    );
    expect(rows).toEqual([7, 150].map((row) => ({ row, income: medianHouseholdIncome })));
  });

  it('is offered for resuming if it has changed a row or its data release is active', async () => {
    const imports = new ImportRepository(db.pool);
    const activate = (id: string) =>
      db.pool.query(
        `insert into pointer (name, version_id) values ('data_release', $1)
         on conflict (name) do update set version_id = excluded.version_id`,
        [id],
      );
    await db.pool.query(
      `insert into fec_import (kind, cycle, label, source, state, epoch) values ('reenrich', 2016, 'folder', $1, 'loading', 1)`,
      [release.id],
    );
    const half = { kind: 'reenrich', source: release.id };
    await activate(release.id);
    expect(await imports.interrupted()).toMatchObject(half);
    await activate(OLD);
    expect(await imports.interrupted()).toBeNull();
    await db.pool.query('delete from cycle_enrichment'); // as the first row does
    expect(await imports.interrupted()).toMatchObject(half);
  });

  it('gives rows the donors of newer name rules after the migration that requests it', async () => {
    await again();
    const file = join(__dirname, '../../../database/migrations/0014_names_read_again.sql');
    await db.pool.query(readFileSync(file, 'utf8'));
    const before = await filed();
    await db.pool.query(
      `update contribution set donor_key = 7, donor_key_v2 = 8, counts_donor = false, count_reason = 5 where row_id = 9`,
    );
    await db.pool.query('truncate donor_touched');
    expect(await cyclesToReenrich(db.pool, release.id)).toEqual([2016]);
    expect(await again()).toMatchObject({ outcome: 'reenriched' });
    expect(await filed()).toBe(before);
    expect(await one(`select counts_donor as value from contribution where row_id = 9`)).toBe(
      await one(`select counts_donor as value from contribution where row_id = 8`),
    );
    const touched = `select count(*)::int as value from donor_touched where donor_key`;
    expect(await one(`${touched} = 7`)).toBe(1);
    expect(await one(`${touched} = (select donor_key from contribution where row_id = 9)`)).toBe(1);
    expect(await cyclesToReenrich(db.pool, release.id)).toEqual([]);
  });

  it('records the older release for all rows after a rollback to it', async () => {
    await again();
    expect(await releasesInFile()).toEqual(new Set([release.id]));
    await reenrich(context(), { cycle: 2016, releaseId: OLD });
    expect(await releasesInFile()).toEqual(new Set([OLD]));
  });

  /** Last column of the contributions file. */
  async function releasesInFile(): Promise<Set<string>> {
    const all = { candidateIds: [], committeeIds: [], cycles: [2016], from: null, to: null, after: null, limit: null };
    const file = await new ContributionsRepository(db.pool).open(all);
    const text = await textOf(file.pieces({ raw: true, detail: false, countyOf: () => null, zipCountyOf: () => null }));
    const lines = text.trimEnd().split('\n').slice(1);
    return new Set(lines.map((line) => line.slice(line.lastIndexOf(',') + 1)));
  }

  it('resumes where it was interrupted', async () => {
    await workers.stop();
    const stop = new AbortController();
    const progress = (): void => stop.abort(new Error('interrupted'));
    await expect(again({ signal: stop.signal, onProgress: progress })).rejects.toThrow('interrupted');
    const chunks = await one<number>('select count(*)::int as value from chunk');
    workers.start();
    expect(await again()).toMatchObject({ outcome: 'reenriched', rows: ROWS + 1 });
    expect(await one<number>('select count(*)::int as value from chunk')).toBe(chunks);
    expect(await new ImportRepository(db.pool).list({ kind: 'reenrich' })).toHaveLength(1);
    expect(await one(`select count(*)::int as value from contribution where age = 1`)).toBe(0);
  });

  it('fails if workers fail, and leaves the cycle unchanged', async () => {
    await workers.stop();
    const failing = again();
    const chunk = await until('a chunk waits', () => workers.take().catch(() => null));
    await workers.pipeline.chunks.failBatch(chunk.batchId, 'chunk_failed');
    await expect(failing).rejects.toMatchObject({ code: 'batch_failed' });
    expect(await cyclesToReenrich(db.pool, release.id)).toEqual([2016]);
    workers.start();
    expect(await again()).toMatchObject({ outcome: 'reenriched' });
  });

  it('does nothing for a cycle without rows', async () => {
    expect(await reenrich(context(), { cycle: 2012, releaseId: release.id })).toMatchObject({ rows: 0 });
  });
});
