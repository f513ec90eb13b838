import { AgeEstimator, GroupAgeEstimator } from '@donorlens/demographics';
import { civilDay } from '@donorlens/primitives';
import { birthTable, mortal } from '../../../../test/support/reference-data/synthetic-tables';
import { type BatchTotals, batchSummary, summaryCsv } from './batch-summary';

const flat = Object.fromEntries(Array.from({ length: 80 }, (_, at) => [1930 + at, 100]));
const births = birthTable({
  ada: { f: { 1955: 60, 1956: 60 } },
  bo: { m: { 1985: 60, 1986: 60 } },
  all: { f: flat, m: flat },
});
const groupAges = new GroupAgeEstimator(births, new AgeEstimator(births, mortal).survival);
const counties: Record<string, { name: string; stateUsps: string; medianHouseholdIncome: number | null }> = {
  '09001': { name: 'Fairfield', stateUsps: 'CT', medianHouseholdIncome: 90_000 },
  '09003': { name: 'Hartford', stateUsps: 'CT', medianHouseholdIncome: 70_000 },
  '15005': { name: 'Kalawao', stateUsps: 'HI', medianHouseholdIncome: null },
};
const tables = { groupAges, countyOf: (fips: string) => counties[fips] ?? null };
const place = (fips: string | null, rows: number, tracts = 0) => ({
  fips,
  rows,
  tracts,
  blocks: tracts,
  address_ids: 0,
});
const noShares = { white: 0, black: 0, api: 0, aian: 0, '2prace': 0, hispanic: 0 };
const totals: BatchTotals = {
  rows: 12,
  first_names: 9,
  surnames: 2,
  estimates: 2,
  ages: 8,
  genders: 9,
  races: 2,
  shares: { ...noShares, white: 12_345, black: 7_655 },
  names: [],
  places: [place(null, 3), place('09001', 2, 1), place('09003', 4), place('15005', 1), place('99999', 1)],
};
const contributions = { type: 'contributions', releaseId: 'r' } as const;

describe('the summary of a batch', () => {
  it('counts places, incomes and filled columns, worked by hand', () => {
    const summary = batchSummary(contributions, totals, tables);
    expect(summary).toMatchObject({
      states: [
        { value: 'CT', rows: 6 },
        { value: 'HI', rows: 1 },
      ],
      income: { q25: 70_000, median: 70_000, q75: 90_000 }, // of six rows, the fifth has 90,000
      ages: { median: null, median_low: null, distribution: [] },
      sex: [],
    });
    expect(summary.counties.map(({ county, state, rows }) => [county, state, rows])).toEqual([
      ['Hartford', 'CT', 4],
      ['Fairfield', 'CT', 2],
      ['Kalawao', 'HI', 1],
    ]);
    expect(summary.ethnicity.slice(0, 2)).toEqual([
      { value: 'white', people: 1.23 },
      { value: 'black', people: 0.77 },
    ]);
    const filled = Object.fromEntries(summary.filled.map(({ column, rows }) => [column, rows]));
    expect(filled).toMatchObject({ AGE: 8, FIPS: 8, COUNTY: 7, HH_INCOME_MEDIAN: 6, TRACT_CD: 1, PCT_WHITE: 2 });
  });

  it('estimates ages and sex from all names of the batch', () => {
    const day = civilDay(2016, 6, 1);
    const { ages, sex } = batchSummary(
      contributions,
      {
        ...totals,
        names: [
          [0, day, 3000],
          [2, day, 1000],
        ],
      },
      tables,
    );
    expect(ages.median).toBeGreaterThan(55);
    expect(ages.median_low).toBeLessThanOrEqual(ages.median ?? 0);
    expect(ages.median_high).toBeGreaterThanOrEqual(ages.median ?? Infinity);
    expect(sex).toEqual([
      { value: 'f', people: 3000 },
      { value: 'm', people: 1000 },
    ]);
    expect(ages.distribution.reduce((sum, { people }) => sum + people, 0)).toBeCloseTo(4000, 0);
  });

  it('has a line for each number as CSV, with an empty cell for unknown ones', () => {
    const csv = summaryCsv(batchSummary({ type: 'ethnicity', releaseId: 'r' }, { ...totals, places: [] }, tables));
    expect(csv).toContain('SECTION,VALUE,NUMBER\ndata_release,r,\nrows,all,12\n');
    expect(csv).toContain('ages,median,\n');
    expect(csv).toContain('filled,ETHNICITY,2\n');
    expect(csv).toMatch(/\nfill_rate,ETHNICITY,(1|0\.\d{1,4})\n/);
    expect(csv).not.toContain('filled,AGE');
  });
});
