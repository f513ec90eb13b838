import { parse } from 'csv-parse/sync';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import {
  type FiledContribution,
  storeFiledContributions,
  storeManyContributions,
} from '../../../../test/support/fec-data/filed-contributions';
import { storeLocations } from '../../../../test/support/reference-data/known-addresses';
import { rowIdOfFiled } from '../row-id';
import { ContributionsRepository } from './contributions.repository';
import { type ContributionSelection, UnknownRowError } from './contribution-selection';
import { CONTRIBUTION_FILE_COLUMNS } from './contribution-file';
import { COPY_COLUMNS } from './contribution-copy.store';

const ANY: ContributionSelection = {
  candidateIds: [],
  committeeIds: [],
  cycles: [],
  from: null,
  to: null,
  after: null,
  limit: null,
};
const LOS_ANGELES = { name: 'Los Angeles County', medianHouseholdIncome: 67_986 };
const OPTIONS = {
  raw: false,
  detail: false as const,
  countyOf: (fips: string) => (fips === '06037' ? LOS_ANGELES : null),
  zipCountyOf: () => null,
};
const [GEOCODED, ASKED] = ['geocoded', 'asked'].map((name) => Buffer.from(name));
const ADDRESS_ID = '00ff'.repeat(8);
const UNNUMBERED = rowIdOfFiled('C00000009', '-77', 'SA17.5');

const ROWS: FiledContribution[] = [
  {
    cycle: 2016,
    rowId: '4031620171371112345',
    committeeId: 'C00000001',
    donorKey: '-9',
    receivedOn: '2016-02-29',
    cells: {
      CMTE_ID: 'C00000001',
      NAME: 'MADEUP, ANA "NAN"',
      CITY: 'PEÑA BLANCA',
      EMPLOYER: '=SUM(A1)',
      OCCUPATION: 'BACK\\SLASH',
      TRANSACTION_DT: '02292016',
      TRANSACTION_AMT: '-25',
      MEMO_TEXT: ' @AT, LARGE',
      SUB_ID: '4031620171371112345',
    },
    columns: {
      age: 47,
      gender: 'f',
      race: '2prace',
      pct_white: 10_000,
      pct_black: 5,
      pct_api: 0,
      pct_aian: 50,
      pct_2prace: 9650,
      pct_hispanic: 1,
    },
  },
  {
    cycle: 2016,
    rowId: rowIdOfFiled('C00000001', '1077', 'SA17.4'),
    committeeId: 'C00000001',
    donorKey: '4',
    receivedOn: null,
    cells: { CMTE_ID: 'C00000001', NAME: 'MADEUP', FILE_NUM: '1077', TRAN_ID: 'SA17.4' },
    columns: {
      address_key: GEOCODED,
      counts_donor: false,
      count_reason: 8,
      tran_id: 'SA17.4',
      file_num: '1077',
      release_no: 2,
    },
  },
  {
    cycle: 2016,
    rowId: UNNUMBERED,
    committeeId: 'C00000002',
    donorKey: '5',
    receivedOn: '2016-01-01',
    cells: { CMTE_ID: 'C00000009', TRAN_ID: 'SA17.5' },
    columns: { address_key: ASKED, is_copy: true, count_reason: 10, earmark: 2, file_num: '-77', tran_id: 'SA17.5' },
  },
  {
    cycle: 2020,
    rowId: '12',
    committeeId: 'C00000001',
    donorKey: '0',
    receivedOn: '2019-01-01',
    cells: { CMTE_ID: 'C00000001', SUB_ID: '12' },
    columns: { counts_money: false, counts_donor: false, count_reason: 1 },
  },
];

