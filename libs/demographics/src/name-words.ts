const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** What filers write instead of a name, folded to upper-case ASCII. */
export const PLACEHOLDERS: ReadonlySet<string> = new Set([
  'INFORMATION REQUESTED',
  'REQUESTED, INFORMATION',
  'INFORMATION REQUESTED PER BEST EFFORTS',
  'ANONYMOUS',
  'N/A',
  'NA',
  'NONE',
  'UNKNOWN',
  'REFUSED',
  'NOT AVAILABLE',
  'NOT PROVIDED',
]);

/** Entity types of the FEC that are no natural persons. */
export const ORGANISATION_TYPES = words('ORG COM PAC PTY CCM');

/** Words that only organisations bear, unless they are somebody's surname. */
export const ORGANISATION_WORDS = words(
  'INC LLC LLP CORP CORPORATION COMPANY COMMITTEE PAC FUND ASSOCIATION ASSN ASSOC UNION LOCAL TRUST FOUNDATION ' +
    'PARTNERS PARTNERSHIP GROUP BANK LP LTD PLLC PC ENTERPRISES PROPERTIES HOLDINGS SERVICES TRIBE NATION INDIANS ' +
    'COUNCIL FEDERATION DEMOCRATIC REPUBLICAN PARTY ACTBLUE WINRED UNITEMIZED CAMPAIGN',
);
const ORGANISATION_PHRASES = 'L\\.L\\.C|P\\.C|FRIENDS OF|FOR CONGRESS|FOR SENATE|FOR PRESIDENT|ESTATE OF';
const ORGANISATION = new RegExp(`\\b(?:${[...ORGANISATION_WORDS].join('|')}|${ORGANISATION_PHRASES})\\b|\\bCO\\.`);
const PLAIN_WORD = /^[A-Z]*$/;

/** True when a word or phrase stands in the text that only organisations bear; a surname may still be one of them. */
export const namesOrganisation = (text: string): boolean =>
  PLAIN_WORD.test(text) ? ORGANISATION_WORDS.has(text) : ORGANISATION.test(text);

/** Taken off the front and the end of a part of a name, without punctuation. */
export const TITLES = words(
  'MR MRS MS MISS MX DR DRS PROF PROFESSOR REV REVEREND FR SR HON HONORABLE SEN SENATOR REP CONG CONGRESSMAN GOV ' +
    'GOVERNOR AMB AMBASSADOR JUDGE GEN GENERAL COL COLONEL LT LTC MAJ MAJOR CAPT CAPTAIN CPT CDR CMDR SGT SIR RABBI ' +
    'RET MSGR THE',
);

/** Taken off the end of a part of a name, without punctuation. */
export const SUFFIXES = words(
  'JR SR II III IV V VI 2ND 3RD 4TH MD PHD PH DDS DMD DO DVM ESQ ESQUIRE CPA JD RN PE MBA OD DC RET USN USAF USMC ' +
    'USA PA FACS CFA CFP CLU LLM EDD DPM NP APRN CRNA FNP PT LCSW SJ',
);
