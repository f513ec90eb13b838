import { type DonorName, NO_DONOR, donorOf, hasOneGivenName, plainName } from './donor-name';
import { firstNameKey } from './first-name-key';
import {
  type Gender,
  PLACEHOLDERS,
  foldName,
  isOrganization,
  isTitleOrSuffix,
  partsOf,
  sidesOf,
  surnameAndGiven,
  titleGender,
  trimmed,
  splitInitials,
  withoutNicknames,
} from './name-parts';
import { filedSurnameKeys } from './surname-key';

export type NameKind = 'person' | 'couple' | 'organization' | 'unparsed';

/** Parts of a contributor name as filed. Keys are spellings in the birth and surname files, null if none matches. */
export interface ParsedName {
  readonly kind: NameKind;
  readonly firstKey: string | null;
  readonly surnameKey: string | null;
  /** Name that identifies the donor, independent of the reference files. */
  readonly donor: DonorName;
}

/** Keys that the loaded reference files contain. */
export interface KnownNames {
  firstName(key: string): boolean;
  /** Sex with at least nine tenths of the births of a first name; null if neither has that many, or if unknown. */
  clearSex(key: string): Gender | null;
  surname(key: string): boolean;
}

const NO_KEYS = { firstKey: null, surnameKey: null, donor: NO_DONOR } as const;

/**
 * Parses a contributor name as filed (`SMITH, JOHN A MR.`) and finds its spellings in the reference files.
 * A couple gets the key of its first given name; organizations and placeholders get no keys. A name with only a surname
 * is `unparsed` but keeps its surname key. Nicknames are not expanded. Accepts any text, in time linear in its length.
 * Worked examples are in contributor-name.spec.ts.
 */
export function parseContributorName(raw: string, entityType: string | undefined, known: KnownNames): ParsedName {
  const plain = plainName(raw, entityType);
  const plainKey = plain && knownFirstName([plain.given], known);
  if (plain !== null && (plainKey !== null || hasOneGivenName(raw)))
    return {
      kind: 'person',
      firstKey: plainKey,
      surnameKey: known.surname(plain.surname) ? plain.surname : null,
      donor: plain,
    };
  const folded = foldName(raw);
  if (PLACEHOLDERS.has(folded)) return { kind: 'unparsed', ...NO_KEYS };
  const parts = partsOf(withoutNicknames(folded));
  if (isOrganization(parts, entityType)) return { kind: 'organization', ...NO_KEYS };
  const { surname, given } = surnameAndGiven(parts);
  const surnameKey = surnameKeyOf(surname, known);
  const sides = sidesOf(given);
  const donor = donorOf(surname, sides, parts);
  if (given.length === 0) return { kind: 'unparsed', firstKey: null, surnameKey, donor };
  return { kind: sides.length > 1 ? 'couple' : 'person', firstKey: firstKeyOf(sides, known), surnameKey, donor };
}

/** First spelling of a filed surname that the surname file contains, else null. */
export const surnameKeyOf = (raw: string, known: KnownNames): string | null =>
  filedSurnameKeys(raw).find((key) => known.surname(key)) ?? null;

/** Result of `givenNames`. */
export interface ParsedGiven {
  /** spelling in the birth files, null if none matches */
  readonly key: string | null;
  /** gender that the titles decide, else null */
  readonly titleGender: Gender | null;
}

/** Parses given names without a surname (`John A. Mr.`, `Mary Beth "Betty"`) by the rules for filed names. */
export function givenNames(raw: string, known: KnownNames): ParsedGiven {
  const folded = foldName(raw);
  if (PLACEHOLDERS.has(folded)) return { key: null, titleGender: null };
  const parts = partsOf(withoutNicknames(folded));
  const sides = sidesOf(parts.flatMap(trimmed));
  return { key: firstKeyOf(sides, known), titleGender: sides.length > 1 ? null : titleGender(parts) };
}

/** Key of the first person who has a given name; null if the birth files contain none of its candidates. */
function firstKeyOf(sides: readonly string[][], known: KnownNames): string | null {
  for (const side of sides) {
    if (sides.length > 1 && side.every(isTitleOrSuffix)) continue;
    const names = (sides.length > 1 ? trimmed(side) : side).flatMap(splitInitials).filter((word) => !isInitial(word));
    if (names.length > 0) return knownFirstName(names, known);
  }
  return null;
}

/** A single letter, or letters separated by full stops. */
const isInitial = (word: string): boolean => /^[^A-Z]*[A-Z][^A-Z]*$|^(?:[A-Z]\.)+[A-Z]?$/.test(word);

/**
 * Key of the first candidate in the birth files: the first name, its hyphenated parts, the first and second name
 * joined, the other names. Null if two hyphenated parts clearly belong to different sexes: JEAN-FRANCOIS is not Jean.
 */
function knownFirstName([first, ...others]: readonly string[], known: KnownNames): string | null {
  const key = firstNameKey(first);
  if (known.firstName(key)) return key;
  const parts = first.includes('-') ? first.split('-').filter((part) => firstNameKey(part).length >= 2) : [];
  const sexes = parts.map((part) => known.clearSex(firstNameKey(part)));
  if (sexes.includes('m') && sexes.includes('f')) return null;
  const joined = others.length > 0 ? [first + others[0]] : [];
  const found = [...parts, ...joined, ...others].find((candidate) => known.firstName(firstNameKey(candidate)));
  return found === undefined ? null : firstNameKey(found);
}
