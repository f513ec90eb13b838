import { type Breakdown, type BreakdownRow, DONOR_SIZES, donorSizeBand } from '@donorlens/charts';
import { RACES } from '@donorlens/demographics';
import { type VNode } from 'preact';
import { type CycleDonors } from '../../charts/candidate-profiles';
import { BREAKDOWN, type DataTable, DONOR_SIZE, OVERLAP, RETENTION } from '../../charts/data-tables';
import { type Lists } from '../../charts/list-parameters';
import { ImportCommand } from '../charts/data-notices';
import { candidateName, committeeName } from '../charts/display-names';
import { GROUPS } from '../ethnicity/ethnicity-labels';
import { type BarValue } from '../layout/bar-chart';
import { count, percent } from '../layout/labels';
import { type StateShare, stateName } from './state-map';

/** A breakdown of the donors of a candidate in a cycle. */
export interface DonorSection {
  /** prefix of element ids on the page */
  readonly id: string;
  readonly title: string;
  /** file with the numbers */
  readonly table: DataTable;
  readonly parameters?: Lists;
  /** rows; the same for every candidate, to allow comparisons, except for occupations and other candidates */
  readonly bars: (donors: CycleDonors) => readonly BarValue[];
  /** The finding of the bars, in a few words. */
  readonly finding: (bars: readonly BarValue[]) => string;
  /** Explains the rows if the title does not. */
  readonly about?: string;
  /** States how many donors are in no row. */
  readonly unknown?: (donors: CycleDonors) => string;
  /** States why there are no bars, and how to get them. */
  readonly missing: (donors: CycleDonors) => VNode;
}

interface Part {
  readonly label: string;
  readonly donors: number;
}

/** More rows do not fit side by side. */
const MAX_ROWS = 8;

const barsOf = (parts: readonly Part[], all: number): BarValue[] =>
  all === 0
    ? []
    : parts.map(({ label, donors }) => {
        const share = donors / all;
        return { label, share, figure: `${percent(share)} (${count(donors)})` };
      });

const sumOf = (parts: readonly { readonly donors: number }[]): number =>
  parts.reduce((sum, { donors }) => sum + donors, 0);

const largestOf = (bars: readonly BarValue[]): BarValue =>
  bars.reduce((most, one) => (one.share > most.share ? one : most));

const rowsOf = ({ breakdowns }: Pick<CycleDonors, 'breakdowns'>, by: Breakdown): readonly BreakdownRow[] =>
  breakdowns.filter((row) => row.by === by);

const isKnown = <Row extends { readonly value: string | null }>(row: Row): row is Row & { readonly value: string } =>
  row.value !== null;

/** Shares of the donors whose value is known; each label has the values that its test accepts. */
function knownBars(
  rows: readonly BreakdownRow[],
  groups: readonly (readonly [label: string, test: (value: string) => boolean])[],
): BarValue[] {
  const known = rows.filter(isKnown);
  const parts = groups.map(([label, test]) => ({ label, donors: sumOf(known.filter(({ value }) => test(value))) }));
  return barsOf(parts, sumOf(known));
}

/** `19 of 572 donors have no known gender.`; empty if all have one. */
function unknownNote(rows: readonly BreakdownRow[], what: string): string {
  const without = sumOf(rows.filter(({ value }) => value === null));
  if (without === 0) return '';
  return `${count(without)} of ${count(sumOf(rows))} donors ${without === 1 ? 'has' : 'have'} no known ${what}.`;
}

const equals = (value: string) => (other: string) => other === value;
const startsAt = (value: string): number => Number(value.split('-')[0]);

const NO_NAMES = (
  <>
    No first name or surname of a donor is in the reference data. Load the official data:{' '}
    <code>bin/donorlens refresh</code>
  </>
);

const GENDER: DonorSection = {
  id: 'gender',
  title: 'Gender',
  table: BREAKDOWN,
  parameters: { by: ['gender'] },
  bars: (donors) =>
    knownBars(rowsOf(donors, 'gender'), [
      ['Female', equals('f')],
      ['Male', equals('m')],
    ]),
  finding: (bars) => `${percent(largestOf(bars).share)} are ${largestOf(bars).label.toLowerCase()}`,
  unknown: (donors) => unknownNote(rowsOf(donors, 'gender'), 'gender'),
  missing: () => NO_NAMES,
};

