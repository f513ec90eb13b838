import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createLogger } from '@donorlens/observability';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../../../../test/support/reference-data/sample-tables';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { faultyPool } from '../../../../test/support/pipeline/faulty-pool';
import { ImportWorkers } from '../../../../test/support/pipeline/import-workers';
import { itcontLine, itcontLines, linkCommittees, sha256Of, zipped } from '../../../../test/support/fec-data/itcont';
import { ImportLease } from '../engine/import-lease';
import { ImportRepository } from '../engine/import.repository';
import { type ImportContext, type ImportProgress } from '../import-context';
import { type ImportReport } from './contributions-report';
import { type ContributionsFile, importContributions } from './import-contributions';

const logger = createLogger('test', 'silent');
const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

describe('import of contributions', () => {
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
    folder = mkdtempSync(join(tmpdir(), 'donorlens-import-'));
    await linkCommittees(db.pool, 2016, 'C00001000', 'C00002000');
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
    logger,
    chunkRows: 100,
    ...more,
  });
  const published = (bytes: Buffer | string, name = 'indiv16.zip'): ContributionsFile => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    return { cycle: 2016, file, source: name, label: 'folder', sha256: sha256Of(bytes) };
  };
  const run = (
    bytes: Buffer | string,
    request: Partial<ContributionsFile> = {},
    more: Partial<ImportContext> = {},
  ): Promise<ImportReport> => importContributions(context(more), { ...published(bytes), ...request });
  const one = async <T>(sql: string): Promise<T> => (await db.pool.query<{ value: T }>(sql)).rows[0].value;
  const rowIds = async (): Promise<number[]> =>
    (await db.pool.query<{ id: string }>('select row_id as id from contribution order by cycle, row_id')).rows.map(
      ({ id }) => Number(id),
    );
  /** Digest of all contributions with all columns. */
  const stored = async (): Promise<string> =>
    one(`select md5(string_agg(c::text, ';' order by cycle, row_id)) as value from contribution c`);
  const states = async (): Promise<string[]> =>
    (await new ImportRepository(db.pool).list()).map(({ state, errorCode }) => errorCode ?? state);

  it('stores the rows of presidential committees and reports them', async () => {
    const lines = [
      itcontLine(1),
      itcontLine(2, { CMTE_ID: 'C00002000', TRANSACTION_DT: '11032014', NAME: 'SAMPLE, JOS\u00c9' }),
      itcontLine(3, { CMTE_ID: 'C00009999' }),
      itcontLine(4, { CMTE_ID: 'C00009999', TRANSACTION_TP: '24T', OTHER_ID: 'C00001000' }),
      itcontLine(5, { TRANSACTION_AMT: '1e3' }),
      itcontLine(6, { TRANSACTION_DT: '02302016', TRANSACTION_AMT: '-10' }),
      itcontLine(1),
      itcontLine(7).slice(0, 60),
      itcontLine('9223372036854775807', { ENTITY_TP: 'ORG' }),
      'no committee',
    ];
    const report = await run(text(lines));
    expect(report).toEqual({
      importId: report.importId,
      outcome: 'imported',
      cycle: 2016,
      linesRead: 10,
      kept: 6,
      otherCommittees: 1,
      conduits: { kept: 1, matched: 0, counted: 1 },
      rejected: { bad_amount: 1, wrong_column_count: 1, bad_committee_id: 1 },
      duplicates: 1,
      removed: 0,
      amended: 0,
      stored: 5,
      moneyCents: 2_500 + 2_500 - 1_000 + 2_500 + 2_500,
      donors: 3,
      unlinked: [{ committeeId: 'C00002000', cycle: 2014 }],
    });
    const { rows } = await db.pool.query<{ cycle: number; id: string; record: string; day: string; file: number }>(
      `select cycle, row_id as id, record, received_on::text as day, file_cycle as file from contribution order by 1, 2`,
    );
    expect(rows.map(({ cycle, id, day, file }) => [cycle, id, day, file])).toEqual([
      [2014, '2', '2014-11-03', 2016],
      [2016, '1', '2016-03-01', 2016],
      [2016, '4', '2016-03-01', 2016],
      [2016, '6', null, 2016],
      [2016, '9223372036854775807', '2016-03-01', 2016],
    ]);
    const cells = (at: number) => [...lines[at].split('|'), ...(at === 3 ? ['C00001000'] : [])];
    expect(rows.map(({ record }) => record.split('\x1c'))).toEqual([1, 0, 3, 5, 8].map(cells));
    const rejects = [];
    for await (const reject of new ImportRepository(db.pool).rejects(report.importId)) rejects.push(reject);
    expect(rejects.map(({ line, record }) => [line, record])).toEqual(
      [5, 8, 10].map((line) => [line, lines[line - 1]]),
    );
    expect(await one(`select to_regclass('contribution_2016_next') is null as value`)).toBe(true);
    expect(await one(`select count(*)::int as value from batch where expires_at > now() + interval '23 h'`)).toBe(1);
    expect(await ImportLease.isHeld(db.pool)).toBe(false);
  });

  it('reads zips, gzips and texts with any line ends', async () => {
    const lines = itcontLines(1, 250);
    const expected = { outcome: 'imported', linesRead: 250, kept: 250, stored: 250, removed: 0 };
    expect(await run(text(lines))).toMatchObject(expected);
    const before = await stored();
    const zip = await zipped({ 'itcont.txt': text(lines), 'by_date/itcont_2016_20160301.txt': text(lines) });
    expect(await run(zip)).toMatchObject(expected);
    expect(await run(gzipSync(lines.join('\r\n')))).toMatchObject(expected);
    expect(await stored()).toBe(before);
  });

  it('imports the same file again only on request or if other committees are presidential now', async () => {
    const file = text([...itcontLines(1, 5), ...itcontLines(6, 5, { CMTE_ID: 'C00003000' })]);
    const first = await run(file);
    expect(first).toMatchObject({ outcome: 'imported', kept: 5 });
    expect(await run(file)).toEqual({ ...first, outcome: 'unchanged' });
    expect(await run(file, { again: true })).toMatchObject({ outcome: 'imported', kept: 5, stored: 5 });
    await linkCommittees(db.pool, 2012, 'C00003000');
    await linkCommittees(db.pool, 2020, 'C00003000');
    expect(await run(file)).toMatchObject({
      outcome: 'imported',
      kept: 10,
      stored: 10,
      unlinked: [{ committeeId: 'C00003000', cycle: 2016 }],
    });
  });

  it('reports its progress', async () => {
    const seen: ImportProgress[] = [];
    const file = text(itcontLines(1, 3_000));
    await run(file, {}, { onProgress: (progress) => seen.push(progress) });
    expect([...new Set(seen.map(({ phase }) => phase))]).toEqual(['reading', 'enriching', 'finishing']);
    expect(seen.at(-1)).toMatchObject({
      bytesRead: file.length,
      bytesTotal: file.length,
      kept: 3_000,
      rowsDone: 3_000,
    });
  });

  describe('interrupted', () => {
    /** Four pieces of text, a checkpoint after each. */
    const lines = itcontLines(1, 6_000);
    const ENOUGH = { chunkRows: 50 };
    /** Reads on until so much of the text is in the database, then stops. */
    const interrupted = async (file: Buffer | string, checkpoints: number): Promise<void> => {
      const stop = new AbortController();
      const pool = db.pool;
      let seen = -1; // the release is chosen at the start
      const releases = (): Promise<string> => {
        if (++seen > checkpoints) stop.abort(new Error('interrupted'));
        return stop.signal.aborted ? Promise.reject(new Error('interrupted')) : Promise.resolve(release.id);
      };
      await expect(run(file, {}, { ...ENOUGH, pool, signal: stop.signal, releases })).rejects.toThrow('interrupted');
    };
    const firstImport = async (): Promise<string> => one('select min(id) as value from fec_import');

    it('resumes at its last checkpoint and has the same result', async () => {
      const file = await zipped({ 'itcont.txt': text(lines) });
      for (const checkpoints of [1, 2]) {
        await interrupted(file, checkpoints);
        const [{ bytesRead, linesRead, kept, state }] = await new ImportRepository(db.pool).list();
        expect([state, linesRead > 0, linesRead < lines.length]).toEqual(['loading', true, true]);
        expect([kept, bytesRead]).toEqual([linesRead, text(lines.slice(0, linesRead)).length]);
      }
      await db.pool.query(`insert into fec_import (kind, cycle, label, source, epoch, state)
        values ('contributions', 2018, 'folder', 'newer', 1, 'done')`);
      const report = await run(file, {}, ENOUGH);
      expect(report).toMatchObject({ cycle: 2016, linesRead: 6_000, stored: 6_000, duplicates: 0, removed: 0 });
      expect(report.importId).toBe(await firstImport());
      expect(await one('select sum(rows)::int as value from chunk')).toBe(6_000);
      const rows = await stored();
      expect(await run(file, { again: true }, ENOUGH)).toMatchObject({ stored: 6_000, removed: 0 });
      expect(await stored()).toBe(rows);
    });

    it('starts over if the text has changed although its stated checksum is the same', async () => {
      const sha256 = sha256Of('what the publisher says');
      const other = text(itcontLines(101, 6_000));
      await interrupted(text(lines), 1);
      await db.pool.query(`update fec_import set sha256 = decode($1, 'hex')`, [sha256]);
      const report = await run(other, { sha256 }, ENOUGH);
      expect(report.importId).not.toBe(await firstImport());
      expect(report).toMatchObject({ linesRead: 6_000, stored: 6_000, removed: 0 });
      expect(await states()).toEqual(['done', 'abandoned']);
    });

    it('starts over if the text has become shorter', async () => {
      await interrupted(text(lines), 2);
      await db.pool.query(`update fec_import set sha256 = decode($1, 'hex')`, [sha256Of('x')]);
      expect(await run(text(lines.slice(0, 10)), { sha256: sha256Of('x') }, ENOUGH)).toMatchObject({ linesRead: 10 });
      expect(await states()).toEqual(['done', 'abandoned']);
    });

    it('is abandoned for another file, whose rows replace its rows', async () => {
      await interrupted(text(lines), 2);
      const corrected = text(itcontLines(1, 6_000, { TRANSACTION_AMT: '30' }));
      expect(await run(corrected, {}, ENOUGH)).toMatchObject({ stored: 6_000, moneyCents: 18_000_000, removed: 0 });
      expect(await states()).toEqual(['done', 'abandoned']);
    });
  });

  it('runs one at a time', async () => {
    await workers.stop();
    const stop = new AbortController();
    const first = run(text(itcontLines(1, 10)), {}, { signal: stop.signal });
    await until('it is at work', () => one('select count(*) > 0 as value from chunk'));
    await expect(run(text(itcontLines(1, 10)))).rejects.toMatchObject({ code: 'import_busy' });
    stop.abort(new Error('enough'));
    await expect(first).rejects.toThrow('enough');
    workers.start();
    expect(await run(text(itcontLines(1, 10)))).toMatchObject({ stored: 10 });
  });

  it('has at most 64 waiting chunks', async () => {
    expect(await run(text(itcontLines(1, 6_000)), {}, { chunkRows: 50 })).toMatchObject({ stored: 6_000 });
    expect(workers.maxOpen).toBeGreaterThan(16);
    expect(workers.maxOpen).toBeLessThanOrEqual(64);
  });

  describe('of a wrong or damaged file', () => {
    const good = itcontLines(1, 40);
    beforeEach(async () => {
      await run(text(good));
    });
    const refused = async (
      bytes: Buffer | string,
      code: string,
      request: Partial<ContributionsFile> = {},
    ): Promise<void> => {
      await expect(run(bytes, request)).rejects.toMatchObject({ code });
      expect(await states()).toEqual([code, 'done']);
      expect((await rowIds()).length).toBeGreaterThanOrEqual(40);
      expect(await run(text(good), { again: true })).toMatchObject({ outcome: 'imported', stored: 40 });
      expect(await rowIds()).toEqual(good.map((_, i) => i + 1));
    };

    it('fails for a truncated zip', async () => {
      const zip = await zipped({ 'itcont.txt': text(good) });
      await refused(zip.subarray(0, zip.length - 30), 'damaged_file');
    });
    it('stores no row of a file that is damaged at its end', async () => {
      const zip = await zipped({ 'itcont.txt': text(itcontLines(1, 60_000)) });
      const directory = zip.indexOf('PK\x01\x02', 0, 'latin1');
      zip.writeUInt32LE(zip.readUInt32LE(directory + 16) + 1, directory + 16);
      await expect(run(zip, {}, { chunkRows: 1_000 })).rejects.toMatchObject({ code: 'damaged_file' });
      expect(await rowIds()).toEqual(good.map((_, i) => i + 1));
      expect(await states()).toEqual(['damaged_file', 'done']);
    });
    it('fails for a zip with an unknown member', async () => {
      await refused(await zipped({ 'itcont.txt': text(good), 'readme.txt': 'hello' }), 'unexpected_member');
    });
    it.each(['<html>\n<body>\nsorry\n', ''])('fails for the text %j', (content) => refused(content, 'not_itcont'));
    it('fails for a missing file', () => refused('x', 'no_file', { file: join('nowhere', 'indiv16.zip') }));
    it('fails for a file of another cycle', () =>
      refused(text(itcontLines(1, 200, { TRANSACTION_DT: '03012019' })), 'other_cycle'));
  });

  it.each([
    ['chunk_failed', 'batch_failed'],
    ['disk_full', 'disk_full'],
  ])('fails if workers fail: %s', async (reason, code) => {
    await workers.stop();
    const failing = run(text(itcontLines(1, 500)));
    await until('chunks wait', () => one('select count(*) = 5 as value from chunk'));
    await workers.pipeline.chunks.failBatch(await one('select id as value from batch'), reason);
    await expect(failing).rejects.toMatchObject({ code });
    expect(await states()).toEqual([code]);
    expect(await one(`select string_agg(distinct state, ',') as value from chunk`)).toBe('cancelled');
    workers.start();
    expect(await run(text(itcontLines(1, 500)))).toMatchObject({ stored: 500 });
  });

  it('fails if the database disk is full, keeps the stored rows, and frees its space', async () => {
    await run(text(itcontLines(1, 5)));
    const before = await stored();
    const dying = faultyPool(db.pool, (sql, proceed) =>
      sql.includes('contribution_difference')
        ? Promise.reject(Object.assign(new Error(), { code: '53100' }))
        : proceed(),
    );
    await expect(run(text(itcontLines(1, 500)), {}, { pool: dying })).rejects.toThrow(/disk of the database is full/);
    expect([await states(), await stored()]).toEqual([['disk_full', 'done'], before]);
    expect(await one(`select to_regclass('contribution_2016_next') is null as value`)).toBe(true);
  });

  it('needs committees and a data release', async () => {
    await expect(run('x', {}, { releases: () => Promise.resolve(null) })).rejects.toMatchObject({ code: 'not_itcont' });
    await expect(run(text(itcontLines(1, 5)), {}, { releases: () => Promise.resolve(null) })).rejects.toMatchObject({
      code: 'no_release',
    });
    await db.pool.query('update linkage set cycle = 2018'); // committees of another cycle are not enough
    await expect(run(text(itcontLines(1, 5)))).rejects.toThrow(
      /^candidates and committees of 2016 are not loaded; run with --masters/,
    );
  });

  it('does not mix the sample with real rows', async () => {
    await run(text(itcontLines(1, 5)), { label: 'sample' });
    await expect(run(text(itcontLines(1, 6)))).rejects.toThrow(
      /only candidates and committees of the sample are loaded; run with --masters: bin\/donorlens import fec --cycle 2016 --masters/,
    );
    await db.pool.query('delete from fec_import');
    await run(text(itcontLines(1, 6)));
    await expect(run(text(itcontLines(1, 5)), { label: 'sample' })).rejects.toMatchObject({ code: 'sample_refused' });
  });

  describe('of a newer file', () => {
    const touched = async (): Promise<number> =>
      one('select count(distinct (committee_id, cycle, donor_key))::int as value from donor_touched');

    beforeEach(async () => {
      await run(text(itcontLines(1, 3_000)), {}, { chunkRows: 1_000 });
      await db.pool.query('truncate donor_touched');
    });

    it('updates changed rows, adds new ones, removes missing ones, and touches only their donors', async () => {
      const lines = [...itcontLines(11, 2_990), ...itcontLines(5_001, 5)];
      lines[0] = itcontLine(11, { TRANSACTION_AMT: '99' });
      lines[1] = itcontLine(12, { TRANSACTION_DT: '03012014' }); // moves to another cycle
      expect(await run(text(lines))).toMatchObject({ kept: 2_995, stored: 2_995, removed: 10 + 1 });
      expect(await one('select count(*)::int as value from contribution where row_id = 12')).toBe(1);
      expect(await one('select cycle as value from contribution where row_id = 12')).toBe(2014);
      expect(await touched()).toBe(10 + 5 + 1 + 2);
    });

    it('removes no rows of electronic filings or of other files', async () => {
      await db.pool.query(
        `insert into contribution select (jsonb_populate_record(c, jsonb_build_object('row_id', -5, 'file_cycle', null, 'tran_id', 'X1'))).*
         from contribution c where row_id = 1`,
      );
      await db.pool.query(
        `insert into contribution select (jsonb_populate_record(c, jsonb_build_object('row_id', 900001, 'file_cycle', 2018))).*
         from contribution c where row_id = 1`,
      );
      expect(await run(text(itcontLines(2, 2_999)))).toMatchObject({ removed: 1, stored: 2_999 });
      expect(await one('select count(*)::int as value from contribution where row_id in (-5, 900001)')).toBe(2);
    });

    it('rejects a file that lacks more than a tenth of the rows, unless requested', async () => {
      const before = await stored();
      const part = text(itcontLines(1, 1_500));
      await expect(run(part)).rejects.toThrow(/lacks 1500 of the 3000 rows that the previous file stored/);
      expect([await stored(), await touched()]).toEqual([before, 0]);
      expect(await one(`select to_regclass('contribution_2016_next') is null as value`)).toBe(true);
      expect(await run(part, { removeMissing: true })).toMatchObject({ removed: 1_500, stored: 1_500 });
    });
  });

  it('reports rows that workers could not store beside unreadable lines', async () => {
    await workers.stop();
    const running = run(text([...itcontLines(1, 50), itcontLine(51, { TRANSACTION_AMT: 'x' })]), {}, { chunkRows: 25 });
    await until('chunks wait', () => one(`select count(*) = 2 as value from chunk where state = 'pending'`));
    await workers.finish(await workers.take());
    // Simulates a worker that rejected a row.
    await db.pool.query(
      'delete from contribution_2016_next where row_id = (select min(row_id) from contribution_2016_next)',
    );
    await db.pool.query(`insert into fec_reject select id, -1, 'poison', 'x' from fec_import`);
    workers.start();
    const report = await running;
    expect(report).toMatchObject({ kept: 50, rejected: { bad_amount: 1, poison: 1 }, stored: 49, duplicates: 0 });
  });

  it('records the data release of a cycle while all rows have the same one', async () => {
    const releaseOf = (cycle: number): Promise<string> =>
      one(
        `select (select release_id from cycle_enrichment join enrichment_release on no = release_no where cycle = ${cycle}) as value`,
      );
    await run(text(itcontLines(1, 5)));
    expect(await releaseOf(2016)).toBe(release.id);
    await db.pool.query(`insert into data_release (id, label, sha256, bytes) values ('another', 'sample', '', 0)`);
    await run(text(itcontLines(1, 6)), {}, { releases: () => Promise.resolve('another') });
    expect(await releaseOf(2016)).toBeNull();
  });
});
