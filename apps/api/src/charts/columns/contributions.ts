import { CAND_ID, type Column, CONTRIBUTIONS, CYCLE, filedText } from './column';
import { type CONTRIBUTION_FILE_COLUMNS } from '@donorlens/campaign-finance';

const SURNAMES = 'Census surnames of 2000, 2010 or, if loaded, 2020';
const GEOCODER = 'Census Geocoder';

const share = (group: string): Column => ({
  kind: 'number',
  meaning: `share of the surname's bearers who are ${group}`,
  unit: 'percent, 0 to 100',
  source: SURNAMES,
});

/** contributions/search */
export const CONTRIBUTION_COLUMNS: Readonly<Record<(typeof CONTRIBUTION_FILE_COLUMNS)[number], Column>> = {
  CYCLE,
  CAND_ID: {
    ...CAND_ID,
    meaning:
      'candidate of the committee in the cycle; of several, one row for each requested, else all in one cell; empty where it is linked to none',
    unit: 'as in the other files; several: P00000001;P00000002',
    source: 'FEC linkage (ccl)',
  },
  CMTE_ID: filedText('committee that filed the row', 'C and eight digits'),
  AMNDT_IND: filedText('kind of report', 'N new, A amendment, T termination'),
  RPT_TP: filedText('report', 'Q1 to Q3, YE, M2 to M12, 12G, 30G, …'),
  TRANSACTION_PGI: filedText('election it is for', 'P2016 primary, G2016 general, …'),
  IMAGE_NUM: filedText('page image', '11 or 18 digits, text; empty in electronic filings'),
  TRANSACTION_TP: filedText(
    'type',
    '15 gift, 15E earmarked gift, 15J from a joint fundraiser, 22Y refund, 24T passed on by a conduit, …',
  ),
  ENTITY_TP: filedText('who gave', 'IND individual, CAN candidate, COM, CCM, ORG, PAC, PTY'),
  NAME: filedText('name of the contributor', 'LAST, FIRST MIDDLE TITLE'),
  CITY: filedText('city'),
  STATE: filedText('state', 'two letters'),
  ZIP_CODE: filedText('ZIP', 'five or nine digits as a rule, text'),
  EMPLOYER: filedText('employer'),
  OCCUPATION: filedText('occupation'),
  TRANSACTION_DT: filedText('day of the contribution', 'MMDDYYYY as filed, text; may be empty or no real date'),
  TRANSACTION_AMT: {
    kind: 'number',
    meaning: 'amount',
    unit: 'dollars; refunds are mostly positive',
    source: CONTRIBUTIONS,
  },
  OTHER_ID: filedText('the other committee or candidate of the transaction'),
  TRAN_ID: filedText("the filer's own number of the row, unique in its filing"),
  FILE_NUM: filedText('number of the filing', 'digits, text'),
  MEMO_CD: filedText('memo item', 'X: for information, not in totals'),
  MEMO_TEXT: filedText('the filer’s note'),
  SUB_ID: filedText("the FEC's number of the row", 'up to 19 digits, text; empty in electronic filings'),
  AGE: {
    kind: 'whole',
    meaning: 'median age of the living with that first name on the day of the contribution',
    unit: 'completed years',
    source: 'SSA births by name, SSA period life tables',
  },
  GENDER: {
    kind: 'text',
    meaning: 'sex with more births of the first name',
    unit: 'm, f',
    source: 'SSA births by name',
  },
  ETHNICITY: {
    kind: 'text',
    meaning: 'group with the highest published share of the surname',
    unit: 'white, black, api, aian, 2prace, hispanic',
    source: SURNAMES,
  },
  PCT_WHITE: share('non-Hispanic White alone'),
  PCT_BLACK: share('non-Hispanic Black or African American alone'),
  PCT_API: share('non-Hispanic Asian and Native Hawaiian and Other Pacific Islander alone'),
  PCT_AIAN: share('non-Hispanic American Indian and Alaska Native alone'),
  PCT_2PRACE: share('non-Hispanic of two or more races'),
  PCT_HISPANIC: share('Hispanic or Latino'),
  FIPS: {
    kind: 'text',
    meaning: 'county of the address; without a street that of most people of the ZIP',
    unit: 'five digits, text',
    source: `${GEOCODER}, Census ZCTA-county file`,
  },
  COUNTY: { kind: 'text', meaning: 'name of the county', source: 'SAIPE 2018, else Census county list' },
  TRACT_CD: { kind: 'text', meaning: 'census tract', unit: 'six digits, text', source: GEOCODER },
  BLOCK_CD: { kind: 'text', meaning: 'census block', unit: 'four digits, text', source: GEOCODER },
  HH_INCOME_MEDIAN: {
    kind: 'whole',
    meaning: 'median household income of the county, 2018',
    unit: 'dollars a year',
    source: 'SAIPE 2018',
  },
  ADDRESS_ID: {
    kind: 'text',
    meaning: 'the same for all spellings of one address; empty without a match',
    unit: '32 hexadecimal digits',
    source: 'the matched address',
  },
  GEOCODE_STATUS: {
    kind: 'text',
    meaning: 'outcome of geocoding the address',
    unit: 'MATCH; NO_MATCH; TIE: ambiguous, FIPS only where all are in one county; SKIPPED: no street (as in the bulk files), a post office box, abroad, military; PENDING: not geocoded yet',
    source: GEOCODER,
  },
  COUNTS_MONEY: {
    kind: 'flag',
    meaning: 'adds to the money, or takes from it',
    unit: 'true, false',
    source: 'counting rules',
  },
  COUNTS_DONOR: {
    kind: 'flag',
    meaning: 'makes its contributor a donor',
    unit: 'true, false',
    source: 'counting rules',
  },
  COUNT_REASON: {
    kind: 'text',
    meaning: 'the rule that decided',
    unit: 'gift, memo, joint_fundraising_memo, refund, negative, zero, not_individual, no_name, no_date, earmark, conduit_copy, earmark_copy',
    source: 'counting rules',
  },
  DATA_RELEASE: {
    kind: 'text',
    meaning: 'release of the reference data that gave the estimates',
    source: 'this service',
  },
};
