import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '@donorlens/observability';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../../../../test/support/sample-tables';
import { type TestDatabase, testDatabase } from '../../../../test/support';
import { type MadeUpFiling, filingText, receipt, refund } from '../../../../test/support/filings';
import { ImportWorkers } from '../../../../test/support/import-workers';
import { itcontLine, linkCommittees, sha256Of, zipped } from '../../../../test/support/itcont';
import { OFFICIAL_DATA, describeWith } from '../../../../test/support/tools';
import { importContributions } from '../contributions/import-contributions';
import { type ImportContext } from '../import-context';
import { type ImportReport } from '../import-report';
import { type FilingReport } from './filing-report';
import { type FilingsRequest, importFilings } from './import-filings';

const logger = createLogger('test', 'silent');
const OFFICIAL = join(OFFICIAL_DATA, 'fec/efiling');

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
  folder = mkdtempSync(join(tmpdir(), 'donorlens-filings-'));
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
  ...more,
});
const run = (
  files: FilingsRequest['files'],
  request: Partial<FilingsRequest> = {},
  more: Partial<ImportContext> = {},
): Promise<FilingReport[]> => importFilings(context(more), { files, label: 'folder', ...request });
const written = (name: string, bytes: string | Buffer): string => {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
};
/** Imports one made-up filing under this number. */
const file = async (number: number | string, filing: MadeUpFiling | string, more = {}): Promise<FilingReport> => {
  const text = typeof filing === 'string' ? filing : filingText(filing);
  return (await run([written(`${number}.fec`, text)], more))[0];
};
const one = async <T>(sql: string): Promise<T> => (await db.pool.query<{ value: T }>(sql)).rows[0].value;
const stored = (): Promise<string> =>
  one(`select md5(string_agg(c::text, ';' order by cycle, row_id)) as value from contribution c`);
const tranIds = (): Promise<string> =>
  one(`select coalesce(string_agg(file_num || ':' || tran_id, ' ' order by file_num, tran_id), '') as value
       from contribution`);
const states = (): Promise<string> =>
  one(`select coalesce(string_agg(file_num || ' ' || state, ', ' order by file_num), '') as value from filing`);
const imports = (): Promise<string> =>
  one(`select coalesce(string_agg(coalesce(error_code, state), ',' order by id), '') as value from fec_import`);

const gifts = (...ids: string[]): string[][] => ids.map((id) => receipt('SA17A', id));

