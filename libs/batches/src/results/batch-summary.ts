import {
  type GroupAgeEstimator,
  type GroupAges,
  type NamedPeople,
  ADULT_AGE,
  PCT_COLUMNS,
  groupQuantile,
} from '@donorlens/demographics';
import { csvText } from '@donorlens/tabular';
import { type Batch } from '../batch';
import { APPENDED } from './csv-results';
import { type ResultAreas } from './result-areas';

/** What the stored rows of a batch add up to. */
export interface BatchTotals {
  readonly rows: number;
  readonly first_names: number;
  readonly surnames: number;
  readonly ages: number;
  readonly genders: number;
  readonly races: number;
  /** rows with shares by ethnicity: those with a known surname, or by place also others */
  readonly estimates: number;
  /** hundredths of a percent by group, summed over these rows */
  readonly shares: Readonly<Record<(typeof PCT_COLUMNS)[number], number>>;
  /** people by position of the first name and mean day of all rows of the year, as days since 1970 */
  readonly names: readonly (readonly [name: number, day: number, people: number])[];
  /** rows by county */
  readonly places: readonly PlaceTotal[];
}

export interface PlaceTotal {
  readonly fips: string | null;
  readonly rows: number;
  readonly tracts: number;
  readonly blocks: number;
  readonly address_ids: number;
}

/** Tables of the batch's data release. */
export interface SummaryTables {
  readonly groupAges: GroupAgeEstimator;
  readonly countyOf: (fips: string) => SummaryCounty | null;
  readonly areas: ResultAreas;
}

interface SummaryCounty {
  readonly name: string;
  readonly stateUsps: string;
  readonly medianHouseholdIncome: number | null;
}

interface People {
  readonly value: string;
  /** expected number, two decimals */
  readonly people: number;
}

/** Summary of a batch, as the API answers it. */
export interface BatchSummary {
  readonly rows: number;
  readonly first_names_known: number;
  readonly surnames_known: number;
  /** Age distribution of adults with informative first names; nulls if there are none. */
  readonly ages: {
    readonly basis: 'group';
    readonly median: number | null;
    readonly median_low: number | null;
    readonly median_high: number | null;
    readonly distribution: readonly { readonly age: number; readonly people: number }[];
  };
  readonly sex: readonly People[];
  readonly ethnicity: readonly People[];
  readonly states: readonly { readonly value: string; readonly rows: number }[];
  readonly counties: readonly {
    readonly fips: string;
    readonly county: string;
    readonly state: string;
    readonly rows: number;
  }[];
  readonly income: { readonly q25: number | null; readonly median: number | null; readonly q75: number | null };
  /** Rows with a value, by added column, and their share of all rows, 0 to 1. */
  readonly filled: readonly { readonly column: string; readonly rows: number; readonly fill_rate: number }[];
  readonly data_release: string;
}

/** The counties with most rows. */
const MAX_COUNTIES = 20;
/** Half the width of a 95 % interval of the median, as a quantile, times the root of the number of people. */
const MEDIAN_MARGIN = 1.96 / 2;

const twoDecimals = (value: number): number => Math.round(100 * value) / 100;

/** Summary of a batch from what its rows add up to; no counter of the pipeline is used. */
export function batchSummary(
  { type, releaseId }: Pick<Batch, 'type' | 'releaseId'>,
  totals: BatchTotals,
  { groupAges, countyOf }: Omit<SummaryTables, 'areas'>,
): BatchSummary {
  const places = totals.places.map((place) => ({
    ...place,
    county: place.fips === null ? null : countyOf(place.fips),
  }));
  const group = type === 'ethnicity' ? null : estimateBatchAges(totals.names, groupAges);
  return {
    rows: totals.rows,
    first_names_known: totals.first_names,
    surnames_known: totals.surnames,
    ages: agesOf(group),
    sex: group === null ? [] : sexesOf(group),
    ethnicity:
      totals.estimates === 0
        ? []
        : PCT_COLUMNS.map((value) => ({ value, people: twoDecimals(totals.shares[value] / 10_000) })),
    ...placesOf(places),
    income: incomesOf(places),
    filled: filledOf(type, totals, places),
    data_release: releaseId,
  };
}

/** Ages of a whole batch; null if no first name is informative about the age of an adult. */
export function estimateBatchAges(names: BatchTotals['names'], groupAges: GroupAgeEstimator): GroupAges | null {
  const people: NamedPeople[] = names.map(([name, on, n]) => ({ name, on, people: n }));
  if (people.length === 0) return null;
  const days = people.map(({ on, people: n }) => [on, n] as const).sort(([a], [b]) => a - b);
  const group = groupAges.estimate(people, groupAges.adults(weightedQuantile(days, 0.5) ?? 0));
  return group.people > 0 ? group : null;
}

