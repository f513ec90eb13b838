import { ORGANISATION_TYPES, ORGANISATION_WORDS, SUFFIXES, TITLES } from './name-words';

/** SURNAME, GIVEN or SURNAME, GIVEN I. of plain letters: four names in five of the FEC's files. */
const ONE_GIVEN = /^[A-Za-z]{2,}, ?[A-Za-z]{2,}(?: [A-Za-z]\.?)?$/;
/** The same, also with a word behind it: a second given name, a suffix, a title. */
const PLAIN = /^([A-Za-z]{2,}), ?([A-Za-z]{2,})(?: [A-Za-z]\.?)?(?: ([A-Za-z]{2,})\.?)?$/;

/** Words that mean something else where a given name stands: `REQUESTED, INFORMATION` is a placeholder. */
const NOT_PLAIN = new Set([...TITLES, ...SUFFIXES, ...ORGANISATION_WORDS, 'AND', 'INFORMATION']);

/** Surname and given name in upper case. */
export interface PlainName {
  readonly surname: string;
  readonly given: string;
}

/**
 * Takes a name of one plain surname and a plain given name apart in one step; null for everything that needs the rules
 * of contributor-name.ts, also where a title, a suffix or an organisation word stands for the given name.
 */
export function plainName(raw: string, entityType: string | undefined): PlainName | null {
  if (entityType !== undefined && ORGANISATION_TYPES.has(entityType)) return null;
  const match = PLAIN.exec(raw);
  if (match === null) return null;
  const given = match[2].toUpperCase();
  if (NOT_PLAIN.has(given)) return null;
  const surname = match[1].toUpperCase();
  if (match[3] !== undefined && (match[3].toUpperCase() === 'AND' || ORGANISATION_WORDS.has(surname))) return null;
  return { surname, given };
}

/** Of a plain name: no word behind the given one may be the first name in its place. */
export const hasOneGivenName = (raw: string): boolean => ONE_GIVEN.test(raw);
