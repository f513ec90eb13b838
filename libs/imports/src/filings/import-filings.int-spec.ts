import { join } from 'node:path';
import {
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
import { filingText, receipt, refund } from '../../../../test/support/fec-data/filings';
import { linkCommittees, zipped } from '../../../../test/support/fec-data/itcont';

useFilingImports();

describe('import of filings', () => {
  beforeEach(() => linkCommittees(env.db.pool, 2016, 'C00001000'));

  it('stores the rows of a presidential report and reports them', async () => {
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
      notes: ['1 rows were not stored: bad_amount', "300.00 (75.0%) of individuals' gifts have no rows"],
    });
    expect(
      (
        await env.db.pool.query(
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
    // Their address is requested once and stored only there.
    expect(await one(`select string_agg(street, ';') as value from geocode_address`)).toBe('1 ELM ST');
    expect(await one(`select reconciliation->>'itemizedCents' as value from filing`)).toBe('10000');
  });

  it('of the sample sends none of its synthetic addresses to a geocoder', async () => {
    await file(1000001, { items: gifts('A', 'B') }, { label: 'sample' });
    expect(await one('select count(*)::int as value from contribution')).toBe(2);
    expect(await one('select count(*)::int as value from geocode_address')).toBe(0);
  });

  it('stores the same rows if a filing is imported twice, also on request', async () => {
    const filing = filingText({ items: gifts('A', 'B') });
    await file(1000001, filing);
    const before = await stored();
    expect(await file(1000001, filing)).toMatchObject({ outcome: 'unchanged', fileNumber: '1000001', stored: 2 });
    expect(await file(1000001, filing, { again: true })).toMatchObject({ outcome: 'imported', stored: 2, kept: 2 });
    expect(await stored()).toBe(before);
    expect(await states()).toBe('1000001 current');
  });

  it('reads a filing once more if an older version left out its addresses; its rows stay', async () => {
    const filing = filingText({ items: gifts('A', 'B') });
    await file(1000001, filing);
    const before = await stored();
    await env.db.pool.query('update contribution set address_key = null');
    await env.db.pool.query('truncate geocode_address');
    await env.db.pool.query(`update fec_import set detail = detail || '{"readAgain": true}'`); // as the migration says it
    expect(await file(1000001, filing)).toMatchObject({ outcome: 'imported', stored: 2, kept: 2 });
    expect(await stored()).toBe(before);
    expect(await one('select count(*)::int as value from geocode_address')).toBe(1);
    expect(await file(1000001, filing)).toMatchObject({ outcome: 'unchanged' });
  });

  it('reads a filing once more if an older version left out its titles; its rows and donors stay', async () => {
    const filing = filingText({ items: [receipt('SA17A', 'A', { 9: 'GENE', 11: 'MRS.' }), ...gifts('B')] });
    await file(1000001, filing);
    const donors = `select string_agg(row_id || ' ' || donor_key, ',' order by row_id) as value from contribution`;
    const before = [await stored(), await one(donors)];
    await env.db.pool.query(`update contribution set gender = 'm', record = replace(record, 'GENE MRS.', 'GENE')`);
    await env.db.pool.query(`update fec_import set detail = detail - 'recordVersion'`); // before version 2
    expect(await file(1000001, filing)).toMatchObject({ outcome: 'imported', stored: 2, duplicates: 0 });
    expect([await stored(), await one(donors)]).toEqual(before);
    expect(await one(`select gender as value from contribution where tran_id = 'A'`)).toBe('f');
    expect(await file(1000001, filing)).toMatchObject({ outcome: 'unchanged' });
  });

  it('stores the rows of a committee without a linked candidate and reports it', async () => {
    const report = await file(1000001, { filer: 'C00005000', items: gifts('A') });
    expect(report).toMatchObject({ outcome: 'imported', isLinked: false, stored: 1 });
    expect(report.notes).toEqual([
      'no candidate is linked to C00005000 in 2016: its rows count in its own charts only',
    ]);
  });

  it('reports the number of rows with the transaction id of another row', async () => {
    expect(await file(1000001, { items: gifts('A', 'A', 'B') })).toMatchObject({ kept: 3, duplicates: 1, stored: 2 });
  });

  it('uses a given number if the file name has none', async () => {
    expect(await file('report', { items: gifts('A') }, { fileNumber: '1000009' })).toMatchObject({
      fileNumber: '1000009',
    });
  });

  it('imports those rows of a conduit that are earmarked for a presidential committee', async () => {
    const to = (id: string, committee: string) =>
      receipt('SA11AI', id, { 2: 'C00009000', 44: `Earmarked for ANOTHER (${committee})` });
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

    it.each(['F3N', 'F6N'])('of form %s, which presidential campaigns do not file', async (form) => {
      const report = await file(1000001, { form, items: gifts('A') });
      expect(report).toEqual({
        outcome: 'passed_over',
        file: expect.stringContaining('1000001.fec'),
        notes: [`form ${form} holds no gifts to committees of an imported office`],
      });
    });

    it('if the file is missing', async () => {
      expect((await run([join(env.folder, 'none.fec')]))[0]).toMatchObject({
        outcome: 'failed',
        error: { code: 'no_file' },
      });
    });

    it('beside a sample', async () => {
      await env.db.pool.query(
        `insert into fec_import (kind, cycle, label, source, epoch) values ('masters', 2016, 'sample', '', 1)`,
      );
      await expect(file(1000001, whole)).rejects.toMatchObject({ code: 'no_masters' });
    });

    it('if workers fail, and removes the rows stored before', async () => {
      await env.workers.stop();
      const failing = run(
        [written('1000001.fec', whole)],
        {},
        {
          chunkRows: 1,
          onProgress: ({ phase }) => {
            if (phase === 'enriching')
              void env.db.pool.query(
                `update batch set state = 'failed', error_code = 'chunk_mismatch' where import_id is not null`,
              );
          },
        },
      );
      await expect(failing).resolves.toMatchObject([{ outcome: 'failed', error: { code: 'batch_failed' } }]);
      expect([await imports(), await tranIds(), await states()]).toEqual(['batch_failed', '', '']);
    });
  });

  describe('stopped half way', () => {
    const ROWS = 4000; // of which the first checkpoint takes about half
    const text = filingText({ items: Array.from({ length: ROWS }, (_, i) => receipt('SA17A', `T${i}`)) });
    const stopHalfWay = async (path: string): Promise<void> => {
      let checkpoints = 0;
      const releases = () =>
        checkpoints++ === 0 ? Promise.resolve(env.release.id) : Promise.reject(new Error('the database is away'));
      await expect(run([path], {}, { chunkRows: 50, releases })).rejects.toThrow('the database is away');
      expect(await one(`select rows_kept between 1000 and 3000 as value from fec_import`)).toBe(true);
    };

    it('resumes where it stopped', async () => {
      const path = written('1000001.fec', text);
      await stopHalfWay(path);
      expect(await states()).toBe('1000001 loading');
      const [report] = await run([path]);
      expect(report).toMatchObject({ outcome: 'imported', kept: ROWS, stored: ROWS, duplicates: 0 });
      expect(await imports()).toBe('done');
    });

    it('by an older version, starts again, as its first rows have no titles', async () => {
      const path = written('1000001.fec', text);
      await stopHalfWay(path);
      await env.db.pool.query(`update fec_import set detail = detail - 'recordVersion'`);
      expect(await run([path])).toMatchObject([{ outcome: 'imported', kept: ROWS, stored: ROWS, duplicates: 0 }]);
      expect(await imports()).toBe('abandoned,done');
    });

    it('and never resumed, leaves no rows', async () => {
      await stopHalfWay(written('1000001.fec', text));
      await file(1000002, { from: '20160401', to: '20160430', items: gifts('Z') });
      expect(await imports()).toBe('abandoned,done');
      await run([]);
      expect([await tranIds(), await states()]).toEqual(['1000002:Z', '1000002 current']);
    });
  });

  describe('a day’s zip', () => {
    it('is imported in the order of the numbers of its filings; a faulty one does not stop the others', async () => {
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

    it('with other members or damage is rejected', async () => {
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
