import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { type PoolClient } from 'pg';
import { ZipFile } from 'yazl';
import { MasterFileError, MastersRepository } from '@donorlens/campaign-finance';
import { type Fence, StaleFenceError, inTransaction } from '@donorlens/database';
import { SourceError, ZipError } from '@donorlens/downloads';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { OFFICIAL_DATA, describeWith } from '../../../../test/support/tools';
import { FecFolder } from '../sources/fec-folder';
import { type FecSource } from '../sources/fec-source';
import { clearSample } from './sample.repository';
import { importMasters } from './import-masters';
import { SampleRefusedError } from '../import-error';

const LEASE: Fence = { lease: 'fec-import', epoch: '7' };

/** A cycle of synthetic masters of which every candidate bears the edition in the name, so that a mixture would show. */
const lines = (count: number, edition: string, cycle = 2016) => ({
  cn: each(count, (n) => `P6000${n}|${edition}, PAT|IND|2016|US|P|00|C|N|C0000${n}|||SPRINGFIELD|IL|62701`),
  cm: each(count, (n) => `C0000${n}|${edition} 2016|DOE, PAT|||SPRINGFIELD|IL|62701|P|P|IND|Q|||P6000${n}`),
  ccl: each(count, (n) => `P6000${n}|2016|${cycle}|C0000${n}|P|P|${n}`),
});
const each = (count: number, line: (number: string) => string): string[] =>
  Array.from({ length: count }, (_, i) => line(String(1000 + i)));

function zipped(name: string, text: string): Promise<Buffer> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(text), name);
  zip.end();
  return buffer(zip.outputStream);
}

