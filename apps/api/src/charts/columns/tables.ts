import { type CandidateInCycle, type CommitteeInCycle } from '@donorlens/campaign-finance';
import {
  type AgeRow,
  type BreakdownRow,
  type CumulativeDonorsRow,
  type DonorCounts,
  type DonorSizeRow,
  donorSizeBand,
  type OverlapRow,
  type RetentionRow,
} from '@donorlens/charts';
import {
  CAND_ID,
  candidateText,
  CMTE_ID,
  type Column,
  column,
  committeeText,
  COUNT_COLUMNS,
  COUNTED,
  CYCLE,
  donorCount,
  linkageText,
  ratio,
  type TableColumn,
  type TableColumns,
} from './column';

/** @param option - the query parameter that turns counts into expected numbers */
const expectedDonors = (option: string): TableColumn<Pick<AgeRow, keyof DonorCounts>> => ({
  ...COUNT_COLUMNS.DONORS,
  kind: 'number',
  unit: `people, identified by the donor key; with ${option} expected numbers, two decimals`,
  cell: ({ donors, contributions }) => (contributions === null ? donors.toFixed(2) : donors),
});

/** age_distribution/committee */
export const AGE_DISTRIBUTION_COLUMNS: TableColumns<AgeRow> = {
  CYCLE: column(CYCLE, ({ cycle }) => cycle),
  CMTE_ID: column(CMTE_ID, ({ committeeId }) => committeeId),
  AGE: {
    cell: ({ ageYears }) => ageYears,
    kind: 'whole',
    meaning: "donor's estimated age at the first counted contribution to the committee in the cycle",
    unit: 'completed years, 0 to 119; empty: no estimate',
    source: 'SSA births by name, SSA period life tables',
  },
  ...COUNT_COLUMNS,
  DONORS: expectedDonors('basis=donors'),
};

/** cumulative_donors/candidate */
export const CUMULATIVE_DONORS_COLUMNS: TableColumns<CumulativeDonorsRow> = {
  CYCLE: column(CYCLE, ({ cycle }) => cycle),
  CAND_ID: column(CAND_ID, ({ candidateId }) => candidateId),
  REF_DATE: {
    cell: ({ date }) => date,
    kind: 'date',
    meaning: 'every day from the first of the cycle to its newest contribution',
    unit: 'yyyy-mm-dd',
    source: COUNTED,
  },
  CUMUL_DONORS: {
    cell: ({ donors }) => donors,
    kind: 'whole',
    meaning: 'unique donors up to and including that day',
    unit: 'people, identified by the donor key',
    source: COUNTED,
  },
};

/** breakdown/candidate */
export const BREAKDOWN_COLUMNS: TableColumns<BreakdownRow> = {
  CYCLE: column(CYCLE, ({ cycle }) => cycle),
  CAND_ID: column(CAND_ID, ({ candidateId }) => candidateId),
  BY: {
    cell: ({ by }) => by,
    kind: 'text',
    meaning: 'property by which the donors are grouped',
    unit: 'age, ethnicity, gender, income, state, occupation, employer',
    source: COUNTED,
  },
  VALUE: {
    cell: ({ value }) => value,
    kind: 'text',
    meaning: 'the group',
    unit: "ages in tens (30-39), county's median income in 10,000 dollars (50000-59999), codes as in the contributions; the 200 most frequent occupations or employers, normalized (Self-Employed is SELF EMPLOYED), and (other); empty: unknown",
    source: 'each donor as at the first counted contribution',
  },
  ...COUNT_COLUMNS,
  DONORS: expectedDonors('ethnicity_basis'),
};

/** donor_size/candidate */
export const DONOR_SIZE_COLUMNS: TableColumns<DonorSizeRow> = {
  CYCLE: column(CYCLE, ({ cycle }) => cycle),
  CAND_ID: column(CAND_ID, ({ candidateId }) => candidateId),
  BAND: {
    cell: ({ fromDollars }) => (fromDollars === null ? null : donorSizeBand(fromDollars)),
    kind: 'text',
    meaning:
      'what one donor gave the candidate in the cycle, less refunds: three gifts of 80.00 are in 200-499; gifts to joint committees add 0',
    unit: 'dollars: 0-199 (and below), 200-499, 500-999, 1000-1999, 2000+; empty: money without a donor',
    source: COUNTED,
  },
  ...COUNT_COLUMNS,
};

const EARLIER = 'empty without an earlier cycle';

/** retention/candidate */
export const RETENTION_COLUMNS: TableColumns<RetentionRow> = {
  CYCLE: column(CYCLE, ({ cycle }) => cycle),
  CAND_ID: column(CAND_ID, ({ candidateId }) => candidateId),
  DONORS: column(COUNT_COLUMNS.DONORS, ({ donors }) => donors),
  NEW: column({ ...donorCount('those who gave in no earlier cycle'), unit: EARLIER }, ({ donors, returning }) =>
    returning === null ? null : donors - returning,
  ),
  RETURNING: column(
    {
      ...donorCount('those who also gave to the candidate (or party) in an earlier cycle, such as 2016 for 2020'),
      unit: EARLIER,
    },
    ({ returning }) => returning,
  ),
  LAPSED: column(
    {
      ...donorCount('those who did not give in the next cycle'),
      unit: 'empty until that has donors',
    },
    ({ donors, again }) => (again === null ? null : donors - again),
  ),
  RETENTION: {
    cell: ({ donors, again }) => (again === null ? null : ratio(100 * again, donors, 2)),
    kind: 'number',
    meaning: 'share of donors who also gave in the next cycle: 25 of 100 donors are 25',
    unit: 'percent',
    source: COUNTED,
  },
};

