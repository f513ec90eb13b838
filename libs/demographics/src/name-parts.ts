import { baseLetters } from './latin-letters';
import { namesOrganisation, ORGANISATION_TYPES, SUFFIXES, TITLES } from './name-words';

/** Surname and given names of a filed name, before anything is looked up. */
export interface NameParts {
  readonly surname: string;
  readonly given: readonly string[];
}

const COUPLE = /[&+/]/; // AND is a word, these stand within words too

/** Upper-case ASCII, blanks collapsed: accents gone, curved quotes straight, everything else a blank. */
export function foldedName(raw: string): string {
  const name = baseLetters(raw).toUpperCase();
  if (!UNEVEN.test(name)) return name;
  return name
    .replace(/[’‘]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[^\x21-\x7e]+/g, ' ')
    .trim();
}

/** Anything that folding still has to change: a character that is no printable ASCII, a blank too many. */
const UNEVEN = /[^\x20-\x7e]|^ | $| {2}/;

/** Without what stands in brackets, in double quotes, or in apostrophes between blanks. */
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
    .map(wordsOf)
    .filter((words) => words.length > 0);
}

const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '');

export function isOrganisation(parts: readonly string[][], entityType: string | undefined): boolean {
  if (entityType !== undefined && ORGANISATION_TYPES.has(entityType)) return true;
  if (parts.length === 0 || !namesOrganisation(parts[0].join(' '))) return false;
  const rest = parts.slice(1).flat().join(' ');
  const surnameAndGiven = parts[0].length === 1 && /[A-Z]{2}/.test(rest) && !namesOrganisation(rest);
  return !surnameAndGiven;
}

/** The surname and the given names of a name's parts. */
export const surnameAndGiven = (parts: string[][]): NameParts =>
  parts.length > 1 ? withComma(parts) : withoutComma(parts);

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

/** Without titles in front and titles and suffixes behind; the last word left stays, and so does a final V. */
export function trimmed(words: readonly string[]): readonly string[] {
  let start = 0;
  let end = words.length;
  while (end - start > 1 && TITLES.has(unpunctuated(words[start]))) start++;
  while (end - start > 1 && unpunctuated(words[end - 1]) !== 'V' && isTitleOrSuffix(words[end - 1])) end--;
  return end - start === words.length ? words : words.slice(start, end);
}

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
export const unglued = (word: string): string | string[] => (/\.[A-Z]{2}/.test(word) ? word.split(/(?<=\.)/) : word);
