import { type DonorName, NO_DONOR, donorOf, hasOneGivenName, plainName } from './donor-name';
import { firstNameKey } from './first-name-key';
import {
  type Gender,
  PLACEHOLDERS,
  foldName,
  isOrganisation,
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

export type NameKind = 'person' | 'couple' | 'organisation' | 'unparsed';

/** A parsed contributor name. Keys are spellings in the reference files; null if no spelling is listed. */
export interface ParsedName {
  readonly kind: NameKind;
  readonly firstKey: string | null;
  readonly surnameKey: string | null;
  /** Identity of the donor, independent of the reference files. */
  readonly donor: DonorName;
}

/** Which keys the loaded files hold. */
export interface KnownNames {
  firstName(key: string): boolean;
  /** The sex with nine tenths of the births of a first name; null for a name of both sexes or an unknown one. */
  clearSex(key: string): Gender | null;
  surname(key: string): boolean;
}

const NO_KEYS = { firstKey: null, surnameKey: null, donor: NO_DONOR } as const;

/**
 * Parses a contributor name as filed (`SMITH, JOHN A MR.`) and finds spellings in the reference files.
 * A couple has the keys of its first given name; an organization or placeholder has none; a surname without given name
 * is `unparsed` and keeps its key. Nicknames are not expanded. Accepts any text; linear in its length. Worked examples
 * in contributor-name.spec.ts.
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
  if (isOrganisation(parts, entityType)) return { kind: 'organisation', ...NO_KEYS };
  const { surname, given } = surnameAndGiven(parts);
  const surnameKey = surnameKeyOf(surname, known);
  const sides = sidesOf(given);
  const donor = donorOf(surname, sides, parts);
  if (given.length === 0) return { kind: 'unparsed', firstKey: null, surnameKey, donor };
  return { kind: sides.length > 1 ? 'couple' : 'person', firstKey: firstKeyOf(sides, known), surnameKey, donor };
}

/** The surname as filed, or a column of surnames, as the file spells it. */
export const surnameKeyOf = (raw: string, known: KnownNames): string | null =>
  filedSurnameKeys(raw).find((key) => known.surname(key)) ?? null;

/** Given names of a column of their own. */
export interface ParsedGiven {
  /** Spelling in the birth files; null if none is listed. */
  readonly key: string | null;
  /** Gender of the title; null for a neutral title or none. */
  readonly title: Gender | null;
}

/** Parses given names without a surname (`John A. Mr.`, `Mary Beth "Betty"`) like those of a filed name. */
export function givenNames(raw: string, known: KnownNames): ParsedGiven {
  const folded = foldName(raw);
  if (PLACEHOLDERS.has(folded)) return { key: null, title: null };
  const parts = partsOf(withoutNicknames(folded));
  const sides = sidesOf(parts.flatMap(trimmed));
  return { key: firstKeyOf(sides, known), title: sides.length > 1 ? null : titleGender(parts) };
}

/** The first name of the first side that has one: the first candidate that is in the birth files. */
function firstKeyOf(sides: readonly string[][], known: KnownNames): string | null {
  for (const side of sides) {
    if (sides.length > 1 && side.every(isTitleOrSuffix)) continue;
    const names = (sides.length > 1 ? trimmed(side) : side).flatMap(splitInitials).filter((word) => !isInitial(word));
    if (names.length > 0) return knownFirstName(names, known);
  }
  return null;
}

/** One letter, or letters with full stops. */
const isInitial = (word: string): boolean => /^[^A-Z]*[A-Z][^A-Z]*$|^(?:[A-Z]\.)+[A-Z]?$/.test(word);

/**
 * The first candidate that is in the birth files: the first name, its hyphenated parts, joined with the next, the
 * others. Null if two of the parts clearly have different sexes: JEAN-FRANCOIS is not Jean.
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
