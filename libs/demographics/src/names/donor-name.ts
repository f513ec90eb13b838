import {
  type Gender,
  ORGANIZATION_TYPES,
  ORGANIZATION_WORDS,
  PLACEHOLDERS,
  SUFFIXES,
  TITLES,
  foldName,
  isOrganization,
  isTitleOrSuffix,
  lastTitleGender,
  partsOf,
  sidesOf,
  surnameAndGiven,
  titleGender,
  trimmed,
  splitInitials,
  withoutNicknames,
} from './name-parts';

/** SURNAME, GIVEN or SURNAME, GIVEN I. in letters only: four of five names in FEC files. */
const ONE_GIVEN = /^[A-Za-z]{2,}, ?[A-Za-z]{2,}(?: [A-Za-z]\.?)?$/;
/** Same as ONE_GIVEN, with an optional last word: a second given name, a suffix or a title. */
const PLAIN = /^([A-Za-z]{2,}), ?([A-Za-z]{2,})(?: [A-Za-z]\.?)?(?: ([A-Za-z]{2,})\.?)?$/;

/** Words that are not given names: `REQUESTED, INFORMATION` is a placeholder. */
const NOT_PLAIN = new Set([...TITLES, ...SUFFIXES, ...ORGANIZATION_WORDS, 'AND', 'ESTATE', 'INFORMATION']);

/**
 * Fast path for a name of one plain surname and a plain given name. Returns null for names that need the rules of
 * contributor-name.ts, also if a title, a suffix or an organization word takes the place of the given name.
 */
export function plainName(raw: string, entityType: string | undefined): DonorName | null {
  if (entityType !== undefined && ORGANIZATION_TYPES.has(entityType)) return null;
  const match = PLAIN.exec(raw);
  if (match === null) return null;
  const given = match[2].toUpperCase();
  if (NOT_PLAIN.has(given)) return null;
  const surname = match[1].toUpperCase();
  if (match[3] === undefined) return { surname, given, titleGender: null };
  const last = match[3].toUpperCase();
  return last === 'AND' || ORGANIZATION_WORDS.has(surname)
    ? null
    : { surname, given, titleGender: lastTitleGender(last) };
}

/** For a plain name: true if no second given name follows that could replace an unknown first name. */
export const hasOneGivenName = (raw: string): boolean => ONE_GIVEN.test(raw);

/** Upper-case ASCII as filed. The surname is '' for names that are not donors; `given` is '' without a given name. */
export interface DonorName {
  readonly surname: string;
  /** First given word, which can be an initial; for a couple, that of the first person who has one. */
  readonly given: string;
  /** Gender that the title decides; null without a title, for a neutral title, and for a couple. */
  readonly titleGender: Gender | null;
}

export const NO_DONOR: DonorName = { surname: '', given: '', titleGender: null };
const LETTER = /[A-Z]/;

/**
 * Surname and first given word of a filed name, without titles, suffixes and nicknames. Unlike `parseContributorName`,
 * it does not use the reference files, so that a donor stays the same if the files change.
 * Organizations and placeholders are not donors. Tests compare `parseContributorName` with it.
 */
export function donorName(raw: string, entityType: string | undefined): DonorName {
  const plain = plainName(raw, entityType);
  if (plain !== null) return plain;
  const folded = foldName(raw);
  if (PLACEHOLDERS.has(folded)) return NO_DONOR;
  const parts = partsOf(withoutNicknames(folded));
  if (isOrganization(parts, entityType)) return NO_DONOR;
  const { surname, given } = surnameAndGiven(parts);
  return donorOf(surname, sidesOf(given), parts);
}

/**
 * @param sides - given words of each person
 * @param parts - parts of the whole name
 */
export const donorOf = (surname: string, sides: readonly string[][], parts: readonly string[][]): DonorName =>
  LETTER.test(surname)
    ? { surname, given: firstWord(sides), titleGender: sides.length > 1 ? null : titleGender(parts) }
    : NO_DONOR;

function firstWord(sides: readonly string[][]): string {
  for (const side of sides) {
    if (sides.length > 1 && side.every(isTitleOrSuffix)) continue;
    const word = trimmed(side)
      .flatMap(splitInitials)
      .find((candidate) => LETTER.test(candidate));
    if (word !== undefined) return word;
  }
  return '';
}
