import fc from 'fast-check';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import {
  type ContributionRow,
  type LinkageRow,
  makePartitions,
  removeContributions,
  replaceLinkages,
  storeContributions,
} from '../../../../test/support/fec-data/contribution-rows';
import { naiveCharts } from '../../../../test/support/fec-data/naive-charts';
import { ChartRepository } from '../reading/chart.repository';
import { refreshCharts } from './refresh-charts';

const COMMITTEES = ['C00000001', 'C00000002', 'C00000003', 'C00000009'];
/** The last candidate runs for the House, so a committee that is linked only to it belongs to no candidate here. */
const CANDIDATES = ['P00000001', 'P00000002', 'H0OH01001'];

const linkage = fc.record<LinkageRow>({
  candidateId: fc.constantFrom(...CANDIDATES),
  committeeId: fc.constantFrom(...COMMITTEES),
  cycle: fc.constantFrom(2014, 2016, 2018, 2020),
  designation: fc.constantFrom('P', 'A', 'J', 'U'),
});
const linkages = fc.uniqueArray(linkage, {
  minLength: 2,
  maxLength: 8,
  selector: ({ candidateId, committeeId, cycle }) => `${candidateId} ${committeeId} ${cycle}`,
});

/** Adjacent days at the start and end of cycles, days that are 10 and 11 days apart, and distant days. */
const DAYS = ['2015-01-01', '2015-07-04', '2016-12-22', '2016-12-31', '2017-01-01', '2017-01-02', '2018-11-06', null];
/** How each kind of row counts. */
const KINDS = [
  { countsMoney: true, countsDonor: true, reason: 'gift', earmark: 0, sign: 1 }, // a gift
  { countsMoney: true, countsDonor: true, reason: 'earmark', earmark: 1, sign: 1 }, // an earmarked gift
  { countsMoney: true, countsDonor: true, reason: 'conduit_copy', earmark: 2, sign: 1 }, // a conduit's row for it
  { countsMoney: true, countsDonor: false, reason: 'refund', earmark: 0, sign: -1 },
  { countsMoney: true, countsDonor: false, reason: 'refund', earmark: 0, sign: 1 }, // a negative refund
  { countsMoney: true, countsDonor: false, reason: 'not_individual', earmark: 0, sign: 1 }, // of an organization
  { countsMoney: false, countsDonor: true, reason: 'joint_fundraising_memo', earmark: 0, sign: 0 }, // a donor of a joint fundraiser
  { countsMoney: false, countsDonor: false, reason: 'memo', earmark: 0, sign: 0 }, // a memo item
] as const;

const [GIFT, EARMARKED, PASSED_ON] = KINDS;

const cycleOf = (day: string | null, fileCycle: number): number =>
  day === null ? fileCycle : Math.ceil(Number(day.slice(0, 4)) / 2) * 2;

const contribution = fc
  .record({
    rowId: fc.integer({ min: 1, max: 20 }),
    committeeId: fc.constantFrom(...COMMITTEES),
    donorKey: fc.constantFrom(0, 1, 1, 2),
    receivedOn: fc.constantFrom(...DAYS),
    fileCycle: fc.constantFrom(2016, 2018),
    kind: fc.constantFrom(...KINDS),
    cents: fc.constantFrom(1_000, 1_000, 2_500, 19_999, 100_000),
    state: fc.constantFrom('OH', 'NY', ''),
    age: fc.constantFrom(null, 8, 39, 40),
    gender: fc.constantFrom(null, 'f', 'm'),
    firstName: fc.constantFrom(null, 'ann', 'bob'),
    race: fc.constantFrom(null, 'white', 'api'),
    income: fc.constantFrom(null, 49_999, 50_000),
    occupation: fc.constantFrom('Cook', 'COOK.', 'Cook & Sons', ''),
    employer: fc.constantFrom(
      'Self',
      'SELF-EMPLOYED',
      'None',
      "Women's Club",
      'Information requested per best efforts',
    ),
  })
  .map(({ kind: { sign, ...kind }, cents, fileCycle, ...row }): ContributionRow => ({
    ...row,
    ...kind,
    cycle: cycleOf(row.receivedOn, fileCycle),
    coarserKey: row.donorKey % 2,
    moneyCents: cents * sign,
    countsDonor: kind.countsDonor && row.donorKey !== 0 && row.receivedOn !== null,
    ageAdult: row.age === null ? null : row.age + 20,
  }));