describe('import of filings', () => {
  beforeEach(() => linkCommittees(db.pool, 2016, 'C00001000'));

  it('stores the rows of a presidential report, and says what it did', async () => {
    const report = await file(1000001, {
      cover: { 35: '100.00', 36: '300.00', 37: '400.00', 59: '30.00' },
      items: [
        ...gifts('A', 'B'),
        receipt('SA17A', 'C', { 21: 'ten' }),
        receipt('SA18', 'D', { 43: 'X', 20: '20141231' }),
        receipt('SA18', 'E', { 6: 'COM' }),
        refund('F', { 21: '30.00', 20: '' }),
      ],
    });
    expect(report).toMatchObject({
      outcome: 'imported',
      fileNumber: '1000001',
      form: 'F3PN',
      version: '8.3',
      committeeId: 'C00001000',
      cycle: 2016,
      isLinked: true,
      lines: { SA17A: 3, SA18: 2, SB28A: 1 },
      kept: 4,
      rejected: { bad_amount: 1 },
      duplicates: 0,
      stored: 4,
      supersedes: [],
      reconciliation: { itemizedCents: 10_000, itemizedDifferenceCents: 0, unitemizedCents: 30_000, refundCents: 3000 },
      notes: ['1 lines cannot be read: bad_amount', "300.00 (75.0 %) of individuals' gifts have no rows"],
    });
    expect(
      (
        await db.pool.query(
          `select cycle, committee_id as committee, tran_id as tran, money_cents::int as cents, counts_donor as donor,
             file_num::int as filing, address_key is not null as street, file_cycle as "fileCycle"
           from contribution order by tran_id`,
        )
      ).rows,
    ).toEqual([
      {
        cycle: 2016,
        committee: 'C00001000',
        tran: 'A',
        cents: 5000,
        donor: true,
        filing: 1000001,
        street: true,
        fileCycle: null,
      },
      {
        cycle: 2016,
        committee: 'C00001000',
        tran: 'B',
        cents: 5000,
        donor: true,
        filing: 1000001,
        street: true,
        fileCycle: null,
      },
      {
        cycle: 2014,
        committee: 'C00001000',
        tran: 'D',
        cents: 0,
        donor: true,
        filing: 1000001,
        street: true,
        fileCycle: null,
      },
      {
        cycle: 2016,
        committee: 'C00001000',
        tran: 'F',
        cents: -3000,
        donor: false,
        filing: 1000001,
        street: true,
        fileCycle: null,
      },
    ]);
    expect(await one(`select code || ' ' || line || ' ' || record as value from fec_reject`)).toBe(
      'bad_amount 5 SA17A C ten',
    );
    // Their address is asked for once, and stands nowhere else.
    expect(await one(`select string_agg(street, ';') as value from geocode_address`)).toBe('1 ELM ST');
    expect(await one(`select reconciliation->>'itemizedCents' as value from filing`)).toBe('10000');
  });

  it('of the sample asks nobody where its made-up addresses are', async () => {
    await file(1000001, { items: gifts('A', 'B') }, { label: 'sample' });
    expect(await one('select count(*)::int as value from contribution')).toBe(2);
    expect(await one('select count(*)::int as value from geocode_address')).toBe(0);
  });

  it('twice gives the same rows, also where it is asked for', async () => {
    const filing = filingText({ items: gifts('A', 'B') });
    await file(1000001, filing);
    const before = await stored();
    expect(await file(1000001, filing)).toMatchObject({ outcome: 'unchanged', fileNumber: '1000001', stored: 2 });
    expect(await file(1000001, filing, { again: true })).toMatchObject({ outcome: 'imported', stored: 2, kept: 2 });
    expect(await stored()).toBe(before);
    expect(await states()).toBe('1000001 current');
  });

  it('reads a filing again whose addresses an older version left out: its rows stay, and once is enough', async () => {
    const filing = filingText({ items: gifts('A', 'B') });
    await file(1000001, filing);
    const before = await stored();
    await db.pool.query('update contribution set address_key = null');
    await db.pool.query('truncate geocode_address');
    await db.pool.query(`update fec_import set detail = detail || '{"readAgain": true}'`); // as the migration says it
    expect(await file(1000001, filing)).toMatchObject({ outcome: 'imported', stored: 2, kept: 2 });
    expect(await stored()).toBe(before);
    expect(await one('select count(*)::int as value from geocode_address')).toBe(1);
    expect(await file(1000001, filing)).toMatchObject({ outcome: 'unchanged' });
  });

  it('of a committee that no candidate is linked to keeps its rows and says so', async () => {
    const report = await file(1000001, { filer: 'C00005000', items: gifts('A') });
    expect(report).toMatchObject({ outcome: 'imported', isLinked: false, stored: 1 });
    expect(report.notes).toEqual(["no candidate is linked to C00005000 yet: its rows are nobody's"]);
  });

  it('tells how many rows have the transaction id of another one', async () => {
    expect(await file(1000001, { items: gifts('A', 'A', 'B') })).toMatchObject({ kept: 3, duplicates: 1, stored: 2 });
  });

  it('takes a number where the name tells none', async () => {
    expect(await file('report', { items: gifts('A') }, { fileNumber: '1000009' })).toMatchObject({
      fileNumber: '1000009',
    });
  });

  it('takes of a conduit what is earmarked for a presidential committee', async () => {
    const to = (id: string, committee: string) =>
      receipt('SA11AI', id, { 2: 'C00009000', 44: `Earmarked for SOMEBODY (${committee})` });
    const conduit = { form: 'F3XN', filer: 'C00009000' };
    const report = await file(1000001, { ...conduit, items: [to('A', 'C00001000'), to('B', 'C00007777')] });
    expect(report).toMatchObject({ outcome: 'imported', kept: 1, reconciliation: { itemizedCents: 10_000 } });
    expect(report.isLinked).toBeUndefined();
    expect(await one(`select committee_id || ' ' || earmark as value from contribution`)).toBe('C00001000 2');
    expect(await file(1000002, { ...conduit, items: [to('C', 'C00007777')] })).toMatchObject({
      outcome: 'passed_over',
    });
    expect(await states()).toBe('1000001 current');
  });

  describe('stores nothing', () => {
    const whole = filingText({ items: gifts('A', 'B') });
    it.each([
      ['cut in its last line', whole.slice(0, -40), 'filing_cut'],
      ['of an unknown version', filingText({ version: '9.1', items: gifts('A') }), 'filing_version'],
      ['with another header', 'C00001000|N|M4|P\n', 'filing_header'],
      ['without a period', filingText({ from: '', to: '', items: gifts('A') }), 'filing_layout'],
    ])('of a filing %s', async (_, text, code) => {
      expect(await file(1000001, text)).toMatchObject({
        outcome: 'failed',
        error: { code, message: expect.any(String) },
      });
      expect([await imports(), await tranIds(), await states()]).toEqual(['', '', '']);
    });

    it('of a form that is not presidential', async () => {
      const report = await file(1000001, { form: 'F3N', items: gifts('A') });
      expect(report).toEqual({
        outcome: 'passed_over',
        file: expect.stringContaining('1000001.fec'),
        notes: ['form F3N holds no gifts to presidential committees'],
      });
    });

    it('where the file is not there', async () => {
      expect((await run([join(folder, 'none.fec')]))[0]).toMatchObject({
        outcome: 'failed',
        error: { code: 'no_file' },
      });
    });

    it('beside a sample', async () => {
      await db.pool.query(
        `insert into fec_import (kind, cycle, label, source, epoch) values ('masters', 2016, 'sample', '', 1)`,
      );
      await expect(file(1000001, whole)).rejects.toMatchObject({ code: 'no_masters' });
    });

    it('where workers give up: what they did until then goes as well', async () => {
      await workers.stop();
      const failing = run(
        [written('1000001.fec', whole)],
        {},
        {
          chunkRows: 1,
          onProgress: ({ phase }) => {
            if (phase === 'enriching')
              void db.pool.query(
                `update batch set state = 'failed', error_code = 'chunk_mismatch' where import_id is not null`,
              );
          },
        },
      );
      await expect(failing).resolves.toMatchObject([{ outcome: 'failed', error: { code: 'batch_failed' } }]);
      expect([await imports(), await tranIds(), await states()]).toEqual(['batch_failed', '', '']);
    });
  });

  describe('amendments', () => {
    const original = { items: gifts('A', 'B') };
    const amended = { form: 'F3PA', amends: ['FEC-1000001', 1] as const, items: gifts('A', 'C') };
    const again = { form: 'F3PA', amends: ['FEC-1000001', 2] as const, items: gifts('D') };

    it('take the place of what they amend', async () => {
      await file(1000001, original);
      await db.pool.query('delete from donor_touched');
      expect(await file(1000002, amended)).toMatchObject({
        outcome: 'imported',
        amends: { fileNumber: '1000001', isKnown: true },
        supersedes: ['1000001'],
        stored: 2,
        notes: ['takes the place of 1000001'],
      });
      expect(await tranIds()).toBe('1000002:A 1000002:C');
      expect(await states()).toBe('1000001 superseded, 1000002 current');
      expect(await one('select count(*)::int as value from geocode_address')).toBe(1);
      expect(await one('select count(*)::int > 0 as value from donor_touched')).toBe(true);
      expect(await file(1000003, again)).toMatchObject({ supersedes: ['1000002'] });
      expect(await tranIds()).toBe('1000003:D');
    });

    it('of a filing never seen say so; an older one that comes late changes nothing', async () => {
      const report = await file(1000003, again);
      expect(report).toMatchObject({ outcome: 'imported', amends: { fileNumber: '1000001', isKnown: false } });
      expect(report.notes).toEqual(['amends filing 1000001, which was never imported']);
      const before = await stored();
      for (const [number, late] of [
        [1000001, original],
        [1000002, amended],
      ] as const)
        expect(await file(number, late)).toMatchObject({
          outcome: 'superseded',
          stored: 0,
          kept: 0,
          supersededBy: '1000003',
          notes: ['filing 1000003 amends it and is in force'],
        });
      expect(await stored()).toBe(before);
      expect(await states()).toBe('1000001 superseded, 1000002 superseded, 1000003 current');
      expect(await file(1000001, original)).toMatchObject({ outcome: 'unchanged', stored: 0 });
    });

    it('may name the amendment before them, in any order', async () => {
      await file(1000003, { ...again, amends: ['FEC-1000002', 2] });
      await file(1000002, amended);
      expect(await file(1000001, original)).toMatchObject({ outcome: 'superseded' });
      expect(await states()).toBe('1000001 superseded, 1000002 superseded, 1000003 current');
      expect(await tranIds()).toBe('1000003:D');
      expect(await one('select count(distinct original)::int as value from filing')).toBe(1);
    });

    it('of another committee amend nothing of this one', async () => {
      await file(1000001, original);
      await file(1000002, { ...amended, filer: 'C00005000' });
      expect(await states()).toBe('1000001 current, 1000002 current');
    });

    it('find a report whose number is not known by its period', async () => {
      await file('report', original);
      expect((await file(1000002, amended)).supersedes).toHaveLength(1);
      expect(await tranIds()).toBe('1000002:A 1000002:C');
      await file(1000009, { items: gifts('Z'), from: '20160401', to: '20160430' });
      expect(await tranIds()).toBe('1000002:A 1000002:C 1000009:Z');
    });
  });

  it('the same filing under its number takes the place of the one without', async () => {
    const text = filingText({ items: gifts('A', 'B') });
    const nameless = await file('report', text);
    expect(Number(nameless.fileNumber)).toBeLessThan(0);
    expect(await file('copy', text)).toMatchObject({ outcome: 'unchanged', fileNumber: nameless.fileNumber });
    expect(await file(1000001, text)).toMatchObject({ outcome: 'imported', supersedes: [nameless.fileNumber] });
    expect(await tranIds()).toBe('1000001:A 1000001:B');
    expect(await file('copy', text)).toMatchObject({ outcome: 'unchanged', fileNumber: '1000001' });
  });

  it('other bytes under a number take the place of the ones before', async () => {
    await file(1000001, { items: gifts('A', 'B') });
    expect(await file(1000001, { items: gifts('B', 'C', 'D') })).toMatchObject({ outcome: 'imported', stored: 3 });
    expect(await tranIds()).toBe('1000001:B 1000001:C 1000001:D');
    expect(await states()).toBe('1000001 current');
  });

  describe('beside the processed file', () => {
    /** Rows of a filing as the processed file has them: other numbers, and other spellings of the names. */
    let subId = 0;
    const rows = (fileNumber: number, trans: string, cells: Readonly<Record<string, string>> = {}): string[] =>
      [...trans].map((tran) => itcontLine(++subId, { FILE_NUM: String(fileNumber), TRAN_ID: tran, ...cells }));
    const processed = (...lines: string[]): Promise<ImportReport> => {
      const text = lines.map((line) => `${line}\n`).join('');
      const path = written('itcont.txt', text);
      const request = {
        cycle: 2016,
        file: path,
        source: 'itcont.txt',
        label: 'folder',
        sha256: sha256Of(text),
      } as const;
      return importContributions(context(), { ...request, again: true });
    };
    /** Filing, transaction, and `raw` or `processed`. */
    const standing = (): Promise<string> =>
      one(`select coalesce(string_agg(file_num || ':' || tran_id || case when row_id < 0 then ' raw' else '' end, ', '
             order by file_num, tran_id, row_id), '') as value from contribution`);
    const touch = async (): Promise<void> => void (await db.pool.query('delete from donor_touched'));
    const hasTouched = (): Promise<boolean> => one('select count(*)::int > 0 as value from donor_touched');

    const original = { items: gifts('A', 'B') };
    const amended = { form: 'F3PA', amends: ['FEC-1000001', 1] as const, items: gifts('A', 'C') };
    const AMENDED = { AMNDT_IND: 'A' };

    it('rows that stand there are left to it, in either order', async () => {
      const a = rows(1000001, 'A');
      await processed(...a);
      const report = await file(1000001, { items: gifts('A', 'B', 'C') });
      expect(report).toMatchObject({ kept: 3, duplicates: 0, replacedByProcessed: 1, stored: 2 });
      await processed(...a, ...rows(1000001, 'B'));
      expect(await standing()).toBe('1000001:A, 1000001:B, 1000001:C raw');
    });

    it('a filing whose amendment stands there leaves, in either order', async () => {
      await file(1000001, original);
      await touch();
      await processed(...rows(1000002, 'AB'));
      expect(await standing()).toBe('1000002:A, 1000002:B');
      expect(await hasTouched()).toBe(true);
      expect(await file(1000001, original, { again: true })).toMatchObject({ replacedByProcessed: 2, stored: 0 });
      expect(await standing()).toBe('1000002:A, 1000002:B');
    });

    it('and leaves whole where that says it is an amendment', async () => {
      await file(1000001, { items: gifts('A', 'B', 'D') });
      await processed(...rows(1000002, 'AC', AMENDED));
      expect(await standing()).toBe('1000002:A, 1000002:C');
    });

    it('an amendment takes the place of what stands there, as often as it comes back', async () => {
      const file1 = rows(1000001, 'AB');
      await processed(...file1);
      await touch();
      const report = await file(1000002, amended);
      expect(report).toMatchObject({
        amends: { fileNumber: '1000001', isKnown: true },
        amendedInProcessed: 2,
        replacedByProcessed: 0,
        notes: ['takes the place of 2 rows of the processed file'],
      });
      expect(await standing()).toBe('1000002:A raw, 1000002:C raw');
      expect(await hasTouched()).toBe(true);
      expect(await processed(...file1)).toMatchObject({ amended: 2, stored: 0, duplicates: 0, removed: 0 });
      expect(await standing()).toBe('1000002:A raw, 1000002:C raw');
      await processed(...rows(1000002, 'AC', AMENDED));
      expect(await standing()).toBe('1000002:A, 1000002:C');
    });

    it('also of all earlier ones of its report, whether they were imported or not', async () => {
      await file(1000001, original);
      await file(1000002, amended);
      const others = rows(1000009, 'A', { RPT_TP: 'M5' });
      const before = [...rows(1000001, 'B'), ...rows(1000002, 'C'), ...rows(1000003, 'AZ'), ...others];
      await processed(...before);
      await file(1000004, { ...amended, amends: ['FEC-1000001', 3] });
      expect(await standing()).toBe('1000004:A raw, 1000004:C raw, 1000009:A');
      await processed(...before);
      expect(await standing()).toBe('1000004:A raw, 1000004:C raw, 1000009:A');
    });

    it('another report may have the same transaction ids', async () => {
      const may = { RPT_TP: 'M5' };
      await file(1000002, { ...amended, amends: ['FEC-1000000', 1] });
      await processed(...rows(1000001, 'A', may), ...rows(1000003, 'C', may));
      await file(1000002, { ...amended, amends: ['FEC-1000000', 1] }, { again: true });
      expect(await standing()).toBe('1000001:A, 1000002:A raw, 1000002:C raw, 1000003:C');
    });

    it('another filer too; a conduit’s rows are the conduit’s filing, whomever they are for', async () => {
      await linkCommittees(db.pool, 2016, 'C00005000');
      const items = [receipt('SA11AI', 'A', { 2: 'C00009000', 44: 'Earmarked for SOMEBODY (C00001000)' })];
      await file(1000001, { form: 'F3XN', filer: 'C00009000', items });
      await processed(...rows(1000002, 'A'), ...rows(1000003, 'A', { CMTE_ID: 'C00005000' }));
      expect(await standing()).toBe('1000001:A raw, 1000002:A, 1000003:A');
    });
  });

  describe('an amendment that lacks rows', () => {
    const total = (dollars: string) => ({ 35: dollars });
    const amends = ['FEC-1000001', 1] as const;
    const whole = { cover: total('150.00'), items: gifts('A', 'B', 'C') };
    /** Cut at the end of a line. */
    const cut =
      filingText({ form: 'F3PA', amends, ...whole })
        .split('\n')
        .slice(0, 3)
        .join('\n') + '\n';

    it('does not take the place of one that has them, unless it is asked for', async () => {
      await file(1000001, whole);
      const before = await stored();
      const refused = await file(1000002, cut);
      expect(refused).toMatchObject({ outcome: 'failed', error: { code: 'filing_incomplete' } });
      expect(refused.error?.message).toBe(
        'its rows lack 100.00 of the 150.00 that its form states, and it has 1 rows where filing 1000001, whose place it would take, has 3',
      );
      expect([await stored(), await states(), await imports()]).toEqual([before, '1000001 current', 'done']);
      expect(await file(1000002, cut, { again: true })).toMatchObject({ outcome: 'imported', supersedes: ['1000001'] });
    });

    it('nor does the beginning of the same filing', async () => {
      await file(1000001, whole);
      const beginning = filingText(whole).split('\n').slice(0, 3).join('\n') + '\n';
      expect(await file(1000001, beginning)).toMatchObject({ error: { code: 'filing_incomplete' } });
      expect(await tranIds()).toBe('1000001:A 1000001:B 1000001:C');
    });

    it('does where its rows are all that it states; where it states nothing, that is told', async () => {
      await file(1000001, whole);
      const fewer = { form: 'F3PA', amends, items: gifts('A', 'B') };
      expect(await file(1000002, { ...fewer, cover: total('100.00') })).toMatchObject({
        outcome: 'imported',
        notes: ['takes the place of 1000001'],
      });
      const least = { form: 'F3PA', amends: ['FEC-1000001', 2] as const, items: gifts('A'), cover: total('') };
      expect((await file(1000003, least)).notes).toEqual([
        'takes the place of 1000002',
        'has fewer rows than filing 1000002, which had 2, and its form states no total',
      ]);
    });

    it('is taken where nothing that has them is in force', async () => {
      expect(await file(1000002, cut)).toMatchObject({ outcome: 'imported', stored: 1 });
    });
  });

  it('a conduit’s filing is read again where its committee is presidential by now', async () => {
    const to = (id: string, committee: string) =>
      receipt('SA11AI', id, { 2: 'C00009000', 44: `Earmarked for SOMEBODY (${committee})` });
    const text = filingText({ form: 'F3XN', filer: 'C00009000', items: [to('A', 'C00001000'), to('B', 'C00007777')] });
    await linkCommittees(db.pool, 2016, 'C00005000');
    expect(await file(1000001, text)).toMatchObject({ outcome: 'imported', stored: 1 });
    expect(await file(1000001, text)).toMatchObject({ outcome: 'unchanged' });
    await db.pool.query(`delete from linkage where cmte_id = 'C00005000'`); // as many as before
    await linkCommittees(db.pool, 2016, 'C00007777');
    expect(await file(1000001, text)).toMatchObject({ outcome: 'imported', stored: 2 });
    await db.pool.query(`delete from linkage where cmte_id = 'C00001000'`);
    expect(await file(1000001, text)).toMatchObject({ outcome: 'imported', stored: 1 });
    expect(await tranIds()).toBe('1000001:B');
    const report = filingText({ items: gifts('A') });
    await file(1000002, report);
    await linkCommittees(db.pool, 2016, 'C00001000');
    expect(await file(1000002, report)).toMatchObject({ outcome: 'unchanged', isLinked: true });
  });

  describe('stopped half way', () => {
    const ROWS = 4000; // of which the first checkpoint takes about half
    const text = filingText({ items: Array.from({ length: ROWS }, (_, i) => receipt('SA17A', `T${i}`)) });
    const stopHalfWay = async (path: string): Promise<void> => {
      let checkpoints = 0;
      const releases = () =>
        checkpoints++ === 0 ? Promise.resolve(release.id) : Promise.reject(new Error('the database is away'));
      await expect(run([path], {}, { chunkRows: 50, releases })).rejects.toThrow('the database is away');
      expect(await one(`select rows_kept between 1000 and 3000 as value from fec_import`)).toBe(true);
    };

    it('goes on where it stopped', async () => {
      const path = written('1000001.fec', text);
      await stopHalfWay(path);
      expect(await states()).toBe('1000001 loading');
      const [report] = await run([path]);
      expect(report).toMatchObject({ outcome: 'imported', kept: ROWS, stored: ROWS, duplicates: 0 });
      expect(await imports()).toBe('done');
    });

    it('and never gone on with, leaves no rows behind', async () => {
      await stopHalfWay(written('1000001.fec', text));
      await file(1000002, { from: '20160401', to: '20160430', items: gifts('Z') });
      expect(await imports()).toBe('abandoned,done');
      await run([]);
      expect([await tranIds(), await states()]).toEqual(['1000002:Z', '1000002 current']);
    });
  });

  describe('a day’s zip', () => {
    it('is taken filing by filing, in the order of their numbers; a bad one does not keep the others', async () => {
      const zip = await zipped({
        '1000003.fec': filingText({ version: '9.1' }),
        '1000002.fec': filingText({ form: 'F3PA', amends: ['FEC-1000001', 1], items: gifts('C') }),
        '1000001.fec': filingText({ items: gifts('A') }),
        '999.fec': filingText({ form: 'F6N' }),
      });
      const reports = await run([{ path: written('day.zip', zip), source: 'https://example.test/20160420.zip' }]);
      expect(reports.map(({ file: name, outcome }) => `${name} ${outcome}`)).toEqual([
        'https://example.test/20160420.zip/999.fec passed_over',
        'https://example.test/20160420.zip/1000001.fec imported',
        'https://example.test/20160420.zip/1000002.fec imported',
        'https://example.test/20160420.zip/1000003.fec failed',
      ]);
      expect(await tranIds()).toBe('1000002:C');
    });

    it('that holds something else, or is damaged, is refused', async () => {
      const strange = await zipped({ '1000001.fec': filingText(), 'readme.txt': '' });
      const good = await zipped({ '1000001.fec': filingText({ items: gifts('A') }) });
      const flipped = Buffer.from(good);
      flipped[60] ^= 0xff;
      const reports = await run([
        written('strange.zip', strange),
        written('cut.zip', good.subarray(0, good.length - 30)),
        written('flipped.zip', flipped),
        written('empty.zip', await zipped({})),
      ]);
      expect(reports.map(({ error }) => error?.code)).toEqual([
        'unexpected_member',
        'damaged_file',
        expect.stringMatching(/damaged_file|filing_/),
        'unexpected_member',
      ]);
      expect([await imports(), await tranIds()]).toEqual(['', '']);
    });
  });
});