/** overlap/candidate */
export const OVERLAP_COLUMNS: TableColumns<OverlapRow> = {
  CYCLE: column(CYCLE, ({ cycle }) => cycle),
  CAND_ID: column(CAND_ID, ({ candidateId }) => candidateId),
  OTHER_CAND_ID: column(
    { ...CAND_ID, meaning: 'another candidate for the office', unit: undefined },
    ({ otherCandidateId }) => otherCandidateId,
  ),
  SHARED_DONORS: column(donorCount('donors who gave to both in the cycle'), ({ shared }) => shared),
  SHARE_OF_DONORS: {
    cell: ({ shared, donors }) => ratio(100 * shared, donors, 2),
    kind: 'number',
    meaning: 'share of the donors of CAND_ID who gave to the other: 50 of 200 donors are 25',
    unit: 'percent',
    source: COUNTED,
  },
  LIFT: {
    cell: ({ shared, donors, otherDonors, fieldDonors }) => ratio(shared * fieldDonors, donors * otherDonors, 3),
    kind: 'number',
    meaning: 'shared donors by those expected if donors for the office chose independently: 2 is twice as many',
    unit: 'ratio',
    source: COUNTED,
  },
};

type CandidateColumn = Exclude<keyof CandidateInCycle, 'cycle'>;
type CommitteeColumn = Exclude<keyof CommitteeInCycle, 'cycle'>;

const CAND_NAME = candidateText('name of the candidate', 'LAST, FIRST MIDDLE; a ticket has both names');
const CAND_PTY_AFFILIATION = candidateText('party of the candidate', 'code of three letters');
const CAND_ELECTION_YR = candidateText('year of the election the candidate runs in', 'year');

const CANDIDATE: Readonly<Record<CandidateColumn, Column>> = {
  CAND_ID,
  CAND_NAME,
  CAND_PTY_AFFILIATION,
  CAND_ELECTION_YR,
  CAND_OFFICE_ST: candidateText('state of the office', 'two letters; US for President'),
  CAND_OFFICE: candidateText('office', 'P President, S Senate, H House'),
  CAND_OFFICE_DISTRICT: candidateText('district of the office', 'two digits; 00 where there is none'),
  CAND_ICI: candidateText('standing', 'I incumbent, C challenger, O open seat'),
  CAND_STATUS: candidateText(
    'status',
    'C statutory candidate, F of a future election, N not yet, P of a prior election',
  ),
  CAND_PCC: candidateText('principal campaign committee', 'C and eight digits'),
  CAND_ST1: candidateText('street of the mailing address'),
  CAND_ST2: candidateText('second line of the street'),
  CAND_CITY: candidateText('city of the mailing address'),
  CAND_ST: candidateText('state of the mailing address', 'two letters'),
  CAND_ZIP: candidateText('ZIP of the mailing address', 'five or nine digits, text'),
};

const COMMITTEE: Readonly<Record<CommitteeColumn, Column>> = {
  CAND_ID,
  CAND_NAME,
  CAND_PTY_AFFILIATION,
  CAND_ELECTION_YR,
  LINKAGE_DSGN: linkageText(
    'what the committee is to this candidate',
    'P principal, A authorized, J joint fundraiser, U unauthorized, B lobbyist PAC, D leadership PAC',
  ),
  LINKAGE_TP: linkageText('type of the committee', 'P presidential; others as in CMTE_TP'),
  CMTE_ID,
  CMTE_NM: committeeText('name of the committee'),
  TRES_NM: committeeText('name of the treasurer'),
  CMTE_ST1: committeeText('street'),
  CMTE_ST2: committeeText('second line of the street'),
  CMTE_CITY: committeeText('city'),
  CMTE_ST: committeeText('state', 'two letters'),
  CMTE_ZIP: committeeText('ZIP', 'five or nine digits, text'),
  CMTE_DSGN: committeeText('designation in the committee master', 'letters as in LINKAGE_DSGN'),
  CMTE_TP: committeeText('type', 'P presidential, H House, S Senate, N and Q PAC, X and Y party, O super PAC, …'),
  CMTE_PTY_AFFILIATION: committeeText('party', 'code of three letters'),
  CMTE_FILING_FREQ: committeeText(
    'how often it files',
    'Q quarterly, M monthly, T terminated, A terminated by the FEC, …',
  ),
  ORG_TP: committeeText(
    'kind of organization behind it',
    'C corporation, L labor, M membership, T trade, V cooperative, …',
  ),
  CONNECTED_ORG_NM: committeeText('name of that organization'),
};

/** The cycle, then columns whose names equal those of the row. */
const inCycle = <Name extends string>(
  columns: Readonly<Record<Name, Column>>,
): TableColumns<{ readonly cycle: number } & Readonly<Record<Name, string>>> => ({
  CYCLE: column(CYCLE, ({ cycle }) => cycle),
  ...Object.fromEntries(
    (Object.keys(columns) as Name[]).map((name) => [
      name,
      column(columns[name], (row: Readonly<Record<Name, string>>) => row[name]),
    ]),
  ),
});

/** candidate/search: the cycle and the candidate master. */
export const CANDIDATE_COLUMNS: TableColumns<CandidateInCycle> = inCycle(CANDIDATE);

/** committee/candidate/search: the candidate of the committee, then the committee master without its own CAND_ID. */
export const COMMITTEE_COLUMNS: TableColumns<CommitteeInCycle> = inCycle(COMMITTEE);
