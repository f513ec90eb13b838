import { type CandidateInCycle, type CommitteeInCycle, type MastersRepository } from '@donorlens/campaign-finance';
import {
  AGE_BASES,
  type AgeRow,
  BREAKDOWNS,
  type BreakdownRow,
  type ChartRepository,
  type ChartsVersion,
  COMMITTEE_AGE_BASES,
  type CumulativeDonorsRow,
  type DonorSizeRow,
  type OverlapRow,
  type RetentionRow,
} from '@donorlens/charts';
import { ETHNICITY_OPTIONS } from '@donorlens/primitives';
import { TABLE_FILE_TYPES } from '@donorlens/tabular';
import { type TableColumns } from './columns/column';
import {
  AGE_DISTRIBUTION_COLUMNS,
  BREAKDOWN_COLUMNS,
  CANDIDATE_COLUMNS,
  COMMITTEE_COLUMNS,
  CUMULATIVE_DONORS_COLUMNS,
  DONOR_SIZE_COLUMNS,
  OVERLAP_COLUMNS,
  RETENTION_COLUMNS,
} from './columns/tables';
import { type DonorEthnicities } from './donor-ethnicities';
import {
  CANDIDATE_ID,
  choice,
  COMMITTEE_ID,
  CYCLE,
  type ListParameter,
  type Lists,
  NAME_PART,
  OFFICE,
  officesOf,
  PARTY,
} from './list-parameters';

/** In order of preference: the first is used if a client prefers several equally. */
export const MEDIA_TYPES = {
  csv: 'text/csv',
  json: 'application/json',
  html: 'text/html',
  svg: 'image/svg+xml',
  ...TABLE_FILE_TYPES,
} as const;
export type TableFormat = keyof typeof MEDIA_TYPES;

export interface TableSources {
  readonly charts: ChartRepository;
  readonly masters: MastersRepository;
  readonly ethnicities: DonorEthnicities;
}

/** A table that is served as a file, and as a page and a picture if there is a chart of it. */
export interface DataTable<Row = unknown> {
  /** Relative to /data-charts/v1. */
  readonly path: string;
  readonly summary: string;
  /** A request needs at least one of them. */
  readonly own: readonly ListParameter[];
  readonly options: readonly ListParameter[];
  readonly columns: TableColumns<Row>;
  readonly formats: readonly TableFormat[];
  /** The data that the table is made from; the table changes with its version. */
  readonly madeFrom: 'charts' | 'masters';
  /**
   * @param dataRelease - id of the data release of estimates; without it, the active one
   * @throws ChartsVersionGoneError
   */
  read(
    sources: TableSources,
    lists: Lists,
    version: ChartsVersion,
    dataRelease?: string | null,
  ): Promise<Iterable<Row>>;
}

const scopeOf = (lists: Lists) => ({ cycles: lists.cycle.map(Number), offices: officesOf(lists) });

const WITH_CHART: readonly TableFormat[] = ['csv', 'json', 'html', 'svg', 'parquet', 'xlsx'];
const FILE_ONLY: readonly TableFormat[] = ['csv', 'json', 'parquet', 'xlsx'];

const ADULT_BASIS = 'adult: ages of people aged 18 or older. Default: people of all ages.';
const BASIS = choice('basis', ADULT_BASIS, [...AGE_BASES] as [string, ...string[]], 1);
const COMMITTEE_BASIS = choice(
  'basis',
  `${ADULT_BASIS} donors: the ages of the committee as a whole, estimated from all first names together; DONORS are expected numbers, and there is no money by age.`,
  [...COMMITTEE_AGE_BASES] as [string, ...string[]],
  1,
);
const ETHNICITY_BASIS = choice(
  'ethnicity_basis',
  'Ethnicity as expected numbers of donors, without money: sums of the shares of their surnames, or of surname and place (BISG). By place, the first name counts, too, if the data release has first names by race. Needs candidate_id. Without it donors are counted by the most frequent group of their surname.',
  [...ETHNICITY_OPTIONS] as [string, ...string[]],
  1,
);
const BY = choice(
  'by',
  'What to tell donors apart by; repeat it for several. Without one: all but occupation and employer.',
  [...BREAKDOWNS] as [string, ...string[]],
  BREAKDOWNS.length,
);

const chosenOf = <Basis extends string>({ basis = [] }: Lists, bases: readonly Basis[]): Basis | undefined =>
  bases.find((one) => one === basis[0]);

export const AGE_DISTRIBUTION: DataTable<AgeRow> = {
  path: 'age_distribution/committee',
  summary: 'Donors, contributions and money of committees by age of the donor.',
  own: [COMMITTEE_ID, CYCLE],
  options: [OFFICE, COMMITTEE_BASIS],
  columns: AGE_DISTRIBUTION_COLUMNS,
  formats: WITH_CHART,
  madeFrom: 'charts',
  read: ({ charts }, lists, version) =>
    charts.ageDistribution(version, {
      committeeIds: lists.committee_id,
      ...scopeOf(lists),
      basis: chosenOf(lists, COMMITTEE_AGE_BASES),
    }),
};