describeWith('official data')('import of official filings', () => {
  it('a presidential report: its rows add up to its form, twice the same', async () => {
    await linkCommittees(db.pool, 2016, 'C00496497'); // of another cycle than the report's
    const path = join(OFFICIAL, 'F3P-newt2012-2012M4.fec');
    const [report] = await run([path]);
    expect(report).toMatchObject({
      outcome: 'imported',
      cycle: 2012,
      committeeId: 'C00496497',
      isLinked: true,
      lines: { SA17A: 7386, SB28A: 32 },
      kept: 7418,
      stored: 7418,
      duplicates: 0,
      rejected: {},
      reconciliation: {
        itemizedCents: 97_817_925,
        itemizedSummaryCents: 97_817_925,
        unitemizedCents: 69_862_577,
        refundCents: 1_206_600,
        refundSummaryCents: 1_516_100,
      },
    });
    expect(
      await one(
        `select sum(money_cents)::int as value from contribution where split_part(record, chr(28), 22) = 'SA17A'`,
      ),
    ).toBe(97_817_925);
    expect(
      await one(`select sum(money_cents)::int as value from contribution where money_cents < 0 and
      split_part(record, chr(28), 22) = 'SB28A'`),
    ).toBe(-1_206_600);
    const before = await stored();
    expect((await run([path]))[0]).toMatchObject({ outcome: 'unchanged', stored: 7418 });
    expect((await run([path], { again: true }))[0]).toMatchObject({ outcome: 'imported', stored: 7418 });
    expect(await stored()).toBe(before);
  });

  it('only a form: its sums say that all rows are missing', async () => {
    const [report] = await run([join(OFFICIAL, '1385191.fec')]);
    expect(report).toMatchObject({
      outcome: 'imported',
      kept: 0,
      reconciliation: { itemizedDifferenceCents: 519_156_400 },
    });
    expect(report.notes).toContain('itemized rows add up to 0.00, its form states 5191564.00: 5191564.00 differ');
  });

  it('House candidates, committees without presidential gifts, and a day without any', async () => {
    await linkCommittees(db.pool, 2016, 'C00496497');
    const names = ['F3-vanhollen-2012Q1.fec', '1550126.fec', '27789.fec', '13360.fec', '20180616.zip'];
    const reports = await run(names.map((name) => join(OFFICIAL, name)));
    expect(reports).toHaveLength(4 + 52);
    expect(new Set(reports.map(({ outcome }) => outcome))).toEqual(new Set(['passed_over']));
    expect([await imports(), await tranIds()]).toEqual(['', '']);
  });
});
