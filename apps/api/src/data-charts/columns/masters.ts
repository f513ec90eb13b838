import { CAND_ID, candidateText, CMTE_ID, type Columns, committeeText, CYCLE, linkageText } from './column';

const CAND_NAME = candidateText('name of the candidate', 'LAST, FIRST MIDDLE; a ticket has both names');
const CAND_PTY_AFFILIATION = candidateText('party of the candidate', 'code of three letters');
const CAND_ELECTION_YR = candidateText('year of the election the candidate stands in', 'year');

/** candidate/search: the cycle and the candidate master. */
export const CANDIDATE_COLUMNS: Columns = {
  CYCLE,
  CAND_ID,
  CAND_NAME,
  CAND_PTY_AFFILIATION,
  CAND_ELECTION_YR,
  CAND_OFFICE_ST: candidateText('state of the office', 'US for president'),
  CAND_OFFICE: candidateText('office', 'P: president, the only one here'),
  CAND_OFFICE_DISTRICT: candidateText('district of the office', '00 for president'),
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

/** committee/candidate/search: whose committee it is, then the committee master without its own CAND_ID. */
export const COMMITTEE_COLUMNS: Columns = {
  CYCLE,
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
    'kind of organisation behind it',
    'C corporation, L labor, M membership, T trade, V cooperative, …',
  ),
  CONNECTED_ORG_NM: committeeText('name of that organisation'),
};
