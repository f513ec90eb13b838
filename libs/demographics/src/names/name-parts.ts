import { baseLetters } from './first-name-key';
import { PARTICLES } from './surname-key';

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

/** Words that only organisations bear, unless they are a surname. */
export const ORGANISATION_WORDS = words(
  'INC LLC LLP CORP CORPORATION COMPANY COMMITTEE PAC FUND ASSOCIATION ASSN ASSOC UNION LOCAL TRUST FOUNDATION ' +
    'PARTNERS PARTNERSHIP GROUP BANK LP LTD PLLC PC ENTERPRISES PROPERTIES HOLDINGS SERVICES TRIBE NATION INDIANS ' +
    'COUNCIL FEDERATION DEMOCRATIC REPUBLICAN PARTY ACTBLUE WINRED UNITEMIZED CAMPAIGN',
);
const ORGANISATION_PHRASES = 'L\\.L\\.C|P\\.C|FRIENDS OF|FOR CONGRESS|FOR SENATE|FOR PRESIDENT';
const ORGANISATION = new RegExp(`\\b(?:${[...ORGANISATION_WORDS].join('|')}|${ORGANISATION_PHRASES})\\b|\\bCO\\.`);
/** Applied only to names without a comma: LAW, FIRM and SONS are also surnames. */
const WHOLE_NAME_PHRASE = /\bLAW FIRM\b|(?:&|\bAND) SONS\b/;
const PLAIN_WORD = /^[A-Z]*$/;

/** True if the text contains a word or phrase of organisations; a surname may equal one of them. */
const namesOrganisation = (text: string): boolean =>
  PLAIN_WORD.test(text) ? ORGANISATION_WORDS.has(text) : ORGANISATION.test(text);

/** Taken off the front and the end of a part of a name, without punctuation. */
export const TITLES = words(
  'MR MRS MS MISS MX DR DRS PROF PROFESSOR REV REVEREND FR SR HON HONORABLE SEN SENATOR REP CONG CONGRESSMAN GOV ' +
    'GOVERNOR AMB AMBASSADOR JUDGE GEN GENERAL COL COLONEL LT LTC MAJ MAJOR CAPT CAPTAIN CPT CDR CMDR SGT SIR RABBI ' +
    'RET MSGR THE DAME REVD',
);

/** Gender on the wire: the birth files' sex codes in lower case. */
export type Gender = 'm' | 'f';

/** Titles that decide the gender; others are neutral. */
const GENDERED_TITLES: ReadonlyMap<string, Gender> = new Map([
  ['MR', 'm'],
  ['SIR', 'm'],
  ['MRS', 'f'],
  ['MS', 'f'],
  ['MISS', 'f'],
]);
/** Titles only before a given name: SR before it means sister, after it senior. */
const isSisterOrDame = (title: string): boolean => title === 'SR' || title === 'DAME';

/** Taken off the end of a part of a name, without punctuation. */
export const SUFFIXES = words(
  'JR SR II III IV V VI 2ND 3RD 4TH MD PHD PH DDS DMD DO DVM ESQ ESQUIRE CPA JD RN PE MBA OD DC RET USN USAF USMC ' +
    'USA PA FACS CFA CFP CLU LLM EDD DPM NP APRN CRNA FNP PT LCSW SJ AIF CFE CHFC',
);

/** Surname and given names of a filed name, before anything is looked up. */
interface NameParts {
  readonly surname: string;
  readonly given: readonly string[];
}

/** `J.MARCUS`, `DR.HENDRICK`. */
const GLUED = /\.[A-Z]{2}/;
const COUPLE = /[&+/]/; // AND is a word; these characters may be inside words

/** Upper-case ASCII, blanks collapsed: without accents, with straight quotes, other characters replaced by blanks. */
export function foldName(raw: string): string {
  const name = baseLetters(raw).toUpperCase();
  if (!UNEVEN.test(name)) return name;
  return name
    .replace(/[’‘]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[^\x21-\x7e]+/g, ' ')
    .trim();
}

/** Text that folding changes: a character that is not printable ASCII, or a redundant blank. */
const UNEVEN = /[^\x20-\x7e]|^ | $| {2}/;