function agesOf(group: GroupAges | null): BatchSummary['ages'] {
  if (group === null) return { basis: 'group', median: null, median_low: null, median_high: null, distribution: [] };
  const { shares, people, effectivePeople } = group;
  const margin = MEDIAN_MARGIN / Math.sqrt(effectivePeople);
  const at = (p: number): number => groupQuantile(shares, Math.min(1, Math.max(0, p)));
  return {
    basis: 'group',
    median: at(0.5),
    median_low: at(0.5 - margin),
    median_high: at(0.5 + margin),
    distribution: [...shares].map((share, index) => ({ age: ADULT_AGE + index, people: twoDecimals(share * people) })),
  };
}

const sexesOf = ({ people, maleShare }: GroupAges): People[] => [
  { value: 'f', people: twoDecimals(people * (1 - maleShare)) },
  { value: 'm', people: twoDecimals(people * maleShare) },
];

type KnownPlace = PlaceTotal & { readonly county: SummaryCounty | null };

function placesOf(places: readonly KnownPlace[]): Pick<BatchSummary, 'states' | 'counties'> {
  const states = new Map<string, number>();
  for (const { county, rows } of places)
    if (county) states.set(county.stateUsps, (states.get(county.stateUsps) ?? 0) + rows);
  const counties = places.flatMap(({ fips, county, rows }) =>
    fips !== null && county ? [{ fips, county: county.name, state: county.stateUsps, rows }] : [],
  );
  return {
    states: [...states]
      .map(([value, rows]) => ({ value, rows }))
      .sort((a, b) => b.rows - a.rows || (a.value < b.value ? -1 : 1)),
    counties: counties.sort((a, b) => b.rows - a.rows || (a.fips < b.fips ? -1 : 1)).slice(0, MAX_COUNTIES),
  };
}

/** Quartiles over the rows of the median income of their county. */
function incomesOf(places: readonly KnownPlace[]): BatchSummary['income'] {
  const incomes = places
    .flatMap(({ county, rows }) =>
      county?.medianHouseholdIncome == null ? [] : [[county.medianHouseholdIncome, rows] as const],
    )
    .sort(([a], [b]) => a - b);
  const [q25, median, q75] = [0.25, 0.5, 0.75].map((p) => weightedQuantile(incomes, p));
  return { q25, median, q75 };
}

/** Smallest value up to which at least the share p of the weight has come; null without values. */
function weightedQuantile(sorted: readonly (readonly [value: number, weight: number])[], p: number): number | null {
  const border = p * sorted.reduce((sum, [, weight]) => sum + weight, 0);
  let sum = 0;
  return sorted.find(([, weight]) => (sum += weight) >= border)?.[0] ?? null;
}

function filledOf(type: Batch['type'], totals: BatchTotals, places: readonly KnownPlace[]): BatchSummary['filled'] {
  const sum = (rowsOf: (place: KnownPlace) => number): number =>
    places.reduce((total, place) => total + rowsOf(place), 0);
  const rows: Readonly<Record<string, number>> = {
    AGE: totals.ages,
    GENDER: totals.genders,
    ETHNICITY: totals.races,
    FIPS: sum((place) => (place.fips === null ? 0 : place.rows)),
    COUNTY: sum((place) => (place.county ? place.rows : 0)),
    TRACT_CD: sum((place) => place.tracts),
    BLOCK_CD: sum((place) => place.blocks),
    HH_INCOME_MEDIAN: sum((place) => (place.county?.medianHouseholdIncome == null ? 0 : place.rows)),
    ADDRESS_ID: sum((place) => place.address_ids),
  };
  const rowsOf = (column: string): number | undefined => (column.startsWith('PCT_') ? totals.estimates : rows[column]);
  return APPENDED[type].flatMap((column) => {
    const filled = rowsOf(column);
    if (filled === undefined) return [];
    return [
      { column, rows: filled, fill_rate: totals.rows === 0 ? 0 : Math.round((1e4 * filled) / totals.rows) / 1e4 },
    ];
  });
}

/** The summary as rows `SECTION,VALUE,NUMBER`; a value that is not known is an empty cell. */
export function summaryCsv({ ages, income, data_release: release, ...summary }: BatchSummary): string {
  const { distribution, basis, ...medians } = ages;
  const { rows, first_names_known: firstNames, surnames_known: surnames } = summary;
  return csvText([
    ['SECTION', 'VALUE', 'NUMBER'],
    ['data_release', release, null],
    ['rows', 'all', rows],
    ['rows', 'first_names_known', firstNames],
    ['rows', 'surnames_known', surnames],
    ['ages', 'basis', basis],
    ...Object.entries(medians).map(([name, value]) => ['ages', name, value]),
    ...distribution.map(({ age, people }) => ['age', age, people]),
    ...summary.sex.map(({ value, people }) => ['sex', value, people]),
    ...summary.ethnicity.map(({ value, people }) => ['ethnicity', value, people]),
    ...summary.states.map(({ value, rows: n }) => ['state', value, n]),
    ...summary.counties.map(({ fips, rows: n }) => ['county', fips, n]),
    ...Object.entries(income).map(([name, value]) => ['income', name, value]),
    ...summary.filled.map(({ column, rows: n }) => ['filled', column, n]),
    ...summary.filled.map(({ column, fill_rate: share }) => ['fill_rate', column, share]),
  ]);
}
