import { baseLetters } from '@donorlens/demographics';

/** Columns of the FEC candidate master, named and ordered as in the file. */
export const CANDIDATE_COLUMNS = [
  'CAND_ID',
  'CAND_NAME',
  'CAND_PTY_AFFILIATION',
  'CAND_ELECTION_YR',
  'CAND_OFFICE_ST',
  'CAND_OFFICE',
  'CAND_OFFICE_DISTRICT',
  'CAND_ICI',
  'CAND_STATUS',
  'CAND_PCC',
  'CAND_ST1',
  'CAND_ST2',
  'CAND_CITY',
  'CAND_ST',
  'CAND_ZIP',
] as const;

export const COMMITTEE_COLUMNS = [
  'CMTE_ID',
  'CMTE_NM',
  'TRES_NM',
  'CMTE_ST1',
  'CMTE_ST2',
  'CMTE_CITY',
  'CMTE_ST',
  'CMTE_ZIP',
  'CMTE_DSGN',
  'CMTE_TP',
  'CMTE_PTY_AFFILIATION',
  'CMTE_FILING_FREQ',
  'ORG_TP',
  'CONNECTED_ORG_NM',
  'CAND_ID',
] as const;

export const LINKAGE_COLUMNS = [
  'CAND_ID',
  'CAND_ELECTION_YR',
  'FEC_ELECTION_YR',
  'CMTE_ID',
  'CMTE_TP',
  'CMTE_DSGN',
  'LINKAGE_ID',
] as const;

export type MasterRow<Columns extends readonly string[]> = Readonly<Record<Columns[number], string>>;

/** Candidate master, one row of `cn`; trailing blanks are removed. */
export type Candidate = MasterRow<typeof CANDIDATE_COLUMNS>;
/** Committee master, one row of `cm`. */
export type Committee = MasterRow<typeof COMMITTEE_COLUMNS>;
/** Candidate-committee linkage of a cycle: one row of `ccl`. */
export type Linkage = MasterRow<typeof LINKAGE_COLUMNS>;

/** Rows of the three master files of one cycle, for the offices to import. */
export interface Masters {
  readonly candidates: readonly Candidate[];
  readonly committees: readonly Committee[];
  readonly linkages: readonly Linkage[];
}

/** Upper case without accents: names and the search terms of clients are compared in this form. */
export const foldName = (text: string): string => baseLetters(text).toUpperCase();