const AGES = [18, 30, 40, 50, 60, 70, 80];

const AGE: DonorSection = {
  id: 'age',
  title: 'Age by name',
  table: BREAKDOWN,
  parameters: { by: ['age'], basis: ['adult'] },
  bars: (donors) =>
    knownBars(
      rowsOf(donors, 'age'),
      AGES.map((from, at) => {
        const end = AGES[at + 1] ?? Infinity;
        const label = end === Infinity ? `${from} or older` : `${from} to ${end - 1}`;
        return [label, (value) => startsAt(value) < end && (at === 0 || startsAt(value) >= from)];
      }),
    ),
  finding: (bars) => `${percent(largestOf(bars).share)} are ${largestOf(bars).label}`,
  about: 'The median age of living people of 18 or older with the first name of the donor.',
  unknown: (donors) => unknownNote(rowsOf(donors, 'age'), 'age'),
  missing: () => NO_NAMES,
};

const ETHNICITY: DonorSection = {
  id: 'ethnicity',
  title: 'Ethnicity',
  table: BREAKDOWN,
  parameters: { by: ['ethnicity'], ethnicity_basis: ['surname'] },
  bars: ({ ethnicities }) =>
    knownBars(
      ethnicities ?? [],
      RACES.map((race) => [GROUPS[race], (value) => value === race]),
    ),
  finding: (bars) => `${percent(largestOf(bars).share)} are expected to be ${largestOf(bars).label}`,
  about: 'Expected numbers: the sum of the probabilities of all surnames.',
  unknown: ({ ethnicities }) => unknownNote(ethnicities ?? [], 'ethnicity'),
  missing: ({ ethnicities }) =>
    ethnicities === null ? <>These numbers are being computed. Reload the page in some seconds.</> : NO_NAMES,
};

const [LOWEST_INCOME, HIGHEST_INCOME, INCOME_STEP] = [40_000, 100_000, 10_000];
const INCOMES = Array.from(
  { length: (HIGHEST_INCOME - LOWEST_INCOME) / INCOME_STEP },
  (_, at) => LOWEST_INCOME + at * INCOME_STEP,
);

const INCOME: DonorSection = {
  id: 'income',
  title: 'Income of the county',
  table: BREAKDOWN,
  parameters: { by: ['income'] },
  bars: (donors) =>
    knownBars(rowsOf(donors, 'income'), [
      [`Under $${count(LOWEST_INCOME)}`, (value) => startsAt(value) < LOWEST_INCOME],
      ...INCOMES.map(
        (from) =>
          [
            `$${count(from)} to $${count(from + INCOME_STEP - 1)}`,
            (value: string) => startsAt(value) === from,
          ] as const,
      ),
      [`$${count(HIGHEST_INCOME)} or more`, (value) => startsAt(value) >= HIGHEST_INCOME],
    ]),
  finding: (bars) => `${largestOf(bars).label} is the most frequent`,
  about: 'Median household income of the donor’s county.',
  unknown: (donors) => unknownNote(rowsOf(donors, 'income'), 'county'),
  missing: () => (
    <>
      No donor has a county, because no file with the counties of ZIP codes is loaded. Operators load the Census file{' '}
      <code>zcta_county_rel_10.txt</code> with <code>bin/donorlens refresh</code>. If <code>DATA_SOURCE</code> is set,
      the file belongs in its folder <code>census/geo/</code>.
    </>
  ),
};

const OTHER_OCCUPATIONS = '(other)';

