import {
  foldedName,
  isOrganisation,
  isTitleOrSuffix,
  partsOf,
  sidesOf,
  surnameAndGiven,
  trimmed,
  unglued,
  withoutNicknames,
} from './name-parts';
import { PLACEHOLDERS } from './name-words';
import { plainName } from './plain-name';

/** Upper-case ASCII as filed; surname '' where the name is nobody's, given '' where there is only a surname. */
export interface DonorName {
  readonly surname: string;
  /** The first given word, initials too; of a couple that of the first who has one. */
  readonly given: string;
}

export const NOBODY: DonorName = { surname: '', given: '' };
const LETTER = /[A-Z]/;

/**
 * Surname and first given word of a filed name, titles, suffixes and nicknames dropped. Other than `parseContributorName`
 * it asks no file which spellings are known, so that a donor stays the same when the files change.
 * Organisations and placeholders are nobody.
 */
export function donorName(raw: string, entityType: string | undefined): DonorName {
  const plain = plainName(raw, entityType);
  if (plain !== null) return plain;
  const folded = foldedName(raw);
  if (PLACEHOLDERS.has(folded)) return NOBODY;
  const parts = partsOf(withoutNicknames(folded));
  if (isOrganisation(parts, entityType)) return NOBODY;
  const { surname, given } = surnameAndGiven(parts);
  return donorOf(surname, sidesOf(given));
}

/** @param sides given words of each person */
export const donorOf = (surname: string, sides: readonly string[][]): DonorName =>
  LETTER.test(surname) ? { surname, given: firstWord(sides) } : NOBODY;

function firstWord(sides: readonly string[][]): string {
  for (const side of sides) {
    if (sides.length > 1 && side.every(isTitleOrSuffix)) continue;
    const word = trimmed(side)
      .flatMap(unglued)
      .find((candidate) => LETTER.test(candidate));
    if (word !== undefined) return word;
  }
  return '';
}
