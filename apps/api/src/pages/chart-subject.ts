import { AGE_DISTRIBUTION, CUMULATIVE_DONORS, type TableFile } from '../data-charts/table-files';
import { type IndexEntry } from '../data-charts/chart-index';

/** What the pages of a chart say in their own words; the rest they have in common. */
export interface ChartSubject {
  readonly file: TableFile;
  readonly eyebrow: string;
  /** Parameter of the ids. */
  readonly idName: 'candidate_id' | 'committee_id';
  /** One of whom it has ids. */
  readonly one: string;
  readonly example: string;
  readonly pattern: string;
  /** The parts that are drawn, as a word. */
  readonly drawn: string;
  /** The other chart of the same people. */
  readonly other: { readonly file: TableFile; readonly idName: string; readonly words: string };
  /** Ids to choose from, with their names. */
  readonly known: (index: readonly IndexEntry[]) => readonly (readonly [id: string, name: string])[];
}

export const LINES: ChartSubject = {
  file: CUMULATIVE_DONORS,
  eyebrow: 'Donors over time',
  idName: 'candidate_id',
  one: 'candidate',
  example: 'P00000000',
  pattern: '[Pp][0-9]{8}',
  drawn: 'lines',
  other: { file: AGE_DISTRIBUTION, idName: 'committee_id', words: 'How old the donors of their committees are' },
  known: (index) => index.map(({ candidateId, name }) => [candidateId, name]),
};

export const AGES: ChartSubject = {
  file: AGE_DISTRIBUTION,
  eyebrow: 'Ages of donors',
  idName: 'committee_id',
  one: 'committee',
  example: 'C00000000',
  pattern: '[Cc][0-9]{8}',
  drawn: 'histograms',
  other: {
    file: CUMULATIVE_DONORS,
    idName: 'candidate_id',
    words: 'How the donors of their candidates came in over time',
  },
  known: (index) => index.flatMap(({ committees }) => committees.map(({ id, name }) => [id, name] as const)),
};