export const CUMULATIVE_DONORS: DataTable<CumulativeDonorsRow> = {
  path: 'cumulative_donors/candidate',
  summary: 'Cumulative number of donors of candidates, day by day.',
  own: [CANDIDATE_ID, CYCLE],
  options: [OFFICE],
  columns: CUMULATIVE_DONORS_COLUMNS,
  formats: WITH_CHART,
  madeFrom: 'charts',
  read: ({ charts }, lists, version) =>
    charts.cumulativeDonors(version, { candidateIds: lists.candidate_id, ...scopeOf(lists) }),
};

/** Replaces counted donors by ethnicity with expected numbers. */
function withEthnicities(rows: readonly BreakdownRow[], expected: readonly BreakdownRow[]): BreakdownRow[] {
  const keyOf = ({ cycle, candidateId, by }: BreakdownRow): string => `${cycle} ${candidateId} ${by}`;
  return [...rows.filter(({ by }) => by !== 'ethnicity'), ...expected].sort((a, b) => {
    const [first, second] = [keyOf(a), keyOf(b)];
    return first < second ? -1 : first > second ? 1 : 0;
  });
}

export const BREAKDOWN: DataTable<BreakdownRow> = {
  path: 'breakdown/candidate',
  summary:
    "Donors, contributions and money of candidates by the donors' gender, age, ethnicity, state, county income, occupation or employer.",
  own: [CANDIDATE_ID, CYCLE],
  options: [OFFICE, BY, BASIS, ETHNICITY_BASIS],
  columns: BREAKDOWN_COLUMNS,
  formats: FILE_ONLY,
  madeFrom: 'charts',
  read: async ({ charts, ethnicities }, lists, version, dataRelease) => {
    const query = { candidateIds: lists.candidate_id, ...scopeOf(lists) };
    const by = BREAKDOWNS.filter((one) => lists.by.includes(one));
    const rows = await charts.breakdown(version, { ...query, by, basis: chosenOf(lists, AGE_BASES) });
    const basis = ETHNICITY_OPTIONS.find((one) => lists.ethnicity_basis.includes(one));
    if (basis === undefined || (by.length > 0 && !by.includes('ethnicity'))) return rows;
    return withEthnicities([...rows], await ethnicities.rows(version, query, basis, dataRelease));
  },
};

export const DONOR_SIZE: DataTable<DonorSizeRow> = {
  path: 'donor_size/candidate',
  summary: 'Donors, contributions and money of candidates by what a donor gave in the cycle.',
  own: [CANDIDATE_ID, CYCLE],
  options: [OFFICE],
  columns: DONOR_SIZE_COLUMNS,
  formats: FILE_ONLY,
  madeFrom: 'charts',
  read: ({ charts }, lists, version) =>
    charts.donorSize(version, { candidateIds: lists.candidate_id, ...scopeOf(lists) }),
};

export const RETENTION: DataTable<RetentionRow> = {
  path: 'retention/candidate',
  summary: 'Donors of candidates, or of the presidential field of a party, who are new, return and give again.',
  own: [CANDIDATE_ID, PARTY, CYCLE],
  options: [OFFICE],
  columns: RETENTION_COLUMNS,
  formats: FILE_ONLY,
  madeFrom: 'charts',
  read: ({ charts }, lists, version) =>
    charts.retention(version, { candidateIds: lists.candidate_id, parties: lists.party, ...scopeOf(lists) }),
};

export const OVERLAP: DataTable<OverlapRow> = {
  path: 'overlap/candidate',
  summary: 'Donors whom two candidates for the same office share in a cycle.',
  own: [CANDIDATE_ID, CYCLE],
  options: [OFFICE],
  columns: OVERLAP_COLUMNS,
  formats: FILE_ONLY,
  madeFrom: 'charts',
  read: ({ charts }, lists, version) =>
    charts.overlap(version, { candidateIds: lists.candidate_id, ...scopeOf(lists) }),
};

export const CANDIDATE_SEARCH: DataTable<CandidateInCycle> = {
  path: 'candidate/search',
  summary: 'Candidates by parts of their names.',
  own: [NAME_PART, CYCLE],
  options: [OFFICE],
  columns: CANDIDATE_COLUMNS,
  formats: FILE_ONLY,
  madeFrom: 'masters',
  read: ({ masters }, lists) => masters.candidateSearch({ nameParts: lists.name_part, ...scopeOf(lists) }),
};

export const COMMITTEE_SEARCH: DataTable<CommitteeInCycle> = {
  path: 'committee/candidate/search',
  summary: 'Committees of candidates, by parts of the names of the candidates.',
  own: [NAME_PART, CYCLE],
  options: [OFFICE],
  columns: COMMITTEE_COLUMNS,
  formats: FILE_ONLY,
  madeFrom: 'masters',
  read: ({ masters }, lists) => masters.committeeSearch({ nameParts: lists.name_part, ...scopeOf(lists) }),
};
