import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import {
  type ContributionRow,
  GIFT,
  makePartitions,
  replaceLinkages,
  storeContributions,
} from '../../../../test/support/fec-data/contribution-rows';
import { ChartRepository } from '../reading/chart.repository';
import { refreshCharts } from './refresh-charts';

const [ANA, BEN, EVE] = ['P00000001', 'P00000002', 'P00000003'];
const [OF_ANA, OF_BEN, OF_EVE, JOINT] = ['C00000001', 'C00000002', 'C00000003', 'C00000009'];
const CYCLES = [2016, 2018];

/** Ana and Ben belong to one party, Eve to another. Ana and Eve have a joint fundraiser in 2016. */
const LINKAGES = CYCLES.flatMap((cycle) => [
  { candidateId: ANA, committeeId: OF_ANA, cycle, designation: 'P' },
  { candidateId: BEN, committeeId: OF_BEN, cycle, designation: 'P' },
  { candidateId: EVE, committeeId: OF_EVE, cycle, designation: 'P' },
  ...(cycle === 2016 ? [ANA, EVE] : []).map((candidateId) => ({
    candidateId,
    committeeId: JOINT,
    cycle,
    designation: 'J',
  })),
]);

describe('analyses of donors', () => {
  let db: TestDatabase;
  let reader: ChartRepository;
  beforeAll(async () => {
    db = await testDatabase();
    reader = new ChartRepository(db.pool);
    await makePartitions(db.pool, CYCLES);
    await parties([ANA, 'IND'], [BEN, 'IND'], [EVE, 'GRE']);
    await replaceLinkages(db.pool, LINKAGES);
  });
  afterAll(() => db.close());

  async function parties(...of: readonly (readonly [string, string])[]): Promise<void> {
    await db.pool.query('delete from candidate');
    for (const [id, party] of of)
      for (const cycle of CYCLES)
        await db.pool.query(
          `insert into candidate values ($1, $2, '', $3, '', 'US', 'P', '00', 'O', 'C', '', '', '', '', '', '', '')`,
          [id, cycle, party],
        );
  }
  let rowId = 0;
  const gives = (donorKey: number, committeeId: string, cycle: number): ContributionRow => ({
    ...{ ...GIFT, rowId: ++rowId, donorKey, committeeId, cycle },
    receivedOn: `${cycle - 1}-05-01`,
  });
  const store = async (...rows: readonly ContributionRow[]) => {
    await storeContributions(db.pool, rows);
    await refreshCharts(db.pool);
  };
  const version = async () => (await reader.current())!;
  const retention = async (names: readonly string[] = []) =>
    [...(await reader.retention(await version(), { parties: names }))].map(
      ({ cycle, candidateId, donors, returning, again }) => [cycle, candidateId, donors, returning, again],
    );
  const overlap = async (cycle: number) =>
    [...(await reader.overlap(await version(), { cycles: [cycle] }))].map((row) => [
      row.candidateId,
      row.otherCandidateId,
      ...[row.shared, row.donors, row.otherDonors, row.fieldDonors],
    ]);

  it('count returning donors of a candidate and of a party, and donors that two candidates share', async () => {
    await store(
      ...[1, 2, 3, 4].map((donor) => gives(donor, OF_ANA, 2016)),
      ...[4, 5].map((donor) => gives(donor, OF_BEN, 2016)),
      gives(6, JOINT, 2016),
    );
    expect(await retention()).toEqual([
      [2016, ANA, 5, null, null], // donors 1 to 4, and donor 6 through the joint fundraiser
      [2016, BEN, 2, null, null],
      [2016, EVE, 1, null, null],
    ]);
    await store(gives(1, OF_ANA, 2018), gives(5, OF_ANA, 2018), gives(2, OF_BEN, 2018), gives(7, OF_EVE, 2018));
    expect(await retention()).toEqual([
      [2016, ANA, 5, null, 1], // donor 1 gave to Ana again; 2 now gave to Ben; 5 had given to Ben before
      [2016, BEN, 2, null, 0],
      [2016, EVE, 1, null, 0],
      [2018, ANA, 2, 1, null],
      [2018, BEN, 1, 0, null],
      [2018, EVE, 1, 0, null],
    ]);
    expect(await retention(['IND', 'GRE'])).toEqual([
      [2016, 'GRE', 1, null, 0],
      [2016, 'IND', 6, null, 3], // donors 1, 2 and 5 gave to the party again
      [2018, 'GRE', 1, 0, null],
      [2018, 'IND', 3, 3, null],
    ]);
    expect(await overlap(2016)).toEqual([
      [ANA, BEN, 1, 5, 2, 6],
      [ANA, EVE, 1, 5, 1, 6],
      [BEN, ANA, 1, 2, 5, 6],
      [EVE, ANA, 1, 1, 5, 6],
    ]);
    expect(await overlap(2018)).toEqual([]);
  });

  it('count a candidate for the new party after a change of party', async () => {
    await parties([ANA, 'IND'], [BEN, 'GRE'], [EVE, 'GRE']);
    await replaceLinkages(db.pool, LINKAGES);
    await refreshCharts(db.pool);
    expect(await retention(['IND', 'GRE'])).toEqual([
      [2016, 'GRE', 3, null, 0],
      [2016, 'IND', 5, null, 1],
      [2018, 'GRE', 2, 0, null],
      [2018, 'IND', 2, 1, null],
    ]);
    const grown = [await retention(), await retention(['IND', 'GRE']), await overlap(2016)];
    await refreshCharts(db.pool, { reset: true });
    expect([await retention(), await retention(['IND', 'GRE']), await overlap(2016)]).toEqual(grown);
  });

  it('show the 200 most frequent employers, and all others in one row', async () => {
    const employed = (donorKey: number, employer: string): ContributionRow => ({
      ...gives(donorKey, OF_EVE, 2018),
      employer,
    });
    const others = Array.from({ length: 200 }, (_, at) => employed(1_000 + at, `Firm ${String(at).padStart(3, '0')}`));
    await store(employed(7, 'ACME, Inc.'), employed(8, 'Acme Inc'), ...others);
    const rows = [
      ...(await reader.breakdown(await version(), { candidateIds: [EVE], cycles: [2018], by: ['employer'] })),
    ];
    expect(rows).toHaveLength(201 + 1); // donor 7 gave earlier without an employer
    expect(rows.map(({ value, donors }) => [value, donors])).toEqual(
      expect.arrayContaining([
        ['(other)', 1],
        ['FIRM 198', 1],
        [null, 1],
      ]),
    );
  });
});
