import { firstNameKey } from './first-name-key';
import { baseLetters } from './latin-letters';
import { namesOrganisation, ORGANISATION_TYPES, PLACEHOLDERS, SUFFIXES, TITLES } from './name-words';
import { plainName } from './plain-name';
import { surnameKeys } from './surname-key';

export type NameKind = 'person' | 'couple' | 'organisation' | 'unparsed';

/** Contributor name as filed, taken apart. Keys are spellings that are in the files, null where there is none. */
export interface ParsedName {
  readonly kind: NameKind;
  readonly firstKey: string | null;
  readonly surnameKey: string | null;
}

/** Which keys the loaded files hold. */
export interface KnownNames {
  firstName(key: string): boolean;
  surname(key: string): boolean;
}

/** Surname and given names of a filed name, before anything is looked up. */
interface NameParts {
  readonly surname: string;
  readonly given: readonly string[];
}

const NO_KEYS = { firstKey: null, surnameKey: null } as const;
const COUPLE = /[&+/]/; // AND is a word, these stand within words too

/**
 * Takes a contributor name as filed (`SMITH, JOHN A MR.`) apart and finds the spellings that the files know.
 * A couple has the keys of its first given name, an organisation and a placeholder have none, a surname alone is
 * `unparsed` and keeps its key. Nicknames are not expanded. Takes any text and time in proportion to its length.
 * Worked examples in contributor-name.spec.ts.
 */
export function parseContributorName(raw: string, entityType: string | undefined, known: KnownNames): ParsedName {
  const plain = plainName(raw, entityType);
  if (plain !== null)
    return {
      kind: 'person',
      firstKey: knownFirstName([plain.given], known),
      surnameKey: known.surname(plain.surname) ? plain.surname : null,
    };
  const folded = foldedName(raw);
  if (PLACEHOLDERS.has(folded)) return { kind: 'unparsed', ...NO_KEYS };
  const parts = partsOf(withoutNicknames(folded));
  if (isOrganisation(parts, entityType)) return { kind: 'organisation', ...NO_KEYS };
  const { surname, given } = parts.length > 1 ? withComma(parts) : withoutComma(parts);
  const surnameKey = surnameKeys(surname).find((key) => known.surname(key)) ?? null;
  if (given.length === 0) return { kind: 'unparsed', firstKey: null, surnameKey };
  const sides = sidesOf(given);
  return { kind: sides.length > 1 ? 'couple' : 'person', firstKey: firstKeyOf(sides, known), surnameKey };
}

/** Upper-case ASCII, blanks collapsed: accents gone, curved quotes straight, everything else a blank. */
function foldedName(raw: string): string {
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
function withoutNicknames(name: string): string {
  if (!/["'(]/.test(name)) return name;
  return name
    .replace(/\([^()]*\)/g, ' ')
    .replace(/"[^"]*"/g, ' ')
    .replace(/(^| )'[^',]*'(?![^ ,])/g, ' ');
}

/** The words of each part between commas; parts without a word are dropped. */
function partsOf(name: string): string[][] {
  return name
    .split(',')
    .map(wordsOf)
    .filter((words) => words.length > 0);
}

const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '');

function isOrganisation(parts: readonly string[][], entityType: string | undefined): boolean {
  if (entityType !== undefined && ORGANISATION_TYPES.has(entityType)) return true;
  if (parts.length === 0 || !namesOrganisation(parts[0].join(' '))) return false;
  const rest = parts.slice(1).flat().join(' ');
  const surnameAndGiven = parts[0].length === 1 && /[A-Z]{2}/.test(rest) && !namesOrganisation(rest);
  return !surnameAndGiven;
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

function isTitleOrSuffix(word: string): boolean {
  const plain = unpunctuated(word);
  return TITLES.has(plain) || SUFFIXES.has(plain);
}

/** Without titles in front and titles and suffixes behind; the last word left stays, and so does a final V. */
function trimmed(words: readonly string[]): readonly string[] {
  let start = 0;
  let end = words.length;
  while (end - start > 1 && TITLES.has(unpunctuated(words[start]))) start++;
  while (end - start > 1 && unpunctuated(words[end - 1]) !== 'V' && isTitleOrSuffix(words[end - 1])) end--;
  return end - start === words.length ? words : words.slice(start, end);
}

/** The people among the given names: one side, or two and more around `&`, `+`, `/` or AND. */
function sidesOf(given: readonly string[]): string[][] {
  if (!given.some((word) => word === 'AND' || COUPLE.test(word))) return [[...given]];
  return given
    .map((word) => (word === 'AND' ? '&' : word))
    .join(' ')
    .split(COUPLE)
    .map(wordsOf);
}

/** The first name of the first side that has one: the first candidate that is in the birth files. */
function firstKeyOf(sides: readonly string[][], known: KnownNames): string | null {
  for (const side of sides) {
    if (sides.length > 1 && side.every(isTitleOrSuffix)) continue;
    const names = (sides.length > 1 ? trimmed(side) : side).flatMap(unglued).filter((word) => !isInitial(word));
    if (names.length > 0) return knownFirstName(names, known);
  }
  return null;
}

/** `J.MARCUS` is `J.` and `MARCUS`. */
const unglued = (word: string): string | string[] => (/\.[A-Z]{2}/.test(word) ? word.split(/(?<=\.)/) : word);

/** One letter, or letters with full stops. */
const isInitial = (word: string): boolean => /^[^A-Z]*[A-Z][^A-Z]*$|^(?:[A-Z]\.)+[A-Z]?$/.test(word);

/** The first candidate that is in the birth files: the first name, its hyphenated parts, joined with the next, the others. */
function knownFirstName([first, ...others]: readonly string[], known: KnownNames): string | null {
  const key = firstNameKey(first);
  if (known.firstName(key)) return key;
  const parts = first.includes('-') ? first.split('-').filter((part) => firstNameKey(part).length >= 2) : [];
  const joined = others.length > 0 ? [first + others[0]] : [];
  const found = [...parts, ...joined, ...others].find((candidate) => known.firstName(firstNameKey(candidate)));
  return found === undefined ? null : firstNameKey(found);
}