describe('a file of contributions', () => {
  let db: TestDatabase;
  let rows: ContributionsRepository;
  beforeAll(async () => {
    db = await testDatabase();
    rows = new ContributionsRepository(db.pool);
    await db.pool.query(
      `insert into enrichment_release (release_id) values ('release-1'), ('release-2'), ('release-3')`,
    );
    await db.pool.query('insert into cycle_enrichment values (2020, 3)');
    await db.pool.query(
      `insert into chart_link values ('C00000001', 2016, 'P00000009', 'P'), ('C00000001', 2016, 'P00000001', 'J'),
        ('C00000002', 2016, 'P00000001', 'A'), ('C00000001', 2020, 'P00000009', 'P')`,
    );
    await storeFiledContributions(db.pool, ROWS);
    await storeLocations(db.pool, [
      { key: GEOCODED, fips: '06037', tract: '123456', block: '1001', addressId: ADDRESS_ID },
    ]);
  });
  afterAll(() => db.close());

  const textOf = async (selection: Partial<ContributionSelection>, options = OPTIONS): Promise<string> => {
    const file = await rows.open({ ...ANY, ...selection });
    const pieces: Buffer[] = [];
    for await (const piece of file.pieces(options)) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };
  const recordsOf = async (
    selection: Partial<ContributionSelection>,
    options = OPTIONS,
  ): Promise<Record<string, string>[]> => parse(await textOf(selection, options), { columns: true });
  const of = (records: Record<string, string>[], column: string): string[] => records.map((record) => record[column]);

  it('has the cells as filed and the enriched columns', async () => {
    const [first, second, third, fourth] = await recordsOf({}, { ...OPTIONS, raw: true });
    expect(Object.keys(first)).toEqual([...CONTRIBUTION_FILE_COLUMNS]);
    expect(first).toMatchObject({
      ...ROWS[0].cells,
      CYCLE: '2016',
      CAND_ID: 'P00000009;P00000001',
      AGE: '47',
      GENDER: 'f',
    });
    expect(
      Object.entries(first)
        .filter(([name]) => name.startsWith('PCT_'))
        .map(([, value]) => value),
    ).toEqual(['100', '0.05', '0', '0.5', '96.5', '0.01']);
    expect(first).toMatchObject({
      FIPS: '',
      COUNTY: '',
      GEOCODE_STATUS: 'SKIPPED',
      COUNT_REASON: 'gift',
      DATA_RELEASE: 'release-1',
    });
    expect(second).toMatchObject({
      FIPS: '06037',
      COUNTY: 'Los Angeles County',
      TRACT_CD: '123456',
      BLOCK_CD: '1001',
      HH_INCOME_MEDIAN: '67986',
      ADDRESS_ID,
      GEOCODE_STATUS: 'MATCH',
      AGE: '',
      PCT_WHITE: '',
    });
    expect(second).toMatchObject({
      COUNTS_MONEY: 'true',
      COUNTS_DONOR: 'false',
      COUNT_REASON: 'no_date',
      DATA_RELEASE: 'release-2',
    });
    expect(third).toMatchObject({
      FIPS: '',
      ADDRESS_ID: '',
      GEOCODE_STATUS: 'PENDING',
      COUNTS_MONEY: 'false',
      COUNTS_DONOR: 'false',
      COUNT_REASON: 'earmark_copy',
      CAND_ID: 'P00000001',
    });
    expect(fourth).toMatchObject({ CYCLE: '2020', COUNT_REASON: 'memo', DATA_RELEASE: 'release-3' });
  });

  it('prefixes text that a spreadsheet would run as a formula, but not numbers', async () => {
    const [first] = await recordsOf({});
    expect(first).toMatchObject({
      EMPLOYER: "'=SUM(A1)",
      MEMO_TEXT: "' @AT, LARGE",
      TRANSACTION_AMT: '-25',
      OCCUPATION: 'BACK\\SLASH',
    });
  });

  it('matches any value of a list, and requires a match in each list', async () => {
    expect(of(await recordsOf({ committeeIds: ['C00000002', 'C00000001'] }), 'CYCLE')).toEqual([
      '2016',
      '2016',
      '2016',
      '2020',
    ]);
    expect(of(await recordsOf({ committeeIds: ['C00000001'], cycles: [2016] }), 'NAME')).toHaveLength(2);
    expect(of(await recordsOf({ candidateIds: ['P00000001'] }), 'CAND_ID')).toEqual(Array(3).fill('P00000001'));
    expect(of(await recordsOf({ candidateIds: ['P00000001'], committeeIds: ['C00000002'] }), 'CMTE_ID')).toEqual([
      'C00000009',
    ]);
    expect(await textOf({ candidateIds: ['P99999999'] })).toBe(`${CONTRIBUTION_FILE_COLUMNS.join(',')}\n`);
  });

  it('has a row per selected candidate of a joint committee; without a selection, one row names all', async () => {
    const lines = async (selection: Partial<ContributionSelection>): Promise<string[]> =>
      (await recordsOf({ cycles: [2016], ...selection })).map((row) => `${row.NAME} ${row.CMTE_ID} ${row.CAND_ID}`);
    const [ana, madeup] = ['MADEUP, ANA "NAN" C00000001', 'MADEUP C00000001'];
    expect(await lines({ committeeIds: ['C00000001'] })).toEqual([
      `${ana} P00000009;P00000001`,
      `${madeup} P00000009;P00000001`,
    ]);
    const both = [`${ana} P00000009`, `${ana} P00000001`, `${madeup} P00000009`, `${madeup} P00000001`];
    const candidateIds = ['P00000001', 'P00000009'];
    expect(await lines({ candidateIds })).toEqual([...both, ' C00000009 P00000001']);
    expect(await lines({ candidateIds, committeeIds: ['C00000001'] })).toEqual(both);
    expect(await lines({ candidateIds, limit: 1 })).toEqual(both.slice(0, 2));
    expect(await lines({ candidateIds, after: '4031620171371112345', limit: 1 })).toEqual(both.slice(2));
  });

  it('includes both ends of a date range, and no row without a date', async () => {
    const day = (text: string): number => Date.parse(text) / 86_400_000;
    expect(of(await recordsOf({ from: day('2016-01-01'), to: day('2016-02-29') }), 'TRANSACTION_DT')).toEqual([
      '02292016',
      '',
    ]);
    expect(of(await recordsOf({ from: day('2016-01-02') }), 'CYCLE')).toEqual(['2016', '2020']);
    expect(await recordsOf({ to: day('2015-12-31') })).toEqual([]);
  });

  it('starts after any named row and ends at the limit', async () => {
    const whole = await recordsOf({});
    const names = ['4031620171371112345', 'C00000001:1077:SA17.4', 'C00000009::SA17.5', '12'];
    for (const [at, after] of names.entries()) expect(await recordsOf({ after })).toEqual(whole.slice(at + 1));
    expect(await recordsOf({ after: names[0], limit: 2 })).toEqual(whole.slice(1, 3));
    await expect(rows.open({ ...ANY, after: '13' })).rejects.toThrow(UnknownRowError);
    await expect(rows.open({ ...ANY, after: 'C00000001:1078:SA17.4' })).rejects.toThrow(UnknownRowError);
  });

  it('counts its lines before it is read, but not beyond the maximum', async () => {
    const linesOf = async (selection: Partial<ContributionSelection>, max: number): Promise<number> => {
      const file = await rows.open({ ...ANY, ...selection });
      try {
        return await file.countLines(max);
      } finally {
        file.close();
      }
    };
    const candidateIds = ['P00000001', 'P00000009'];
    expect(await linesOf({ candidateIds }, 100)).toBe((await recordsOf({ candidateIds })).length);
    expect(await linesOf({ candidateIds, limit: 1 }, 100)).toBe(2);
    expect(await linesOf({ after: '4031620171371112345' }, 100)).toBe(3);
    expect(await linesOf({}, 1)).toBe(2);
  });

  it('is read in index order, with one index lookup per row with an address, also for many rows', async () => {
    await storeManyContributions(db.pool, { cycle: 2008, committeeId: 'C00000008', rows: 20_000 });
    await db.pool.query(
      `update contribution set address_key = decode(md5((row_id % 5000)::text), 'hex') where cycle = 2008 and row_id % 3 = 0`,
    );
    await db.pool.query(
      `insert into location (address_key, outcome) select decode(md5(n::text), 'hex'), 1 from generate_series(0, 4999) n`,
    );
    await db.pool.query('vacuum analyze contribution, location');
    const { rows: plan } = await db.pool.query<{ 'QUERY PLAN': string }>(
      `explain select ${COPY_COLUMNS} from contribution where cycle = 2008 and committee_id = 'C00000008'
       order by donor_key, row_id`,
    );
    const text = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(text).toMatch(/Index Scan using contribution_2008_committee_id_donor_key_row_id_idx/);
    expect(text).toMatch(/Index Scan using location_pkey/);
    expect(text).not.toMatch(/Sort|Seq Scan|Hash/);
    const statuses = new Set(of(await recordsOf({ cycles: [2008] }), 'GEOCODE_STATUS'));
    expect(statuses).toEqual(new Set(['SKIPPED', 'NO_MATCH']));
  });

  it('releases its connection at its end, when it is closed, and when its reader stops', async () => {
    await storeManyContributions(db.pool, { cycle: 2012, committeeId: 'C00000003', rows: 20_000 });
    const unread = await rows.open(ANY);
    expect(db.pool.totalCount - db.pool.idleCount).toBe(1);
    unread.close();
    for await (const piece of (await rows.open({ ...ANY, cycles: [2012] })).pieces(OPTIONS))
      if (piece.length > 1000) break;
    expect(await recordsOf({ cycles: [2012] })).toHaveLength(20_000);
    expect(db.pool.totalCount - db.pool.idleCount).toBe(0);
  });
});
