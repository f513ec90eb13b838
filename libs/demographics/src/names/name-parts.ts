import { baseLetters } from './first-name-key';
import { PARTICLES } from './surname-key';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Texts that filers write instead of a name, folded to upper-case ASCII. */
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

/** FEC entity types that are not natural persons. */
export const ORGANIZATION_TYPES = words('ORG COM PAC PTY CCM');

/** Words that mark an organization, unless the word is the surname of a person. */
export const ORGANIZATION_WORDS = words(
  'INC LLC LLP CORP CORPORATION COMPANY COMMITTEE PAC FUND ASSOCIATION ASSN ASSOC UNION LOCAL TRUST FOUNDATION ' +
    'PARTNERS PARTNERSHIP GROUP BANK LP LTD PLLC PC ENTERPRISES PROPERTIES HOLDINGS SERVICES TRIBE NATION INDIANS ' +
    'COUNCIL FEDERATION DEMOCRATIC REPUBLICAN PARTY ACTBLUE WINRED UNITEMIZED CAMPAIGN',
);
const ORGANIZATION_PHRASES = 'L\\.L\\.C|P\\.C|FRIENDS OF|FOR CONGRESS|FOR SENATE|FOR PRESIDENT';
const ORGANIZATION = new RegExp(`\\b(?:${[...ORGANIZATION_WORDS].join('|')}|${ORGANIZATION_PHRASES})\\b|\\bCO\\.`);
/** Applies only to names without a comma, because LAW, FIRM and SONS are also surnames. */
const WHOLE_NAME_PHRASE = /\bLAW FIRM\b|(?:&|\bAND) SONS\b/;
const PLAIN_WORD = /^[A-Z]*$/;

/** True if the text contains a word or phrase that marks an organization. A surname can equal such a word. */
const namesOrganization = (text: string): boolean =>
  PLAIN_WORD.test(text) ? ORGANIZATION_WORDS.has(text) : ORGANIZATION.test(text);

/** Titles, without punctuation, that `trimmed` removes from the start and end of a part of a name. */
export const TITLES = words(
  'MR MRS MS MISS MX DR DRS PROF PROFESSOR REV REVEREND FR SR HON HONORABLE SEN SENATOR REP CONG CONGRESSMAN GOV ' +
    'GOVERNOR AMB AMBASSADOR JUDGE GEN GENERAL COL COLONEL LT LTC MAJ MAJOR CAPT CAPTAIN CPT CDR CMDR SGT SIR RABBI ' +
    'RET MSGR THE DAME REVD',
);

/** Gender in responses and files: the sex codes of the birth files in lower case. */
export type Gender = 'm' | 'f';

/** Titles that decide the gender; other titles are neutral. */
const GENDERED_TITLES: ReadonlyMap<string, Gender> = new Map([
  ['MR', 'm'],
  ['SIR', 'm'],
  ['MRS', 'f'],
  ['MS', 'f'],
  ['MISS', 'f'],
]);
/** These titles count only before a given name. SR before it means sister; after it, SR is the suffix senior. */
const isSisterOrDame = (title: string): boolean => title === 'SR' || title === 'DAME';

/** Suffixes, without punctuation, that `trimmed` removes from the end of a part of a name. */
export const SUFFIXES = words(
  'JR SR II III IV V VI 2ND 3RD 4TH MD PHD PH DDS DMD DO DVM ESQ ESQUIRE CPA JD RN PE MBA OD DC RET USN USAF USMC ' +
    'USA PA FACS CFA CFP CLU LLM EDD DPM NP APRN CRNA FNP PT LCSW SJ AIF CFE CHFC',
);

/** Surname and given names of a filed name, before any lookup. */
interface NameParts {
  readonly surname: string;
  readonly given: readonly string[];
}

/** A full stop without a blank after it, as in `J.MARCUS` and `DR.HENDRICK`. */
const GLUED = /\.[A-Z]{2}/;
const COUPLE = /[&+/]/; // also within a word, unlike AND

/** Upper-case ASCII without accents, with straight quotes; a run of other characters or blanks becomes one blank. */
export function foldName(raw: string): string {
  const name = baseLetters(raw).toUpperCase();
  if (!UNEVEN.test(name)) return name;
  return name
    .replace(/[’‘]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[^\x21-\x7e]+/g, ' ')
    .trim();
}

/** Matches text that still needs folding: a character other than printable ASCII, or an extra blank. */
const UNEVEN = /[^\x20-\x7e]|^ | $| {2}/;

