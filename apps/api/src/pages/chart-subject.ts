import {
  AGE_DISTRIBUTION,
  BREAKDOWN,
  CANDIDATE_SEARCH,
  COMMITTEE_SEARCH,
  CUMULATIVE_DONORS,
  type TableFile,
} from '../data-charts/table-files';
import { type IndexEntry } from '../data-charts/chart-index';
import { type Lists } from './visit';

const OF_ADULTS: Lists = { basis: ['adult'] };

/** What the pages of a chart say in their own words; the rest they have in common. */
export interface ChartSubject {
  readonly file: TableFile;
  readonly eyebrow: string;
  /** Parameter of the ids. */
  readonly idName: 'candidate_id' | 'committee_id';
  /** One of whom it has ids. */
  readonly one: string;
  readonly example: string;
  /** The parts that are drawn, as a word. */
  readonly drawn: string;
  /** The other chart of the same people. */
  readonly other: { readonly file: TableFile; readonly idName: string; readonly words: string; readonly asks: Lists };
  /** What our own links add to the question: ages are asked of adults, as donors are. An address without it means all. */
  readonly asks: Lists;
  /** How one is found by name, and the file that says who has donors. */
  readonly search: {
    readonly by: string;
    readonly file: TableFile;
    readonly idColumn: 'CAND_ID' | 'CMTE_ID';
    readonly nameColumn: 'CAND_NAME' | 'CMTE_NM';
    readonly donorsFile: TableFile;
  };
  /** Ids of the index, with their names. */
  readonly known: (index: readonly IndexEntry[]) => readonly (readonly [id: string, name: string])[];
}

export const LINES: ChartSubject = {
  file: CUMULATIVE_DONORS,
  eyebrow: 'Donors over time',
  idName: 'candidate_id',
  one: 'candidate',
  example: 'P00000000',
  drawn: 'lines',
  other: {
    file: AGE_DISTRIBUTION,
    idName: 'committee_id',
    words: 'How old the donors of their committees are',
    asks: OF_ADULTS,
  },
  asks: {},
  search: {
    by: 'by name or id',
    file: CANDIDATE_SEARCH,
    idColumn: 'CAND_ID',
    nameColumn: 'CAND_NAME',
    donorsFile: BREAKDOWN,
  },
  known: (index) => index.map(({ candidateId, name }) => [candidateId, name]),
};

export const AGES: ChartSubject = {
  file: AGE_DISTRIBUTION,
  eyebrow: 'Ages of donors',
  idName: 'committee_id',
  one: 'committee',
  example: 'C00000000',
  drawn: 'histograms',
  other: {
    file: CUMULATIVE_DONORS,
    idName: 'candidate_id',
    words: 'How the donors of their candidates came in over time',
    asks: {},
  },
  asks: OF_ADULTS,
  search: {
    by: 'by its candidate’s name or its id',
    file: COMMITTEE_SEARCH,
    idColumn: 'CMTE_ID',
    nameColumn: 'CMTE_NM',
    donorsFile: AGE_DISTRIBUTION,
  },
  known: (index) => index.flatMap(({ committees }) => committees.map(({ id, name }) => [id, name] as const)),
};