/** Removes text in brackets, in double quotes, or in apostrophes between blanks. */
export function withoutNicknames(name: string): string {
  if (!/["'(]/.test(name)) return name;
  return name
    .replace(/\([^()]*\)/g, ' ')
    .replace(/"[^"]*"/g, ' ')
    .replace(/(^| )'[^',]*'(?![^ ,])/g, ' ');
}

/** The words of each part between commas; parts without a word are dropped. */
export function partsOf(name: string): string[][] {
  return name
    .split(',')
    .map((part) => (GLUED.test(part) ? wordsOf(part).flatMap(splitTitle) : wordsOf(part)))
    .filter((words) => words.length > 0);
}

/** `DR.HENDRICK` is `DR.` and `HENDRICK`: a title or suffix is split off at its full stop. */
function splitTitle(word: string): string | string[] {
  const pieces = splitInitials(word);
  if (typeof pieces === 'string') return word;
  return TITLES.has(unpunctuated(pieces[0])) || isTitleOrSuffix(pieces[pieces.length - 1]) ? pieces : word;
}

const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '');

function isEstate(words: readonly string[]): boolean {
  const at = words.indexOf('ESTATE');
  return at >= 0 && words[at + 1] === 'OF';
}

export function isOrganisation(parts: readonly string[][], entityType: string | undefined): boolean {
  if (entityType !== undefined && ORGANISATION_TYPES.has(entityType)) return true;
  if (parts.some(isEstate)) return true;
  if (parts.length === 1 && WHOLE_NAME_PHRASE.test(parts[0].join(' '))) return true;
  if (parts.length === 0 || !namesOrganisation(parts[0].join(' '))) return false;
  const rest = parts.slice(1).flat().join(' ');
  const surnameAndGiven = parts[0].length === 1 && /[A-Z]{2}/.test(rest) && !namesOrganisation(rest);
  return !surnameAndGiven;
}

/** The surname and the given names of a name's parts. */
export const surnameAndGiven = (parts: string[][]): NameParts =>
  parts.length > 1 && !hasCredentialsOnly(parts) ? withComma(parts) : withoutComma(parts);

/**
 * ORLA QUILL, CPA: after the comma there are only suffixes of three letters or more; shorter ones may be given names.
 */
function hasCredentialsOnly([name, ...rest]: readonly string[][]): boolean {
  if (name.length === 1 || PARTICLES.has(unpunctuated(name[0]))) return false;
  return rest.every((words) =>
    words.every((word) => unpunctuated(word).length > 2 && SUFFIXES.has(unpunctuated(word))),
  );
}

/** SURNAME, GIVEN NAMES, SUFFIX: parts of titles and suffixes only are no given names, except a lone word. */
function withComma([surname, ...rest]: string[][]): NameParts {
  const lone = rest.length === 1 && rest[0].length === 1;
  const given = lone ? rest : rest.filter((words) => !words.every(isTitleOrSuffix));
  return { surname: trimmed(surname).join(' '), given: given.flatMap(trimmed) };
}

/** GIVEN NAMES SURNAME: the last word is the surname. */
function withoutComma([words = []]: string[][]): NameParts {
  const name = trimmed(words);
  return { surname: name.slice(-1).join(), given: name.slice(0, -1) };
}

const unpunctuated = (word: string): string => (/^[A-Z0-9]+$/.test(word) ? word : word.replace(/[^A-Z0-9]+/g, ''));

export function isTitleOrSuffix(word: string): boolean {
  const plain = unpunctuated(word);
  return TITLES.has(plain) || SUFFIXES.has(plain);
}

/** Removes titles before and titles and suffixes after the name. The last remaining word and a final V are kept. */
export function trimmed(words: readonly string[]): readonly string[] {
  const start = nameStart(words);
  const end = nameEnd(words, start);
  return end - start === words.length ? words : words.slice(start, end);
}

function nameStart(words: readonly string[]): number {
  let start = 0;
  while (words.length - start > 1 && TITLES.has(unpunctuated(words[start]))) start++;
  return start;
}

function nameEnd(words: readonly string[], start: number): number {
  let end = words.length;
  while (end - start > 1 && isSuffixed(words[end - 1])) end--;
  return end;
}

/** NOTRE DAME is a surname. */
const isSuffixed = (word: string): boolean => isTitleOrSuffix(word) && !/^[^A-Z]*(?:V|DAME)[^A-Z]*$/.test(word);

/**
 * The gender of the titles of one person: MR, SIR; MRS, MS, MISS; DAME and SR (sister) only before a given
 * name. Null if there is none, or both. M.S. is a degree.
 */
export function titleGender(parts: readonly string[][]): Gender | null {
  let said: Gender | null = null;
  for (let at = 0; at < parts.length; at++) {
    const words = parts[at];
    let start = -1;
    let end = -1;
    for (let i = 0; i < words.length; i++) {
      const title = words[i].endsWith('.') ? words[i].slice(0, -1) : words[i];
      const gender = isSisterOrDame(title) ? 'f' : lastTitleGender(title);
      if (gender === null) continue;
      if (start < 0) [start, end] = nameWithin(parts, at);
      const isInFront = i < start && start < end && (at > 0 || parts.length === 1);
      if (isSisterOrDame(title) ? !isInFront : i >= start && i < end) continue;
      if (said !== null && said !== gender) return null;
      said = gender;
    }
  }
  return said;
}

/** Start and end of the name in a part; a part with only titles and suffixes has none, except a single given word. */
function nameWithin(parts: readonly string[][], at: number): [start: number, end: number] {
  const words = parts[at];
  const isName = at === 0 || (parts.length === 2 && words.length === 1) || !words.every(isTitleOrSuffix);
  const start = isName ? nameStart(words) : words.length;
  return [start, isName ? nameEnd(words, start) : words.length];
}

/** The gender of the last word of a plain name, if it is a title. */
export const lastTitleGender = (word: string): Gender | null => GENDERED_TITLES.get(word) ?? null;

/** The people among the given names: one side, or two and more around `&`, `+`, `/` or AND. */
export function sidesOf(given: readonly string[]): string[][] {
  if (!given.some((word) => word === 'AND' || COUPLE.test(word))) return [[...given]];
  return given
    .map((word) => (word === 'AND' ? '&' : word))
    .join(' ')
    .split(COUPLE)
    .map(wordsOf);
}

/** `J.MARCUS` is `J.` and `MARCUS`. */
export const splitInitials = (word: string): string | string[] => (GLUED.test(word) ? word.split(/(?<=\.)/) : word);
