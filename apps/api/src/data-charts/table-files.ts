import { AGE_BASES, BREAKDOWNS } from '@donorlens/charts';
import { AGE_DISTRIBUTION_COLUMNS, BREAKDOWN_COLUMNS, CUMULATIVE_DONORS_COLUMNS } from './columns/charts';
import { type Columns } from './columns/column';
import { CANDIDATE_COLUMNS, COMMITTEE_COLUMNS } from './columns/masters';
import { CANDIDATE_ID, choice, COMMITTEE_ID, CYCLE, type ListParameter, NAME_PART } from './list-parameter';
import { type TableFormat } from './table-format';

/** A file that is made once per version and question, and kept. */
export interface TableFile {
  /** Below /data-charts/v1. */
  readonly path: string;
  readonly summary: string;
  /** At least one of them is given. */
  readonly own: readonly ListParameter[];
  readonly options: readonly ListParameter[];
  readonly columns: Columns;
  /** Pages and pictures are there where there is a chart to draw. */
  readonly formats: readonly TableFormat[];
  /** What it is made from: it changes when this does. */
  readonly madeFrom: 'charts' | 'masters';
}

const DRAWN: readonly TableFormat[] = ['csv', 'json', 'html', 'svg'];
const PLAIN: readonly TableFormat[] = ['csv', 'json'];

const BASIS = choice(
  'basis',
  'adult: ages on the condition of having reached 18. Without it the rule of the specification, all ages.',
  [...AGE_BASES] as [string, ...string[]],
  1,
);
const BY = choice(
  'by',
  'What to tell donors apart by; repeat it for several. Without one: all.',
  [...BREAKDOWNS] as [string, ...string[]],
  BREAKDOWNS.length,
);

export const AGE_DISTRIBUTION: TableFile = {
  path: 'age_distribution/committee',
  summary: 'Donors, contributions and money of committees by age of the donor.',
  own: [COMMITTEE_ID, CYCLE],
  options: [BASIS],
  columns: AGE_DISTRIBUTION_COLUMNS,
  formats: DRAWN,
  madeFrom: 'charts',
};

export const CUMULATIVE_DONORS: TableFile = {
  path: 'cumulative_donors/candidate',
  summary: 'Cumulative number of donors of candidates, day by day.',
  own: [CANDIDATE_ID, CYCLE],
  options: [],
  columns: CUMULATIVE_DONORS_COLUMNS,
  formats: DRAWN,
  madeFrom: 'charts',
};

export const BREAKDOWN: TableFile = {
  path: 'breakdown/candidate',
  summary:
    "Donors, contributions and money of candidates by the donors' gender, age, ethnicity, state and county income.",
  own: [CANDIDATE_ID, CYCLE],
  options: [BY],
  columns: BREAKDOWN_COLUMNS,
  formats: PLAIN,
  madeFrom: 'charts',
};

export const CANDIDATE_SEARCH: TableFile = {
  path: 'candidate/search',
  summary: 'Presidential candidates by parts of their names.',
  own: [NAME_PART, CYCLE],
  options: [],
  columns: CANDIDATE_COLUMNS,
  formats: PLAIN,
  madeFrom: 'masters',
};

export const COMMITTEE_SEARCH: TableFile = {
  path: 'committee/candidate/search',
  summary: 'Committees of presidential candidates, by parts of the names of the candidates.',
  own: [NAME_PART, CYCLE],
  options: [],
  columns: COMMITTEE_COLUMNS,
  formats: PLAIN,
  madeFrom: 'masters',
};
