import { type ExampleIds } from './about-facts';
import { type Columns } from './columns/column';
import { CONTRIBUTION_COLUMNS } from './columns/contributions';
import {
  AGE_DISTRIBUTION,
  BREAKDOWN,
  CANDIDATE_SEARCH,
  COMMITTEE_SEARCH,
  CUMULATIVE_DONORS,
  type DataTable,
  DONOR_SIZE,
  OVERLAP,
  RETENTION,
} from './data-tables';

/** How a client requests one of the files. */
export interface FileGuide {
  /** Relative to /data-charts/v1. */
  readonly path: string;
  readonly title: string;
  readonly summary: string;
  /** A request needs at least one of them. */
  readonly parameters: readonly string[];
  readonly options: readonly string[];
  readonly columns: Columns;
  /** True if the file has a chart. */
  readonly hasChart: boolean;
  /** A query with results; null if the data for it are not loaded. */
  readonly example: (ids: ExampleIds) => Readonly<Record<string, string>> | null;
}

const guideOf = (
  title: string,
  { path, summary, own, options, columns, formats }: DataTable,
  example: FileGuide['example'],
): FileGuide => ({
  path,
  title,
  summary,
  parameters: own.map(({ name }) => name),
  options: [...options.map(({ name }) => name), 'format', 'raw', 'bom', 'filename'],
  columns,
  hasChart: formats.includes('html'),
  example,
});

const byCommittee: FileGuide['example'] = ({ committeeId, cycle }) =>
  committeeId === null ? null : { committee_id: committeeId, cycle: String(cycle) };

const byCandidate: FileGuide['example'] = ({ candidateId, cycle }) => ({
  candidate_id: candidateId,
  cycle: String(cycle),
});

/** In order of use: first find ids, then use them. */
export const FILE_GUIDES: readonly FileGuide[] = [
  guideOf('Find candidates', CANDIDATE_SEARCH, ({ namePart, cycle }) => ({
    name_part: namePart,
    cycle: String(cycle),
  })),
  guideOf('Find their committees', COMMITTEE_SEARCH, ({ namePart, cycle }) => ({
    name_part: namePart,
    cycle: String(cycle),
  })),
  guideOf('Donors over time', CUMULATIVE_DONORS, byCandidate),
  guideOf('Donors by age', AGE_DISTRIBUTION, byCommittee),
  guideOf('Donors by gender, age, ethnicity, state, income', BREAKDOWN, ({ candidateId, cycle }) => ({
    candidate_id: candidateId,
    cycle: String(cycle),
    by: 'gender',
  })),
  guideOf('Donors by what they gave', DONOR_SIZE, byCandidate),
  guideOf('Donors who return', RETENTION, byCandidate),
  guideOf('Donors whom candidates share', OVERLAP, byCandidate),
  {
    path: 'contributions/search',
    title: 'The contributions themselves',
    summary: 'Every row as filed, the estimates for the donor, and whether and why the row counts.',
    parameters: ['candidate_id', 'committee_id', 'cycle', 'date_from', 'date_to'],
    options: ['office', 'limit', 'after', 'detail', 'ethnicity_basis', 'tract_income', 'format', 'raw', 'bom'],
    columns: CONTRIBUTION_COLUMNS,
    hasChart: false,
    example: ({ committeeId, cycle }) =>
      committeeId === null ? null : { committee_id: committeeId, cycle: String(cycle), limit: '1000' },
  },
];
