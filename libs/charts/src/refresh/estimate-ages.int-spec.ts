import { type Demographics, groupQuantile } from '@donorlens/demographics';
import { civilDay } from '@donorlens/primitives';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import {
  GIFT,
  makePartitions,
  removeContributions,
  storeContributions,
} from '../../../../test/support/fec-data/contribution-rows';
import { sampleTables } from '../../../../test/support/reference-data/sample-tables';
import { ChartRepository } from '../reading/chart.repository';
import { WHOLE_CYCLE } from '../reading/age-estimate';
import { AgeEstimates } from '../reading/age-estimate.repository';
import { peopleOf } from './estimate-ages';
import { refreshCharts } from './refresh-charts';

const [OLD, YOUNG] = ['C00000001', 'C00000002'];

describe('estimated ages of donors', () => {
  let db: TestDatabase;
  let demographics: Demographics;
  beforeAll(async () => {
    db = await testDatabase();
    ({ demographics } = await sampleTables());
    await makePartitions(db.pool, [2016]);
  });
  afterAll(() => db.close());

  const refreshed = (reset = false) =>
    refreshCharts(db.pool, { reset, demographics: () => Promise.resolve(demographics) });
  const gifts = (committeeId: string, firstName: string | null, from: number, many: number) =>
    Array.from({ length: many }, (_, at) => ({
      ...GIFT,
      committeeId,
      firstName,
      rowId: from + at,
      donorKey: from + at,
    }));
  const rowsOf = async (committeeId: string) => {
    const reader = new ChartRepository(db.pool);
    return [
      ...(await reader.ageDistribution((await reader.current())!, { committeeIds: [committeeId], basis: 'donors' })),
    ];
  };
  const donorsOf = async (committeeId: string) =>
    (await rowsOf(committeeId)).reduce((sum, { donors }) => sum + Math.round(100 * donors), 0) / 100;
  const medianOf = async (committeeId: string) => {
    const rows = await rowsOf(committeeId);
    return groupQuantile(
      Float64Array.from({ length: 93 }, (_, at) => rows.find((row) => row.ageYears === 18 + at)?.donors ?? 0),
      0.5,
    );
  };
  const names = async () => (await db.pool.query('select * from donor_name order by 1, 2, 3, 4')).rows as unknown[];

  it('add up to the donors with a known first name, and depend on these names', async () => {
    await storeContributions(db.pool, [
      ...gifts(OLD, 'dorothy', 1, 60),
      ...gifts(OLD, null, 100, 7),
      ...gifts(YOUNG, 'jennifer', 200, 60),
      ...gifts(YOUNG, 'nosuchname', 300, 5),
    ]);
    await refreshed();
    expect([await donorsOf(OLD), await donorsOf(YOUNG)]).toEqual([60, 60]);
    expect((await rowsOf(OLD))[0]).toMatchObject({
      cycle: 2016,
      committeeId: OLD,
      contributions: null,
      amountCents: null,
    });
    expect(await medianOf(OLD)).toBeGreaterThan((await medianOf(YOUNG)) + 10);
    for (const id of [OLD, YOUNG]) {
      const { low, high } = (await rowsOf(id))[0].medianInterval!;
      expect(low).toBeLessThanOrEqual(await medianOf(id));
      expect(high).toBeGreaterThanOrEqual(await medianOf(id));
    }
    const version = (await new ChartRepository(db.pool).current())!;
    const [{ year, shares }, ...others] = await new AgeEstimates(db.pool).ofCycles(version);
    expect([year, others, shares.reduce((sum, share) => sum + share, 0)]).toEqual([2016, [], expect.closeTo(1, 6)]);
  });

  it('count the donors of each year as of their mean date', () => {
    const [firstOf2016, thirdOf2016, lastOf2015] = [4 * 2016, 4 * 2016 + 2, 4 * 2015 + 3];
    const people = peopleOf(
      [
        ['ada', firstOf2016, 3],
        ['bo', thirdOf2016, 1],
        ['bo', lastOf2015, 2],
      ],
      (key) => key.length,
    );
    const mean = civilDay(2016, 4, 1); // a quarter of the 182 days from 15 February to 15 August after the first
    expect(people).toEqual([
      { name: 3, on: mean, people: 3 },
      { name: 2, on: mean, people: 1 },
      { name: 2, on: civilDay(2015, 11, 15), people: 2 },
    ]);
  });

  it('of a cycle without a chart, which a removed sample has left, are not read', async () => {
    const version = (await new ChartRepository(db.pool).current())!;
    await db.pool.query(
      `insert into age_estimate select entity_id, 2012, version_id, estimate from age_estimate where entity_id = $1`,
      [WHOLE_CYCLE],
    );
    const cycles = await new AgeEstimates(db.pool).ofCycles(version);
    expect(cycles.map(({ year }) => year)).toEqual([2016]);
  });

  it('are versioned, and equal those of a reset after donors are added and removed', async () => {
    const reader = new ChartRepository(db.pool);
    const before = (await reader.current())!;
    await storeContributions(db.pool, gifts(OLD, 'jennifer', 400, 20));
    await removeContributions(db.pool, gifts(YOUNG, 'jennifer', 200, 30));
    await refreshed();
    expect([await donorsOf(OLD), await donorsOf(YOUNG)]).toEqual([80, 30]);
    const old = [...(await reader.ageDistribution(before, { committeeIds: [OLD], basis: 'donors' }))];
    expect(old.reduce((sum, { donors }) => sum + donors, 0)).toBeCloseTo(60, 6);
    const [grown, ages] = [await names(), await rowsOf(OLD)];
    await refreshed(true);
    expect(await names()).toEqual(grown);
    expect(await rowsOf(OLD)).toEqual(ages);
  });

  it('have no rows without a data release or without donors', async () => {
    await removeContributions(db.pool, [...gifts(OLD, '', 1, 60), ...gifts(OLD, '', 400, 20)]);
    await refreshed();
    expect(await rowsOf(OLD)).toEqual([]);
    await refreshCharts(db.pool, { reset: true });
    expect(await rowsOf(YOUNG)).toEqual([]);
  });
});