const OCCUPATION: DonorSection = {
  id: 'occupation',
  title: 'Occupation',
  table: BREAKDOWN,
  parameters: { by: ['occupation'] },
  bars: (donors) => {
    const known = rowsOf(donors, 'occupation').filter(isKnown);
    const named = known.filter(({ value }) => value !== OTHER_OCCUPATIONS).sort((a, b) => b.donors - a.donors);
    const parts = named.slice(0, MAX_ROWS).map(({ value, donors: people }) => ({
      label: committeeName(value),
      donors: people,
    }));
    return barsOf(parts, sumOf(known));
  },
  finding: ([first]) => `${first.label} is the most frequent`,
  about: 'The most frequent; spellings and synonyms are joined.',
  unknown: (donors) => unknownNote(rowsOf(donors, 'occupation'), 'occupation'),
  missing: () => <>The contributions of this cycle were filed without occupations.</>,
};

/** `Under $200`, `$200 to $499`, `$2,000 or more`. */
function sizeLabel(fromDollars: number): string {
  const [from, to] = donorSizeBand(fromDollars).split('-').map(Number);
  if (from === 0) return `Under $${count(to + 1)}`;
  return to === undefined ? `$${count(fromDollars)} or more` : `$${count(from)} to $${count(to)}`;
}

const SIZE: DonorSection = {
  id: 'size',
  title: 'Amount by donor',
  table: DONOR_SIZE,
  bars: ({ sizes }) =>
    barsOf(
      DONOR_SIZES.map((from) => ({
        label: sizeLabel(from),
        donors: sumOf(sizes.filter(({ fromDollars }) => fromDollars === from)),
      })),
      sumOf(sizes),
    ),
  finding: ([smallest]) =>
    `${percent(smallest.share)} gave ${smallest.label[0].toLowerCase()}${smallest.label.slice(1)}`,
  about: 'What one donor gave in the cycle, less refunds.',
  missing: () => <>No donor has a total.</>,
};

const RETAINED: DonorSection = {
  id: 'retention',
  title: 'Returning donors',
  table: RETENTION,
  bars: ({ cycle, retention }) => {
    if (retention === null) return [];
    const { donors, returning, again } = retention;
    const earlier = returning === null ? [] : [{ label: 'Gave in an earlier loaded cycle', donors: returning }];
    const next = again === null ? [] : [{ label: `Gave again in ${cycle + 2}`, donors: again }];
    return barsOf([...earlier, ...next], donors);
  },
  finding: ([first]) => `${percent(first.share)} ${first.label[0].toLowerCase()}${first.label.slice(1)}`,
  about: 'Gifts to the same candidate, of donors with the same name and ZIP code.',
  missing: ({ cycle }) => (
    <>
      No earlier and no next cycle has donors of candidates for this office. Load one:{' '}
      <ImportCommand cycle={cycle - 2} />
    </>
  ),
};

const SHARED: DonorSection = {
  id: 'overlap',
  title: 'Donors shared with others',
  table: OVERLAP,
  bars: ({ overlaps, count: all }) =>
    barsOf(
      overlaps.slice(0, MAX_ROWS).map(({ otherName, otherCandidateId, shared }) => ({
        label: candidateName(otherName) || otherCandidateId,
        donors: shared,
      })),
      all,
    ),
  finding: ([first]) => `${percent(first.share)} also gave to ${first.label}`,
  about: 'Candidates for the same office who share the most donors in the cycle.',
  missing: () => (
    <>No donor of the cycle gave to another candidate for the office, as far as contributions are loaded.</>
  ),
};

export const DONOR_SECTIONS: readonly DonorSection[] = [
  GENDER,
  AGE,
  ETHNICITY,
  INCOME,
  OCCUPATION,
  SIZE,
  RETAINED,
  SHARED,
];

/** States with donors, most first; the unknown one last. */
export function statesOf(donors: CycleDonors): StateShare[] {
  const rows = rowsOf(donors, 'state');
  const all = sumOf(rows.filter(isKnown));
  return rows
    .map(({ value, donors: people }) => ({ code: value, donors: people, share: value === null ? 0 : people / all }))
    .sort((a, b) => Number(a.code === null) - Number(b.code === null) || b.donors - a.donors);
}

/** `17.3% live in California`. */
export const stateFinding = ([{ code, share }]: readonly StateShare[]): string =>
  code === null ? 'no state is filed' : `${percent(share)} live in ${stateName(code)}`;
