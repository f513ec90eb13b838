import { isCopyOf } from '@donorlens/campaign-finance';
import { firstDayOfCycle, formatCivilDay, parseCivilDay } from '@donorlens/primitives';
import { type ContributionRow, type LinkageRow } from './contribution-rows';

type Line = readonly (string | number)[];

export interface NaiveCharts {
  readonly ages: readonly Line[];
  readonly adultAges: readonly Line[];
  readonly series: readonly Line[];
  readonly breakdown: readonly Line[];
  /** rows that are a conduit's copy, `cycle:rowId` */
  readonly copies: readonly string[];
}

/** The charts of a handful of rows, counted the slow way: every question goes through all rows again. */
export function naiveCharts(rows: readonly ContributionRow[], linkages: readonly LinkageRow[]): NaiveCharts {
  const copies = rows.filter((row) => isConduitsCopy(row, rows));
  const counted = rows.filter((row) => !copies.includes(row));
  const cycles = unique(rows.map(({ cycle }) => cycle));
  const ages: Line[] = [];
  const adultAges: Line[] = [];
  const series: Line[] = [];
  const breakdown: Line[] = [];
  for (const cycle of cycles) {
    const ofCycle = counted.filter((row) => row.cycle === cycle);
    for (const committeeId of unique(ofCycle.map((row) => row.committeeId))) {
      const own = ofCycle.filter((row) => row.committeeId === committeeId);
      const donors = firstRows(own);
      ages.push(...lines([cycle, committeeId], own, donors, ({ age }) => age));
      adultAges.push(...lines([cycle, committeeId], own, donors, ({ ageAdult }) => ageAdult));
    }
    for (const candidateId of unique(linkages.map((linkage) => linkage.candidateId)).filter((id) =>
      id.startsWith('P'),
    )) {
      const link = (row: ContributionRow) =>
        linksOf(row.committeeId, cycle, linkages).find((linkage) => linkage.candidateId === candidateId)?.designation;
      const own = ofCycle.filter((row) => ['P', 'A', 'J'].includes(link(row) ?? ''));
      const donors = firstRows(own);
      const given = own.filter((row) => link(row) !== 'J');
      const newest = Math.max(
        ...rows
          .filter((row) => row.cycle === cycle)
          .map(dayOf)
          .filter(Number.isFinite),
      );
      if (donors.size > 0) series.push(...daily(cycle, candidateId, [...donors.values()], newest));
      const by = (name: string, of: (row: ContributionRow) => string | number | null) =>
        breakdown.push(...lines([cycle, candidateId, name], given, donors, of));
      by('age', ({ age }) => band(age, 10));
      by('ethnicity', ({ race }) => race);
      by('gender', ({ gender }) => gender);
      by('income', ({ income }) => band(income, 10_000));
      by('state', ({ state }) => state);
    }
  }
  return { ages, adultAges, series, breakdown, copies: copies.map(({ cycle, rowId }) => `${cycle}:${rowId}`).sort() };
}

const dayOf = ({ receivedOn }: ContributionRow): number => (receivedOn === null ? NaN : parseCivilDay(receivedOn));
const datedAmount = (row: ContributionRow) => ({ cents: row.moneyCents, day: dayOf(row) });
const unique = <T extends string | number>(values: readonly T[]): T[] =>
  [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));

function isConduitsCopy(row: ContributionRow, rows: readonly ContributionRow[]): boolean {
  if (row.earmark !== 2 || !row.countsMoney || row.donorKey === 0) return false;
  const gifts = rows.filter(
    ({ earmark, countsMoney, committeeId, donorKey }) =>
      earmark === 1 && countsMoney && committeeId === row.committeeId && donorKey === row.donorKey,
  );
  return gifts.some((gift) => isCopyOf(datedAmount(row), datedAmount(gift)));
}

function linksOf(committeeId: string, cycle: number, linkages: readonly LinkageRow[]): readonly LinkageRow[] {
  const own = linkages.filter((linkage) => linkage.committeeId === committeeId);
  const distances = own.map((linkage) => ({ linkage, years: Math.abs(linkage.cycle - cycle) }));
  const nearest = distances.sort((a, b) => a.years - b.years || a.linkage.cycle - b.linkage.cycle)[0]?.linkage.cycle;
  return own.filter((linkage) => linkage.cycle === nearest);
}

/** The first counted contribution of each donor, by date and row. */
function firstRows(rows: readonly ContributionRow[]): ReadonlyMap<number, ContributionRow> {
  const inOrder = rows
    .filter((row) => row.countsDonor && row.donorKey !== 0 && row.receivedOn !== null)
    .sort((a, b) => dayOf(a) - dayOf(b) || a.rowId - b.rowId);
  const first = new Map<number, ContributionRow>();
  for (const row of inOrder) if (!first.has(row.donorKey)) first.set(row.donorKey, row);
  return first;
}

const band = (value: number | null, width: number): string | null =>
  value === null ? null : `${Math.floor(value / width) * width}-${Math.floor(value / width) * width + width - 1}`;

/** One line for each value: donors by what they were at first, money by what its donor was; no donor, no value. */
function lines(
  key: Line,
  given: readonly ContributionRow[],
  donors: ReadonlyMap<number, ContributionRow>,
  of: (row: ContributionRow) => string | number | null,
): Line[] {
  const sums = new Map<string | number, { donors: number; contributions: number; cents: number }>();
  const at = (first: ContributionRow | undefined) => {
    const value = first === undefined ? '' : (of(first) ?? '');
    const sum = sums.get(value) ?? { donors: 0, contributions: 0, cents: 0 };
    sums.set(value, sum);
    return sum;
  };
  for (const first of donors.values()) at(first).donors++;
  for (const row of given.filter(({ countsMoney }) => countsMoney)) {
    const sum = at(donors.get(row.donorKey));
    sum.contributions += row.moneyCents > 0 ? 1 : 0;
    sum.cents += row.moneyCents;
  }
  return [...sums]
    .filter(([, sum]) => sum.donors !== 0 || sum.contributions !== 0 || sum.cents !== 0)
    .sort(([a], [b]) => byValue(a, b))
    .map(([value, sum]) => [...key, value, sum.donors, sum.contributions, (sum.cents / 100).toFixed(2)]);
}

/** Numbers and bands by their size, unknown last. */
function byValue(a: string | number, b: string | number): number {
  if (a === '' || b === '') return a === b ? 0 : a === '' ? 1 : -1;
  const [x, y] = [Number.parseInt(String(a), 10), Number.parseInt(String(b), 10)];
  if (Number.isNaN(x) || Number.isNaN(y)) return a < b ? -1 : 1;
  return x - y;
}

function daily(cycle: number, candidateId: string, firsts: readonly ContributionRow[], newest: number): Line[] {
  const all: Line[] = [];
  for (let day = firstDayOfCycle(cycle); day <= newest; day++)
    all.push([cycle, candidateId, formatCivilDay(day), firsts.filter((first) => dayOf(first) <= day).length]);
  return all;
}
