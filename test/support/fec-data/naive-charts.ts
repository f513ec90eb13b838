import { isCopyOf } from '@donorlens/campaign-finance';
import {
  type AgeRow,
  type Breakdown,
  type BreakdownRow,
  type CumulativeDonorsRow,
  type DonorCounts,
  type DonorSizeRow,
  type OverlapRow,
  type RetentionRow,
} from '@donorlens/charts';
import { firstDayOfCycle, formatCivilDay, parseCivilDay } from '@donorlens/primitives';
import { type ContributionRow, type LinkageRow } from './contribution-rows';

export interface NaiveCharts {
  readonly ages: readonly AgeRow[];
  readonly adultAges: readonly AgeRow[];
  readonly series: readonly CumulativeDonorsRow[];
  readonly breakdown: readonly BreakdownRow[];
  /** By occupation and employer. */
  readonly work: readonly BreakdownRow[];
  readonly sizes: readonly DonorSizeRow[];
  readonly retention: readonly RetentionRow[];
  readonly overlap: readonly OverlapRow[];
  /** Rows that are a conduit's copy, as `cycle:rowId`. */
  readonly copies: readonly string[];
}

/** The charts of a few rows, counted the slow way: each figure is computed from all rows. */
export function naiveCharts(rows: readonly ContributionRow[], linkages: readonly LinkageRow[]): NaiveCharts {
  const copies = copiesAmong(rows);
  const counted = rows.filter((row) => !copies.includes(row));
  const cycles = unique(rows.map(({ cycle }) => cycle));
  const ages: AgeRow[] = [];
  const adultAges: AgeRow[] = [];
  const series: CumulativeDonorsRow[] = [];
  const breakdown: BreakdownRow[] = [];
  const work: BreakdownRow[] = [];
  const sizes: DonorSizeRow[] = [];
  const given: Given[] = [];
  for (const cycle of cycles) {
    const ofCycle = counted.filter((row) => row.cycle === cycle);
    for (const committeeId of unique(ofCycle.map((row) => row.committeeId))) {
      const own = ofCycle.filter((row) => row.committeeId === committeeId);
      const donors = firstRows(own);
      const byAge = (of: (row: ContributionRow) => number | null): AgeRow[] =>
        countsByValue(own, donors, of).map(({ value, ...counts }) => ({
          cycle,
          committeeId,
          ageYears: value,
          ...counts,
        }));
      ages.push(...byAge(({ age }) => age));
      adultAges.push(...byAge(({ ageAdult }) => ageAdult));
    }
    for (const candidateId of unique(linkages.map((linkage) => linkage.candidateId)).filter((id) =>
      id.startsWith('P'),
    )) {
      const link = (row: ContributionRow) =>
        linksOf(row.committeeId, cycle, linkages).find((linkage) => linkage.candidateId === candidateId)?.designation;
      const own = ofCycle.filter((row) => ['P', 'A', 'J'].includes(link(row) ?? ''));
      const donors = firstRows(own);
      const ownMoney = own.filter((row) => link(row) !== 'J');
      if (donors.size > 0) given.push({ cycle, candidateId, donors: new Set(donors.keys()) });
      const newest = Math.max(
        ...rows
          .filter((row) => row.cycle === cycle)
          .map(dayOf)
          .filter(Number.isFinite),
      );
      if (donors.size > 0) series.push(...daily(cycle, candidateId, [...donors.values()], newest));
      const by = (name: Breakdown, of: (row: ContributionRow) => string | null) =>
        breakdown.push(
          ...countsByValue(ownMoney, donors, of).map((counts) => ({ cycle, candidateId, by: name, ...counts })),
        );
      by('age', ({ age }) => band(age, 10));
      by('ethnicity', ({ race }) => race);
      by('gender', ({ gender }) => gender);
      by('income', ({ income }) => band(income, 10_000));
      by('state', ({ state }) => (state === '' ? null : state));
      for (const name of ['employer', 'occupation'] as const)
        work.push(
          ...countsByValue(ownMoney, donors, (row) => wordOf(row[name] ?? '') || null).map((counts) => ({
            cycle,
            candidateId,
            by: name,
            ...counts,
          })),
        );
      const sizeOf = ({ donorKey }: ContributionRow): number => {
        const total = ownMoney.filter((row) => row.donorKey === donorKey).reduce((sum, row) => sum + row.moneyCents, 0);
        return [2_000, 1_000, 500, 200].find((dollars) => total >= dollars * 100) ?? 0;
      };
      sizes.push(
        ...countsByValue(ownMoney, donors, sizeOf).map(({ value, ...counts }) => ({
          cycle,
          candidateId,
          fromDollars: value,
          ...counts,
        })),
      );
    }
  }
  return {
    ages,
    adultAges,
    series,
    breakdown,
    work,
    sizes,
    retention: retentionOf(given),
    overlap: overlapOf(given),
    copies: copies.map(({ cycle, rowId }) => `${cycle}:${rowId}`).sort(),
  };
}

