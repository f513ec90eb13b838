import {
  context,
  env,
  file,
  gifts,
  imports,
  one,
  run,
  states,
  stored,
  tranIds,
  useFilingImports,
  written,
} from '../../../../test/support/pipeline/filing-imports';
import { filingText, receipt } from '../../../../test/support/fec-data/filings';
import { itcontLine, linkHouseCommittees, linkCommittees, sha256Of } from '../../../../test/support/fec-data/itcont';
import { importContributions } from '../contributions/import-contributions';
import { type ImportReport } from '../contributions/contributions-report';

useFilingImports();

describe('filings of one report', () => {
  beforeEach(() => linkCommittees(env.db.pool, 2016, 'C00001000'));

  describe('amendments', () => {
    const original = { items: gifts('A', 'B') };
    const amended = { form: 'F3PA', amends: ['FEC-1000001', 1] as const, items: gifts('A', 'C') };
    const again = { form: 'F3PA', amends: ['FEC-1000001', 2] as const, items: gifts('D') };

    it('replace what they amend', async () => {
      await file(1000001, original);
      await env.db.pool.query('delete from donor_touched');
      expect(await file(1000002, amended)).toMatchObject({
        outcome: 'imported',
        amends: { fileNumber: '1000001', isKnown: true },
        supersedes: ['1000001'],
        stored: 2,
        notes: ['replaces 1000001'],
      });
      expect(await tranIds()).toBe('1000002:A 1000002:C');
      expect(await states()).toBe('1000001 superseded, 1000002 current');
      expect(await one('select count(*)::int as value from geocode_address')).toBe(1);
      expect(await one('select count(*)::int > 0 as value from donor_touched')).toBe(true);
      expect(await file(1000003, again)).toMatchObject({ supersedes: ['1000002'] });
      expect(await tranIds()).toBe('1000003:D');
    });

    it('of an unknown filing are reported; an older filing that is imported later changes nothing', async () => {
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
          notes: ['filing 1000003 amends it and is the current version'],
        });
      expect(await stored()).toBe(before);
      expect(await states()).toBe('1000001 superseded, 1000002 superseded, 1000003 current');
      expect(await file(1000001, original)).toMatchObject({ outcome: 'unchanged', stored: 0 });
    });

    it('may name the previous amendment and be imported in any order', async () => {
      await file(1000003, { ...again, amends: ['FEC-1000002', 2] });
      await file(1000002, amended);
      expect(await file(1000001, original)).toMatchObject({ outcome: 'superseded' });
      expect(await states()).toBe('1000001 superseded, 1000002 superseded, 1000003 current');
      expect(await tranIds()).toBe('1000003:D');
      expect(await one('select count(distinct original)::int as value from filing')).toBe(1);
    });

    it('of another committee do not amend filings of this one', async () => {
      await file(1000001, original);
      await file(1000002, { ...amended, filer: 'C00005000' });
      expect(await states()).toBe('1000001 current, 1000002 current');
    });

    it('find a report without a number by its period', async () => {
      await file('report', original);
      expect((await file(1000002, amended)).supersedes).toHaveLength(1);
      expect(await tranIds()).toBe('1000002:A 1000002:C');
      await file(1000009, { items: gifts('Z'), from: '20160401', to: '20160430' });
      expect(await tranIds()).toBe('1000002:A 1000002:C 1000009:Z');
    });

    it('work alike for reports of House candidates', async () => {
      await linkHouseCommittees(env.db.pool, 2016, 'C00001000');
      const items = [receipt('SA11AI', 'A')];
      await run([written('report', filingText({ form: 'F3N', items }))], {}, { offices: ['H'] });
      const amendment = written('1000002.fec', filingText({ form: 'F3A', items }));
      expect((await run([amendment], {}, { offices: ['H'] }))[0].supersedes).toHaveLength(1);
      expect(await tranIds()).toBe('1000002:A');
    });
  });

  it('a filing with a number replaces the same one without', async () => {
    const text = filingText({ items: gifts('A', 'B') });
    const nameless = await file('report', text);
    expect(Number(nameless.fileNumber)).toBeLessThan(0);
    expect(await file('copy', text)).toMatchObject({ outcome: 'unchanged', fileNumber: nameless.fileNumber });
    expect(await file(1000001, text)).toMatchObject({ outcome: 'imported', supersedes: [nameless.fileNumber] });
    expect(await tranIds()).toBe('1000001:A 1000001:B');
    expect(await file('copy', text)).toMatchObject({ outcome: 'unchanged', fileNumber: '1000001' });
  });

  it('other bytes with the same number replace the earlier ones', async () => {
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
    /** Stored rows as file number and transaction id, followed by `raw` if the row is of an electronic filing. */
    const standing = (): Promise<string> =>
      one(`select coalesce(string_agg(file_num || ':' || tran_id || case when row_id < 0 then ' raw' else '' end, ', '
             order by file_num, tran_id, row_id), '') as value from contribution`);
    const touch = async (): Promise<void> => void (await env.db.pool.query('delete from donor_touched'));
    const hasTouched = (): Promise<boolean> => one('select count(*)::int > 0 as value from donor_touched');

    const original = { items: gifts('A', 'B') };
    const amended = { form: 'F3PA', amends: ['FEC-1000001', 1] as const, items: gifts('A', 'C') };
    const AMENDED = { AMNDT_IND: 'A' };

    it('rows in both are stored from the processed file, in either order', async () => {
      const a = rows(1000001, 'A');
      await processed(...a);
      const report = await file(1000001, { items: gifts('A', 'B', 'C') });
      expect(report).toMatchObject({ kept: 3, duplicates: 0, replacedByProcessed: 1, stored: 2 });
      await processed(...a, ...rows(1000001, 'B'));
      expect(await standing()).toBe('1000001:A, 1000001:B, 1000001:C raw');
    });

    it('a filing is removed if the processed file has its amendment, in either order', async () => {
      await file(1000001, original);
      await touch();
      await processed(...rows(1000002, 'AB'));
      expect(await standing()).toBe('1000002:A, 1000002:B');
      expect(await hasTouched()).toBe(true);
      expect(await file(1000001, original, { again: true })).toMatchObject({ replacedByProcessed: 2, stored: 0 });
      expect(await standing()).toBe('1000002:A, 1000002:B');
    });

    it('all rows of a filing are removed if those of the processed file are marked as amended', async () => {
      await file(1000001, { items: gifts('A', 'B', 'D') });
      await processed(...rows(1000002, 'AC', AMENDED));
      expect(await standing()).toBe('1000002:A, 1000002:C');
    });

    it('an amendment replaces processed rows, each time they are imported again', async () => {
      const file1 = rows(1000001, 'AB');
      await processed(...file1);
      await touch();
      const report = await file(1000002, amended);
      expect(report).toMatchObject({
        amends: { fileNumber: '1000001', isKnown: true },
        amendedInProcessed: 2,
        replacedByProcessed: 0,
        notes: ['replaces 2 rows of the processed file'],
      });
      expect(await standing()).toBe('1000002:A raw, 1000002:C raw');
      expect(await hasTouched()).toBe(true);
      expect(await processed(...file1)).toMatchObject({ amended: 2, stored: 0, duplicates: 0, removed: 0 });
      expect(await standing()).toBe('1000002:A raw, 1000002:C raw');
      await processed(...rows(1000002, 'AC', AMENDED));
      expect(await standing()).toBe('1000002:A, 1000002:C');
    });

    it('an amendment also replaces processed rows of all earlier filings of its report', async () => {
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

    it('transaction ids of another report are independent', async () => {
      const may = { RPT_TP: 'M5' };
      await file(1000002, { ...amended, amends: ['FEC-1000000', 1] });
      await processed(...rows(1000001, 'A', may), ...rows(1000003, 'C', may));
      await file(1000002, { ...amended, amends: ['FEC-1000000', 1] }, { again: true });
      expect(await standing()).toBe('1000001:A, 1000002:A raw, 1000002:C raw, 1000003:C');
    });

    it('another filer too; a conduit’s rows are the conduit’s filing, whomever they are for', async () => {
      await linkCommittees(env.db.pool, 2016, 'C00005000');
      const items = [receipt('SA11AI', 'A', { 2: 'C00009000', 44: 'Earmarked for ANOTHER (C00001000)' })];
      await file(1000001, { form: 'F3XN', filer: 'C00009000', items });
      await processed(...rows(1000002, 'A'), ...rows(1000003, 'A', { CMTE_ID: 'C00005000' }));
      expect(await standing()).toBe('1000001:A raw, 1000002:A, 1000003:A');
      const passedOn = { CMTE_ID: 'C00009000', TRANSACTION_TP: '24T', OTHER_ID: 'C00001000' };
      await processed(...rows(1000002, 'A'), ...rows(1000001, 'A', passedOn));
      expect(await standing()).toBe('1000001:A, 1000002:A');
    });

    it('an amendment of a conduit replaces its processed rows', async () => {
      const conduit = { CMTE_ID: 'C00009000', TRANSACTION_TP: '24T', OTHER_ID: 'C00001000' };
      await processed(...rows(1000001, 'A', conduit), ...rows(1000001, 'B', conduit), ...rows(1000001, 'C'));
      const items = [receipt('SA11AI', 'A', { 2: 'C00009000', 44: 'Earmarked for ANOTHER (C00001000)' })];
      await file(1000002, { form: 'F3XA', filer: 'C00009000', amends: ['FEC-1000001', 1], items });
      expect(await standing()).toBe('1000001:C, 1000002:A raw');
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

    it('does not replace a filing that has them, unless requested', async () => {
      await file(1000001, whole);
      const before = await stored();
      const refused = await file(1000002, cut);
      expect(refused).toMatchObject({ outcome: 'failed', error: { code: 'filing_incomplete' } });
      expect(refused.error?.message).toBe(
        'its rows lack 100.00 of the 150.00 that its form states, and it has 1 rows, but filing 1000001, which it would replace, has 3',
      );
      expect([await stored(), await states(), await imports()]).toEqual([before, '1000001 current', 'done']);
      expect(await file(1000002, cut, { again: true })).toMatchObject({ outcome: 'imported', supersedes: ['1000001'] });
    });

    it('nor does a truncated file of the same filing', async () => {
      await file(1000001, whole);
      const beginning = filingText(whole).split('\n').slice(0, 3).join('\n') + '\n';
      expect(await file(1000001, beginning)).toMatchObject({ error: { code: 'filing_incomplete' } });
      expect(await tranIds()).toBe('1000001:A 1000001:B 1000001:C');
    });

    it('replaces it if its rows add up to its form; if the form states no total, the report says so', async () => {
      await file(1000001, whole);
      const fewer = { form: 'F3PA', amends, items: gifts('A', 'B') };
      expect(await file(1000002, { ...fewer, cover: total('100.00') })).toMatchObject({
        outcome: 'imported',
        notes: ['replaces 1000001'],
      });
      const least = { form: 'F3PA', amends: ['FEC-1000001', 2] as const, items: gifts('A'), cover: total('') };
      expect((await file(1000003, least)).notes).toEqual([
        'replaces 1000002',
        'has fewer rows than filing 1000002, which had 2, and its form states no total',
      ]);
    });

    it('is imported if no current filing has them', async () => {
      expect(await file(1000002, cut)).toMatchObject({ outcome: 'imported', stored: 1 });
    });
  });

  it('a filing of a conduit is read again if its recipient has become presidential', async () => {
    const to = (id: string, committee: string) =>
      receipt('SA11AI', id, { 2: 'C00009000', 44: `Earmarked for ANOTHER (${committee})` });
    const text = filingText({ form: 'F3XN', filer: 'C00009000', items: [to('A', 'C00001000'), to('B', 'C00007777')] });
    await linkCommittees(env.db.pool, 2016, 'C00005000');
    expect(await file(1000001, text)).toMatchObject({ outcome: 'imported', stored: 1 });
    expect(await file(1000001, text)).toMatchObject({ outcome: 'unchanged' });
    await env.db.pool.query(`delete from linkage where cmte_id = 'C00005000'`); // as many as before
    await linkCommittees(env.db.pool, 2016, 'C00007777');
    expect(await file(1000001, text)).toMatchObject({ outcome: 'imported', stored: 2 });
    await env.db.pool.query(`delete from linkage where cmte_id = 'C00001000'`);
    expect(await file(1000001, text)).toMatchObject({ outcome: 'imported', stored: 1 });
    expect(await tranIds()).toBe('1000001:B');
    const report = filingText({ items: gifts('A') });
    await file(1000002, report);
    await linkCommittees(env.db.pool, 2016, 'C00001000');
    expect(await file(1000002, report)).toMatchObject({ outcome: 'unchanged', isLinked: true });
  });
});
