/**
 * Display names for names of FEC files. Candidate and committee masters have most names in capitals
 * (`CLINTON, HILLARY RODHAM / TIMOTHY MICHAEL KAINE`); a word with a lowercase letter stays as filed.
 */

/** Characters that XML cannot contain. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\ufffe\uffff]/g;
const MINOR_WORDS = new Set('A AN AND AT BY FOR FROM IN OF ON OR THE TO WITH'.split(' '));
const ROMAN_NUMERAL = /^(II|III|IV|VI|VII|VIII|IX)$/;
/** Frequent in the committee masters of 2016 and 2020, with a vowel; see also `CONSONANTS`. */
const ACRONYMS = new Set(
  (
    'ABC ACLU ADT AFL AFSCME AFT AIA AIPAC AKA AMA BAC CEO CIO CNA DBA DGA DNC FKA GOP IAFF IBEW IUOE LIUNA ' +
    'MAGA NARAL NEA NRA PAC PGA POTUS RGA RNC SEIU UAW UBS UFCW UPS US USA'
  ).split(' '),
);
/** State codes with a vowel or Y, without those that are also names or words, such as MI, MO and OH. */
const STATES = new Set('AK AZ CA GA IA IL NH NY UT WI'.split(' '));
/** `AT&T`, `PG&E`. */
const JOINED_INITIALS = /^\p{Lu}{1,2}(&\p{Lu})+$/u;
/** Two or more consonants: an abbreviation, unless it is one of these titles. */
const CONSONANTS = /^[B-DF-HJ-NP-TV-XZ]{2,}$/;
const TITLES = new Set('DR JR MR MRS MS SR ST VS'.split(' '));
const MAC_NAMES =
  /^MAC(ALLISTER|ARTHUR|CALLUM|DONALD|DOUGALL|FARLANE|GREGOR|INNES|INTOSH|INTYRE|KAY|KENZIE|KINNON|LACHLAN|LAREN|LEAN|LEOD|MAHON|MANUS|MILLAN|NEIL|PHERSON|QUEEN|TAVISH)$/;
const SUFFIX = /^(JR|SR|II|III|IV)\.?$/i;
const HONORIFIC = /^(MR|MRS|MS|DR|HON|REV|SEN|GOV|REP|GEN|COL|PROF|ESQ|MD|PHD)\.?$/i;
const INITIALS = /^\p{L}\.?$|^(\p{L}\.)+$/u;
const NICKNAME = /["“(][^"”)]*["”)]/g;

const printable = (filed: string): string => filed.replace(UNPRINTABLE, ' ').trim().replace(/\s+/g, ' ');
const capitalized = (word: string): string => word[0] + word.slice(1).toLowerCase();

/** `MCCAIN` to `McCain`, `O'ROURKE` to `O'Rourke`, `WOMEN'S` to `Women's`. */
function titleCasePart(part: string): string {
  if (part !== part.toUpperCase()) return part;
  if (/^MC\p{L}{2}/u.test(part)) return `Mc${capitalized(part.slice(2))}`;
  if (MAC_NAMES.test(part)) return `Mac${capitalized(part.slice(3))}`;
  if (/^\p{L}['’]\p{L}{2}/u.test(part)) return part.slice(0, 2) + capitalized(part.slice(2));
  return capitalized(part);
}

/** A run of letters, with parts joined by apostrophes. */
const LETTERS = /\p{L}[\p{L}\p{M}]*(?:['’][\p{L}\p{M}]+)*/gu;
const POSSESSIVE = /['’]S$/;

/** Capitalizes each run of letters of a word, such as the parts next to a hyphen, a dot or a quotation mark. */
const titleCaseWord = (word: string): string => word.replace(LETTERS, titleCasePart);

function isAbbreviation(part: string): boolean {
  const bare = part.replace(POSSESSIVE, '');
  if (ACRONYMS.has(bare) || STATES.has(bare) || ROMAN_NUMERAL.test(bare)) return true;
  return CONSONANTS.test(bare) && !TITLES.has(bare);
}

/** A word keeps its capitals if each run of letters is an abbreviation: `AFL-CIO`, but not `START-UPS`. */
function committeeWord(word: string): string {
  const parts = word.match(LETTERS) ?? [];
  if (parts.length === 0 || !parts.every(isAbbreviation)) return titleCaseWord(word);
  return word.replace(LETTERS, (part) => part.replace(POSSESSIVE, (ending) => ending.toLowerCase()));
}

/** `HILLARY FOR AMERICA` to `Hillary for America`. */
export function committeeName(filed: string): string {
  return printable(filed)
    .split(' ')
    .map((word, at) => {
      if (/\d/.test(word)) return word.replace(/(?<=\d)(ST|ND|RD|TH)\b/g, (ending) => ending.toLowerCase());
      if (JOINED_INITIALS.test(word.replace(/[^\p{L}&]/gu, ''))) return word;
      return at > 0 && MINOR_WORDS.has(word) ? word.toLowerCase() : committeeWord(word);
    })
    .join(' ');
}

interface PersonName {
  /** First name and initials. */
  readonly given: string;
  readonly surname: string;
  /** With a leading space, or empty. */
  readonly suffix: string;
}

const isSuffix = (word: string): boolean => SUFFIX.test(word);
const suffixText = (word: string): string => {
  const bare = word.replace('.', '').toUpperCase();
  return ROMAN_NUMERAL.test(bare) ? bare : `${capitalized(bare)}.`;
};

function parsePerson(filed: string): PersonName | null {
  const [candidate] = printable(filed).split(/\s*\/\s*/); // the running mate follows a slash
  const comma = candidate.indexOf(',');
  if (comma < 0) return null;
  const splitWords = (text: string): string[] =>
    text.split(/[\s,]+/).filter((word) => word !== '' && !HONORIFIC.test(word));
  const [last, rest] = [
    splitWords(candidate.slice(0, comma)),
    splitWords(candidate.slice(comma + 1).replace(NICKNAME, ' ')),
  ];
  const names = rest.filter((word) => !isSuffix(word));
  const first = names.findIndex((word) => !INITIALS.test(word));
  const given = names
    .filter((word, at) => at === first || INITIALS.test(word))
    .map((word) => (/^\p{L}$/u.test(word) ? `${word.toUpperCase()}.` : titleCaseWord(word)));
  const surname = last.filter((word) => !isSuffix(word)).map(titleCaseWord);
  const suffix = [...last, ...rest].find(isSuffix);
  return {
    given: given.join(' '),
    surname: surname.join(' '),
    suffix: suffix === undefined ? '' : ` ${suffixText(suffix)}`,
  };
}

/** `CLINTON, HILLARY RODHAM / TIMOTHY MICHAEL KAINE` to `Hillary Clinton`: first name, initials, surname, suffix. */
export function candidateName(filed: string): string {
  const person = parsePerson(filed);
  if (person === null) return printable(filed).split(' ').map(titleCaseWord).join(' ');
  const { given, surname, suffix } = person;
  return given === '' ? `${surname}${suffix}` : `${given} ${surname}${suffix}`;
}

/** `Clinton`; the whole name if the filed name has no comma. */
export const candidateSurname = (filed: string): string => parsePerson(filed)?.surname || candidateName(filed);

/** Name of a candidate or a committee; ids of committees begin with C. */
export const displayName = (id: string, filed: string): string =>
  id.startsWith('C') ? committeeName(filed) : candidateName(filed);
