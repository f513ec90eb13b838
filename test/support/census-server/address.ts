import { STATES } from './states';
import { DIRECTIONS, ORDINALS, SUFFIXES, UNIT_WORDS } from './street-words';

/** An address as a client sends it; missing parts are ''. */
export interface Address {
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

/** An address in capitals with USPS abbreviations; missing parts are ''. */
export interface StandardAddress {
  readonly number: string;
  readonly preDirection: string;
  readonly name: string;
  readonly suffix: string;
  readonly suffixDirection: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

const USPS = new Set(STATES.map(({ usps }) => usps));
const STATE_CODES = new Map(STATES.map(({ usps, name }) => [name.toUpperCase(), usps]));

/** Capitals, letters without accents, one space between words. */
const plain = (text: string): string =>
  (/[^\0-\x7f]/.test(text) ? text.normalize('NFD').replace(/[\u0300-\u036f]/g, '') : text)
    .replace(/[.']/g, '')
    .toUpperCase()
    .replace(/[^A-Z0-9#/-]+/g, ' ')
    .trim();

/** Normalizes spellings of an address: case, accents, STREET and ST, WEST and W, THIRD and 3RD, the unit. */
export function standardAddress(address: Address): StandardAddress {
  return {
    ...streetParts(plain(address.street)),
    city: plain(address.city),
    state: STATE_CODES.get(plain(address.state)) ?? plain(address.state),
    zip: zip5(address.zip),
  };
}

/** Five digits; 3833 from a spreadsheet is 03833, as for the real service. '' for anything else. */
function zip5(text: string): string {
  const [, digits] = /^\s*(\d{3,5})(?:-?\d{4})?\s*$/.exec(text) ?? [];
  return digits?.padStart(5, '0') ?? '';
}

function streetParts(street: string): Omit<StandardAddress, 'city' | 'state' | 'zip'> {
  const all = street.replace('P O BOX', 'POB').split(' ').filter(Boolean);
  const unit = all.findIndex((word, at) => at >= 2 && (UNIT_WORDS.has(word) || word.startsWith('#')));
  const words = unit < 0 ? all : all.slice(0, unit);
  const number = /^\d/.test(words[0] ?? '') ? words.shift()! : '';
  const suffixDirection = words.length > 1 ? taken(words, 'last', DIRECTIONS) : '';
  const suffix = words.length > 1 ? taken(words, 'last', SUFFIXES) : '';
  // A street can be called North; then the word is not a direction.
  const preDirection = words.length > 1 ? taken(words, 'first', DIRECTIONS) : '';
  return { number, preDirection, name: words.map(ordinal).join(' '), suffix, suffixDirection };
}

const ordinal = (word: string): string => ORDINALS.get(word) ?? word;

/** Removes the word at that end and returns its abbreviation, if the list has one. */
function taken(words: string[], end: 'first' | 'last', abbreviations: ReadonlyMap<string, string>): string {
  const short = abbreviations.get(words.at(end === 'first' ? 0 : -1)!);
  if (short === undefined) return '';
  if (end === 'first') words.shift();
  else words.pop();
  return short;
}

/** The address as the service writes a matched address: `3 QUIET PARK W, SPRINGFIELD, IL, 62701`. */
export function writtenOut(address: StandardAddress): string {
  const { number, preDirection, name, suffix, suffixDirection, city, state, zip } = address;
  const street = [number, preDirection, name, suffix, suffixDirection].filter(Boolean).join(' ');
  return [street, city, state, zip].join(', ');
}

/** The reverse of `writtenOut`. */
export function fromWritten(matchedAddress: string): Address {
  const parts = matchedAddress.split(', ');
  const [city = '', state = '', zip = ''] = parts.slice(-3);
  return { street: parts.slice(0, -3).join(', '), city, state, zip };
}

/** One text for all spellings of an address. */
export const canonical = (address: Address): string => writtenOut(standardAddress(address));

/** True if the address has a house number, a street, a city, a state and a ZIP code, which the geocoder needs. */
export const isLocatable = ({ number, name, city, state, zip }: StandardAddress): boolean =>
  Boolean(number && name && city && zip) && USPS.has(state);