describe('import of masters', () => {
  let db: TestDatabase;
  let masters: MastersRepository;
  let folder: string;

  beforeEach(async () => {
    db = await testDatabase();
    masters = new MastersRepository(db.pool);
    folder = mkdtempSync(join(tmpdir(), 'donorlens-masters-'));
    await db.pool.query(`insert into lease values ('fec-import', 'test', 7, now() + interval '1 hour')`);
  });
  afterEach(async () => {
    await db.close();
    rmSync(folder, { recursive: true });
  });

  const write = (kind: string, bytes: Buffer, cycle = 2016): void => {
    mkdirSync(join(folder, `fec/${cycle}`), { recursive: true });
    writeFileSync(join(folder, `fec/${cycle}/${kind}${cycle % 100}.zip`), bytes);
  };
  const publish = async (texts: Record<string, string[]>, cycle = 2016): Promise<void> => {
    for (const [kind, rows] of Object.entries(texts))
      write(kind, await zipped(`${kind}.txt`, rows.map((row) => `${row}\n`).join('')), cycle);
  };
  const source = async (): Promise<FecSource> => (await FecFolder.open(folder))!;
  const run = async (cycle = 2016, lease = LEASE) =>
    importMasters({ pool: db.pool, source: await source(), cycle, lease });
  const names = async () => [
    ...new Set(
      (await masters.candidateSearch({ nameParts: [], cycles: [] })).map(
        ({ cycle, CAND_NAME }) => `${cycle} ${CAND_NAME}`,
      ),
    ),
  ];
  const one = async <T>(sql: string): Promise<T> => (await db.pool.query<{ value: T }>(sql)).rows[0].value;
  const pointer = () => one<string>(`select version_id as value from pointer where name = 'fec-masters'`);

  it('loads a cycle with its provenance and moves the pointer to it', async () => {
    await publish(lines(3, 'DOE'));
    const report = await run();
    expect(report).toMatchObject({
      outcome: 'imported',
      cycle: 2016,
      label: 'folder',
      sampleCleared: false,
      files: [
        { kind: 'cn', lines: 3, kept: 3, rejected: {} },
        { kind: 'cm', lines: 3, kept: 3, rejected: {} },
        { kind: 'ccl', lines: 3, kept: 3, rejected: {} },
      ],
    });
    expect(await pointer()).toBe(report.importId);
    expect(await masters.coverage()).toMatchObject([
      {
        cycle: 2016,
        label: 'folder',
        candidates: 3,
        committees: 3,
        linkages: 3,
        files: [{ kind: 'cn', lines: 3 }, {}, {}],
      },
    ]);
    expect(await masters.committeesOf(['P'])).toEqual(new Set(['C00001000', 'C00001001', 'C00001002']));
  });

  it('does nothing the second time, and replaces a cycle if one of its files has changed', async () => {
    await publish(lines(3, 'DOE'));
    await publish(lines(2, 'DOE', 2020), 2020);
    const first = await run();
    await run(2020);
    const before = await pointer();
    expect(await run()).toMatchObject({ outcome: 'unchanged', importId: first.importId, files: [] });
    expect(await pointer()).toBe(before);
    await publish({ cn: lines(2, 'ROE').cn });
    expect(await run()).toMatchObject({ outcome: 'imported' });
    expect(await names()).toEqual(['2016 ROE, PAT', '2020 DOE, PAT']);
    expect(await one('select count(*)::int as value from candidate where cycle = 2016')).toBe(2);
    expect(await pointer()).not.toBe(before);
  });

  it('shows four readers the old cycle or the new one, never a mixture or a part', async () => {
    const editions = ['DOE', 'ROE'].map((name, i) => lines(200 + 50 * i, name));
    await publish(editions[0]);
    await run();
    let isOver = false;
    const seen = new Set<string>();
    const read = async (): Promise<void> => {
      while (!isOver) {
        const rows = await masters.committeeSearch({ nameParts: [], cycles: [2016] });
        const both = rows.map((row) => `${row.CAND_NAME} ${row.CMTE_NM}`);
        seen.add(`${both.length} ${[...new Set(both)].join()}`);
      }
    };
    const readers = Array.from({ length: 4 }, read);
    for (let i = 1; i <= 4; i++) {
      await publish(editions[i % 2]);
      await run();
    }
    isOver = true;
    await Promise.all(readers);
    expect([...seen].sort()).toEqual(['200 DOE, PAT DOE 2016', '250 ROE, PAT ROE 2016']);
  });

  const faulty: [string, () => Promise<void>, new (...args: never[]) => Error, RegExp][] = [
    ['a zip cut in the middle', () => cut('cn'), ZipError, /^cn16\.zip: not a readable zip/],
    [
      'a web page',
      () => Promise.resolve(write('cm', Buffer.from('<html>'))),
      ZipError,
      /^cm16\.zip: not a readable zip/,
    ],
    [
      'a zip with another member',
      async () => write('ccl', await zipped('evil.txt', 'x')),
      ZipError,
      /^ccl16\.zip: unexpected member "evil\.txt"/,
    ],
    [
      'lines of another width',
      () => publish({ cn: lines(3, 'ROE').cn.map((line) => `${line}|x`) }),
      MasterFileError,
      /^cn16\.zip: 3 of 3 lines are faulty \(3 wrong_column_count\)/,
    ],
    [
      'the linkages of another cycle',
      () => publish({ ccl: lines(3, 'ROE', 2020).ccl }),
      MasterFileError,
      /^ccl16\.zip: is of cycle 2020, not of 2016/,
    ],
    [
      'an empty file',
      () => publish({ cm: [] }),
      MasterFileError,
      /^cm16\.zip: has no row of the offices to import in 0 lines/,
    ],
  ];
  const cut = async (kind: string): Promise<void> => {
    const whole = await zipped(`${kind}.txt`, 'x\n'.repeat(1000));
    write(kind, whole.subarray(0, whole.length >> 1));
  };

  it.each(faulty)(
    'rejects %s: the stored rows stay, and the import can be repeated',
    async (_what, damage, type, message) => {
      await publish(lines(3, 'DOE'));
      await run();
      const before = await pointer();
      await damage();
      const refused = run();
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toThrow(type);
      expect([await names(), await pointer()]).toEqual([['2016 DOE, PAT'], before]);
      expect(await one(`select error_code as value from fec_import where state = 'failed'`)).toMatch(
        /^(zip|master)_file$/,
      );
      await publish(lines(3, 'ROE'));
      expect(await run()).toMatchObject({ outcome: 'imported' });
      expect(await names()).toEqual(['2016 ROE, PAT']);
    },
  );

  it('names the missing file', async () => {
    const { cn, ccl } = lines(3, 'DOE');
    await publish({ cn, ccl });
    await expect(run()).rejects.toThrow(/: has no fec\/2016\/cm16\.zip$/);
    await expect(run(2012)).rejects.toThrow(SourceError);
  });

  it('writes nothing after another process has taken the lease', async () => {
    await publish(lines(3, 'DOE'));
    await expect(run(2016, { ...LEASE, epoch: 6 })).rejects.toThrow(StaleFenceError);
    expect(await one('select (select count(*) from candidate) + (select count(*) from fec_import) as value')).toBe('0');
  });

  describe('after a sample', () => {
    const asSample = (isOne: boolean): void =>
      isOne ? writeFileSync(join(folder, 'sample.json'), '{}') : rmSync(join(folder, 'sample.json'));

    beforeEach(async () => {
      for (const cycle of [2016, 2020]) await publish(lines(3, 'SAMPLE', cycle), cycle);
      asSample(true);
      for (const cycle of [2016, 2020]) await run(cycle);
      await inTransaction(db.pool, fillTables);
      asSample(false);
    });

    it('removes all of its rows and charts with the first real cycle', async () => {
      await publish(lines(3, 'DOE'));
      expect(await run()).toMatchObject({ outcome: 'imported', sampleCleared: true });
      expect(await names()).toEqual(['2016 DOE, PAT']);
      expect(await filledTables()).toEqual({ candidate: 3, committee: 3, linkage: 3, fec_import: 1 });
      expect(await one(`select count(*)::int as value from pointer where name = 'charts'`)).toBe(0);
      expect(await run(2020)).toMatchObject({ outcome: 'imported', sampleCleared: false });
    });

    it('keeps it if a real file is invalid', async () => {
      const before = await filledTables();
      await publish({ ccl: ['x'] });
      await expect(run()).rejects.toThrow(MasterFileError);
      expect(await filledTables()).toEqual({ ...before, fec_import: before.fec_import + 1 });
    });

    it('treats real files with the bytes of the sample as real', async () => {
      expect(await run()).toMatchObject({ outcome: 'imported', label: 'folder', sampleCleared: true });
    });

    it('does not load it beside real data', async () => {
      await run();
      asSample(true);
      await expect(run(2020)).rejects.toThrow(SampleRefusedError);
      expect(await names()).toEqual(['2016 SAMPLE, PAT']);
      asSample(false);
      expect(await run(2020)).toMatchObject({ outcome: 'imported', sampleCleared: false });
      expect(await names()).toEqual(['2016 SAMPLE, PAT', '2020 SAMPLE, PAT']);
    });

    it('does not clear real data if an import of a sample is recorded', async () => {
      await run();
      await db.pool.query(
        `insert into fec_import (kind, cycle, label, source, state, epoch) values ('contributions', 2016, 'sample', 'x', 'done', 7)`,
      );
      expect(await run(2020)).toMatchObject({ sampleCleared: false });
      expect(await names()).toHaveLength(2);
    });

    it('clearSample returns false without a sample', async () => {
      expect(await inTransaction(db.pool, clearSample)).toBe(true);
      expect(await inTransaction(db.pool, clearSample)).toBe(false);
      expect(await filledTables()).toEqual({});
    });
  });

  const CLEARED = `candidate committee linkage contribution geocode_address donor_touched chart_link
    donor_first donor_day chart_version chart_pair cumulative_donors donor_breakdown chart_cycle cycle_enrichment
    fec_import fec_reject filing batch chunk donor_value donor_name age_estimate`.split(/\s+/);

  async function filledTables(): Promise<Record<string, number>> {
    const counts = await Promise.all(
      CLEARED.map(async (table) => [table, await one<number>(`select count(*)::int as value from ${table}`)] as const),
    );
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** A row in every table that an import or the charts fill. */
  async function fillTables(client: PoolClient): Promise<void> {
    const { rows } = await client.query<{ id: string }>(
      `insert into fec_import (kind, cycle, label, source, epoch) values ('contributions', 2016, 'sample', 'x', 7) returning id`,
    );
    const [{ id }] = rows;
    await client.query(`
      create table contribution_2016 partition of contribution for values in (2016);
      insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, money_cents, counts_money,
        counts_donor, count_reason, earmark, state, tran_id, address_key, release_no, record)
        values (2016, 1, 'C00001000', 1, 1, 100, true, true, 0, 0, 'IL', 'T1', 'of the sample', 1, '');
      insert into geocode_address (address_key, ask_order, street, city, state, zip, benchmark, vintage)
        values ('of the sample', 1, '1 MADEUP ST', 'SPRINGFIELD', 'IL', '62701', 'b', 'v');
      insert into fec_reject values (${id}, 1, 'too_long', 'x');
      insert into donor_touched values ('C00001000', 2016, 1);
      insert into chart_link values ('C00001000', 2016, 'P60001000', 'P');
      insert into enrichment_release (release_id) values ('sample.1');
      insert into cycle_enrichment select 2016, no from enrichment_release;
      insert into chart_version (series) values (1);
      insert into chart_pair select 'P60001000', 2016, id from chart_version;
      insert into chart_cycle select 2016, id, '2016-02-01' from chart_version;
      insert into cumulative_donors select 'P60001000', 2016, id, '{1}' from chart_version;
      insert into donor_breakdown select 'P60001000', 2016, id, 'gender', 'm', 1, 1, 100 from chart_version;
      insert into donor_day values ('P60001000', 2016, '2016-02-01', 1);
      insert into donor_name values ('cycle:all', 2016, 'pat', 8064, 1);
      insert into age_estimate select 'cycle:all', 2016, id, '{}' from chart_version;
      insert into donor_first (entity_id, cycle, donor_key, donor_key_v2, state, contributions, amount_cents)
        values ('P60001000', 2016, 1, 1, 'IL', 1, 100);
      insert into pointer (name, version_id) select 'charts', id from chart_version;`);
  }
});

describeWith('official data')('official masters', () => {
  let db: TestDatabase;
  let masters: MastersRepository;
  beforeAll(async () => {
    db = await testDatabase();
    masters = new MastersRepository(db.pool);
    await db.pool.query(`insert into lease values ('fec-import', 'test', 7, now() + interval '1 hour')`);
    const source = (await FecFolder.open(OFFICIAL_DATA))!;
    for (const cycle of await source.cycles()) await importMasters({ pool: db.pool, source, cycle, lease: LEASE });
  });
  afterAll(() => db.close());

  it('have 2,301 presidential candidates of 7,645 in 2016, and 810 in 2020', async () => {
    expect(await masters.coverage()).toMatchObject([
      {
        cycle: 2016,
        candidates: 2301,
        files: [
          { lines: 7645, rejected: {} },
          { lines: 17817, rejected: {} },
          { lines: 6426, rejected: {} },
        ],
      },
      {
        cycle: 2020,
        candidates: 810,
        files: [
          { lines: 3937, rejected: {} },
          { lines: 11605, rejected: {} },
          { lines: 3752, rejected: {} },
        ],
      },
    ]);
  });

  it('have one candidate with that id and ticket, and three committees', async () => {
    const search = { nameParts: ['clinton, hillary'], cycles: [2016] };
    expect((await masters.candidateSearch(search)).map((row) => [row.CAND_ID, row.CAND_PCC])).toContainEqual([
      'P00003392',
      'C00575795',
    ]);
    const committees = await masters.committeeSearch(search);
    expect(
      committees.filter(({ CAND_ID }) => CAND_ID === 'P00003392').map((row) => [row.CMTE_ID, row.LINKAGE_DSGN]),
    ).toEqual([
      ['C00570978', 'U'],
      ['C00575795', 'P'],
      ['C00577395', 'U'],
    ]);
  });
});