/** The words of the property test, mapped to the words of the charts. */
const WORDS = new Map([
  ['SELF', 'SELF EMPLOYED'],
  ['NONE', 'NOT EMPLOYED'],
  ['INFORMATION REQUESTED PER BEST EFFORTS', ''],
]);
function wordOf(filed: string): string {
  const letters = filed
    .toUpperCase()
    .replace(/['.]/g, '')
    .replace(/[^A-Z0-9&]+/g, ' ')
    .trim();
  return WORDS.get(letters) ?? letters;
}

/** Donors of one candidate in one cycle. */
interface Given {
  readonly cycle: number;
  readonly candidateId: string;
  readonly donors: ReadonlySet<number>;
}

const retentionOf = (all: readonly Given[]): RetentionRow[] =>
  all.map(({ cycle, candidateId, donors }) => {
    const gave = (donor: number, when: (other: number) => boolean): boolean =>
      all.some((other) => other.candidateId === candidateId && when(other.cycle) && other.donors.has(donor));
    const count = (when: (other: number) => boolean): number => [...donors].filter((donor) => gave(donor, when)).length;
    const has = (when: (other: number) => boolean): boolean => all.some((other) => when(other.cycle));
    const countIfAny = (when: (other: number) => boolean): number | null => (has(when) ? count(when) : null);
    return {
      cycle,
      candidateId,
      donors: donors.size,
      returning: countIfAny((other) => other < cycle),
      again: countIfAny((other) => other === cycle + 2),
    };
  });

const overlapOf = (all: readonly Given[]): OverlapRow[] =>
  all.flatMap(({ cycle, candidateId, donors }) => {
    const field = all.filter((one) => one.cycle === cycle);
    const fieldDonors = new Set(field.flatMap((one) => [...one.donors])).size;
    return field
      .filter((other) => other.candidateId !== candidateId)
      .map((other) => ({
        cycle,
        candidateId,
        otherCandidateId: other.candidateId,
        shared: [...donors].filter((donor) => other.donors.has(donor)).length,
        donors: donors.size,
        otherDonors: other.donors.size,
        fieldDonors,
      }))
      .filter(({ shared }) => shared > 0);
  });

const dayOf = ({ receivedOn }: ContributionRow): number => (receivedOn === null ? NaN : parseCivilDay(receivedOn));
const datedAmount = (row: ContributionRow) => ({ cents: row.moneyCents, day: dayOf(row) });
const unique = <T extends string | number>(values: readonly T[]): T[] =>
  [...new Set(values)].sort((a, b) => (a < b ? -1 : 1));

/** Each row of a conduit, in order of days, takes the first unused gift that can be the same contribution. */
function copiesAmong(rows: readonly ContributionRow[]): readonly ContributionRow[] {
  const money = rows
    .filter((row) => row.countsMoney && row.donorKey !== 0 && row.receivedOn !== null)
    .sort((a, b) => dayOf(a) - dayOf(b) || a.rowId - b.rowId);
  const free = money.filter(({ earmark }) => earmark === 1);
  return money.filter((row) => {
    if (row.earmark !== 2) return false;
    const at = free.findIndex(
      (gift) =>
        gift.committeeId === row.committeeId &&
        gift.donorKey === row.donorKey &&
        isCopyOf(datedAmount(row), datedAmount(gift)),
    );
    if (at >= 0) free.splice(at, 1);
    return at >= 0;
  });
}

const linksOf = (committeeId: string, cycle: number, linkages: readonly LinkageRow[]): readonly LinkageRow[] =>
  linkages.filter((linkage) => linkage.committeeId === committeeId && linkage.cycle === cycle);

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

/** One row for each value: donors by the value of their first contribution, money by the value of its donor. */
function countsByValue<Value extends string | number>(
  given: readonly ContributionRow[],
  donors: ReadonlyMap<number, ContributionRow>,
  of: (row: ContributionRow) => Value | null,
): (DonorCounts & { readonly value: Value | null })[] {
  const sums = new Map<Value | null, { donors: number; contributions: number; amountCents: number }>();
  const at = (first: ContributionRow | undefined) => {
    const value = first === undefined ? null : of(first);
    const sum = sums.get(value) ?? { donors: 0, contributions: 0, amountCents: 0 };
    sums.set(value, sum);
    return sum;
  };
  for (const first of donors.values()) at(first).donors++;
  for (const row of given.filter(({ countsMoney }) => countsMoney)) {
    const sum = at(donors.get(row.donorKey));
    sum.contributions += row.moneyCents > 0 && row.reason !== 'refund' ? 1 : 0;
    sum.amountCents += row.moneyCents;
  }
  return [...sums]
    .filter(([, sum]) => sum.donors !== 0 || sum.contributions !== 0 || sum.amountCents !== 0)
    .sort(([a], [b]) => byValue(a, b))
    .map(([value, sum]) => ({ value, ...sum }));
}

/** Sorts numbers and bands by size, unknown values last. */
function byValue(a: string | number | null, b: string | number | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const [x, y] = [Number.parseInt(String(a), 10), Number.parseInt(String(b), 10)];
  if (Number.isNaN(x) || Number.isNaN(y)) return a < b ? -1 : 1;
  return x - y;
}

function daily(
  cycle: number,
  candidateId: string,
  firsts: readonly ContributionRow[],
  newest: number,
): CumulativeDonorsRow[] {
  const all: CumulativeDonorsRow[] = [];
  for (let day = firstDayOfCycle(cycle); day <= newest; day++) {
    const donors = firsts.filter((first) => dayOf(first) <= day).length;
    all.push({ cycle, candidateId, date: formatCivilDay(day), donors });
  }
  return all;
}