const ORDERS: readonly (readonly (typeof KINDS)[number][])[] = [
  [EARMARKED, PASSED_ON],
  [PASSED_ON, EARMARKED],
  [PASSED_ON],
  [EARMARKED],
  [GIFT, PASSED_ON],
  [EARMARKED, PASSED_ON, PASSED_ON],
  [PASSED_ON, EARMARKED, EARMARKED, PASSED_ON],
];
/** Gifts and conduits' rows with one amount, of which some have no counterpart. */
const passedOn = fc
  .record({
    row: contribution,
    days: fc.constantFrom(...['2016-12-22', '2016-12-23', '2017-01-01', '2017-01-02'].flatMap(daysWith)),
    of: fc.constantFrom(...ORDERS),
  })
  .map(({ row, days, of }): readonly ContributionRow[] =>
    of.map(({ sign, ...kind }, at) => ({
      ...row,
      ...kind,
      countsDonor: row.donorKey !== 0,
      rowId: row.rowId + at * 20,
      receivedOn: days[at],
      cycle: cycleOf(days[at], 0),
      moneyCents: 1_000 * sign,
    })),
  );
function daysWith(day: string): readonly string[][] {
  return ['2016-12-22', '2017-01-01', '2017-01-02'].map((other) => [day, other, '2016-12-31', '2017-01-11']);
}

const change = fc.oneof(
  { weight: 4, arbitrary: fc.array(contribution, { minLength: 1, maxLength: 6 }).map((store) => ({ store })) },
  { weight: 4, arbitrary: fc.array(passedOn, { minLength: 1, maxLength: 3 }).map((rows) => ({ store: rows.flat() })) },
  { weight: 3, arbitrary: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }).map((remove) => ({ remove })) },
  { weight: 2, arbitrary: linkages.map((links) => ({ links })) },
);
/** Changes between two refreshes. */
const round = fc.array(change, { minLength: 1, maxLength: 3 });

describe('incremental refreshes', () => {
  let db: TestDatabase;
  let reader: ChartRepository;
  beforeAll(async () => {
    db = await testDatabase();
    reader = new ChartRepository(db.pool);
    await makePartitions(db.pool, [2016, 2018]);
  });
  afterAll(() => db.close());

  async function charts() {
    const version = await reader.current();
    if (version === null)
      return { ages: [], adultAges: [], series: [], breakdown: [], work: [], sizes: [], retention: [], overlap: [] };
    return {
      ages: [...(await reader.ageDistribution(version, {}))],
      adultAges: [...(await reader.ageDistribution(version, { basis: 'adult' }))],
      series: [...(await reader.cumulativeDonors(version, {}))],
      breakdown: [...(await reader.breakdown(version, {}))],
      work: [...(await reader.breakdown(version, { by: ['occupation', 'employer'] }))],
      sizes: [...(await reader.donorSize(version, {}))],
      retention: [...(await reader.retention(version, {}))],
      overlap: [...(await reader.overlap(version, {}))],
    };
  }
  const copies = async () =>
    (await db.pool.query(`select cycle || ':' || row_id as row from contribution where is_copy`)).rows
      .map(({ row }) => row as string)
      .sort();
  const donors = async () =>
    (await db.pool.query('select * from donor_first order by entity_id, cycle, donor_key')).rows as unknown[];
  const names = async () => (await db.pool.query('select * from donor_name order by 1, 2, 3, 4')).rows as unknown[];

  it('give the same charts as a full count, for any inserted, updated and deleted rows', async () => {
    await fc.assert(
      fc.asyncProperty(linkages, fc.array(round, { minLength: 1, maxLength: 5 }), async (first, rounds) => {
        await db.pool
          .query(`truncate contribution, donor_touched, chart_link, donor_first, donor_value, donor_name, donor_day, chart_version,
          chart_pair, cumulative_donors, donor_breakdown, chart_cycle; delete from pointer`);
        let links: readonly LinkageRow[] = first;
        let rows: readonly ContributionRow[] = [];
        await replaceLinkages(db.pool, links);
        for (const changes of rounds) {
          for (const one of changes)
            if ('store' in one) {
              const ids = new Map(one.store.map((row) => [`${row.cycle} ${row.rowId}`, row]));
              rows = [...rows.filter((row) => !ids.has(`${row.cycle} ${row.rowId}`)), ...ids.values()];
              await storeContributions(db.pool, [...ids.values()]);
            } else if ('remove' in one) {
              const gone = one.remove.flatMap((at) => rows.slice(at % Math.max(rows.length, 1)).slice(0, 1));
              rows = rows.filter((row) => !gone.includes(row));
              await removeContributions(db.pool, gone);
            } else await replaceLinkages(db.pool, (links = one.links));
          await refreshCharts(db.pool);
          const { copies: expectedCopies, ...expected } = naiveCharts(rows, links);
          expect(await charts()).toEqual(expected);
          expect(await copies()).toEqual(expectedCopies);
        }
        const grown = { charts: await charts(), donors: await donors(), names: await names() };
        await refreshCharts(db.pool, { reset: true });
        expect({ charts: await charts(), donors: await donors(), names: await names() }).toEqual(grown);
      }),
      { numRuns: 20 },
    );
  });
});