/** Removes text in parentheses, in double quotes, or in single quotes that stand between blanks. */
export function withoutNicknames(name: string): string {
  if (!/["'(]/.test(name)) return name;
  return name
    .replace(/\([^()]*\)/g, ' ')
    .replace(/"[^"]*"/g, ' ')
    .replace(/(^| )'[^',]*'(?![^ ,])/g, ' ');
}

/** Splits a name at commas into parts, and each part into words. Empty parts are dropped. */
export function partsOf(name: string): string[][] {
  return name
    .split(',')
    .map((part) => (GLUED.test(part) ? wordsOf(part).flatMap(splitTitle) : wordsOf(part)))
    .filter((words) => words.length > 0);
}

/** Splits a title or suffix from a word at the full stop: `DR.HENDRICK` is `DR.` and `HENDRICK`. */
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

export function isOrganization(parts: readonly string[][], entityType: string | undefined): boolean {
  if (entityType !== undefined && ORGANIZATION_TYPES.has(entityType)) return true;
  if (parts.some(isEstate)) return true;
  if (parts.length === 1 && WHOLE_NAME_PHRASE.test(parts[0].join(' '))) return true;
  if (parts.length === 0 || !namesOrganization(parts[0].join(' '))) return false;
  const rest = parts.slice(1).flat().join(' ');
  const isPerson = parts[0].length === 1 && /[A-Z]{2}/.test(rest) && !namesOrganization(rest);
  return !isPerson;
}

/** Finds the surname and the given names in the parts of a name. */
export const surnameAndGiven = (parts: string[][]): NameParts =>
  parts.length > 1 && !hasCredentialsOnly(parts) ? withComma(parts) : withoutComma(parts);

/** True for ORLA QUILL, CPA: only suffixes of at least three letters follow. Shorter ones can be given names. */
function hasCredentialsOnly([name, ...rest]: readonly string[][]): boolean {
  if (name.length === 1 || PARTICLES.has(unpunctuated(name[0]))) return false;
  return rest.every((words) =>
    words.every((word) => unpunctuated(word).length > 2 && SUFFIXES.has(unpunctuated(word))),
  );
}

/** SURNAME, GIVEN NAMES, SUFFIX: parts that contain only titles and suffixes are dropped, except a single word. */
function withComma([surname, ...rest]: string[][]): NameParts {
  const isSingleWord = rest.length === 1 && rest[0].length === 1;
  const given = isSingleWord ? rest : rest.filter((words) => !words.every(isTitleOrSuffix));
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

/** Removes leading titles and trailing titles and suffixes, but never the last remaining word or a final V or DAME. */
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
  while (end - start > 1 && isTrailingTitleOrSuffix(words[end - 1])) end--;
  return end;
}

/** True for a title or suffix, except V, which can be an initial, and DAME, because NOTRE DAME is a surname. */
const isTrailingTitleOrSuffix = (word: string): boolean =>
  isTitleOrSuffix(word) && !/^[^A-Z]*(?:V|DAME)[^A-Z]*$/.test(word);

/**
 * Gender that the titles of one person decide: MR and SIR; MRS, MS and MISS; DAME and SR (sister) only before a given
 * name. Null if the titles decide no gender or contradict each other. M.S. is a degree, not a title.
 */
export function titleGender(parts: readonly string[][]): Gender | null {
  let foundGender: Gender | null = null;
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
      if (foundGender !== null && foundGender !== gender) return null;
      foundGender = gender;
    }
  }
  return foundGender;
}

/** Words without which no name has a title that decides the gender, or is that of an organization. */
const DECIDING_WORDS = [...GENDERED_TITLES.keys(), 'SR', 'DAME', ...ORGANIZATION_WORDS].concat(
  ['ESTATE', 'FIRM', 'SONS', 'FRIENDS', 'FOR', 'CO', 'L\\.L\\.C', 'P\\.C'], // of the phrases
);
const DECIDING = new RegExp(`\\b(?:${DECIDING_WORDS.join('|')})\\b|[^\\x20-\\x7e]`, 'i');

/**
 * False if a filed name has no title that decides the gender and is not that of an organization. A test of the whole
 * text allocates nothing, and few names have to be parsed for these two only.
 */
export const mayHaveTitleOrOrganization = (raw: string): boolean => DECIDING.test(raw);

/** Start and end of the name in a part. A part of only titles and suffixes has no name, unless it is one given word. */
function nameWithin(parts: readonly string[][], at: number): [start: number, end: number] {
  const words = parts[at];
  const isName = at === 0 || (parts.length === 2 && words.length === 1) || !words.every(isTitleOrSuffix);
  const start = isName ? nameStart(words) : words.length;
  return [start, isName ? nameEnd(words, start) : words.length];
}

/** Gender that the last word of a plain name decides as a title, else null. */
export const lastTitleGender = (word: string): Gender | null => GENDERED_TITLES.get(word) ?? null;

/** Splits given names by person: one side, or two and more sides separated by `&`, `+`, `/` or AND. */
export function sidesOf(given: readonly string[]): string[][] {
  if (!given.some((word) => word === 'AND' || COUPLE.test(word))) return [[...given]];
  return given
    .map((word) => (word === 'AND' ? '&' : word))
    .join(' ')
    .split(COUPLE)
    .map(wordsOf);
}

/** Splits a word after each full stop: `J.MARCUS` is `J.` and `MARCUS`. */
export const splitInitials = (word: string): string | string[] => (GLUED.test(word) ? word.split(/(?<=\.)/) : word);
