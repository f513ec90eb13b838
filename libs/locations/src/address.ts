import { folded } from './folded-text';
import { parseFoldedState, parseState } from './states';
import { withoutUnit } from './unit';

/** An address as written by the client; '' for a missing part. */
export interface PostalAddress {
  readonly street: string;
  readonly city: string;
  readonly state: string;
  readonly zip: string;
}

/** Why an address is not geocoded. */
export type UnsendableReason = 'blank' | 'po_box' | 'foreign' | 'military';

/** A folded address, the form that is checked and hashed. */
export interface FoldedAddress {
  /** With its unit. */
  readonly street: string;
  readonly city: string;
  /**
   * Postal code of the state, or the text of the field: then the address is foreign, where codes may have five digits
   * too.
   */
  readonly state: string;
  /** First five digits; '' without any. */
  readonly zip: string;
  /** The ZIP as written has letters, so it is one of another country. */
  readonly hasForeignZip: boolean;
}

const MILITARY_STATES: ReadonlySet<string> = new Set(['AA', 'AE', 'AP']);
const MILITARY_CITY = /^(?:APO|FPO|DPO)(?: |$)/;

/** A post office box in a folded street, up to its number: P O, P0 or POST OFFICE before BOX, BX, B or DRAWER. */
const PO_BOX =
  /(?:^| )(?:P ?[O0]|POST ?OFFICE|POSTAL) ?(?:(?:BOX|BX|DRAWER|DRWR)(?![A-Z])|B(?= ?(?:# ?)?\d)) ?(?:# ?)?\d*/;
/** A street that is only a box: BOX 12, DRAWER C, PO 12. RR 2 BOX 5 is a house. */
const ONLY_BOX = /^(?:BOX|BX|DRAWER|DRWR|P ?O)(?: # | ?)(?:\d{1,9}(?: ?[A-Z])?|(?<= )[A-Z])$/;
/** Entries that mean that there is no street. */
const NO_STREET =
  /^(?:# )?(?:N ?A|NONE|NULL|NO (?:STREET )?ADDRESS|NOT (?:APPLICABLE|AVAILABLE|GIVEN|PROVIDED)|(?:ADDRESS )?(?:REQUESTED|UNKNOWN)|INFO(?:RMATION)? REQUESTED(?: .*)?)$/;
/** A number and a word after it. */
const HOUSE = /(?:^| )\d+[A-Z]? (?:[NSEW] )?[A-Z\d]*[A-Z]{2}/;

/** All checks use this form. Linear in the length of the text. */
export function foldedAddress({ street, city, state, zip }: PostalAddress): FoldedAddress {
  return { street: folded(street), city: folded(city), ...stateAndZip(state, zip) };
}

type StateAndZip = Pick<FoldedAddress, 'state' | 'zip' | 'hasForeignZip'>;

function stateAndZip(state: string, zip: string): StateAndZip {
  const { text, isDomestic } = parseState(state);
  return { state: text, ...postalCode(zip, isDomestic) };
}

/** First five digits of a ZIP in a state of the country; '' for any other, also abroad and in the military. */
export function domesticZip(state: string, zip: string): string {
  const found = stateAndZip(state, zip);
  const isAway = MILITARY_STATES.has(found.state) || (found.state !== '' && !parseFoldedState(found.state).isDomestic);
  return isAway ? '' : found.zip;
}

/** Null if the address can be geocoded. */
export const unsendableReason = (address: PostalAddress): UnsendableReason | null =>
  unsendableReasonOfFolded(foldedAddress(address));

export function unsendableReasonOfFolded({
  street,
  city,
  state,
  zip,
  hasForeignZip,
}: FoldedAddress): UnsendableReason | null {
  if (isNoStreet(street)) return 'blank';
  if (MILITARY_STATES.has(state) || MILITARY_CITY.test(city)) return 'military';
  if (hasForeignZip || (state !== '' && !parseFoldedState(state).isDomestic)) return 'foreign';
  if (isOnlyBox(street)) return 'po_box';
  return zip === '' && (!hasLetters(city) || state === '') ? 'blank' : null;
}

const READ_BY_ALL = /[A-Z0-9]/;
/** The geocoder reads ASCII: nothing would be left of a text in another script. */
const hasLetters = (text: string): boolean => READ_BY_ALL.test(text) || READ_BY_ALL.test(text.normalize('NFKD'));

const isNoStreet = (street: string): boolean => !hasLetters(street) || NO_STREET.test(street);

/** Blank, or words that say that there is none: `N/A`, `NONE`, `INFORMATION REQUESTED`. */
export const saysNoStreet = (street: string): boolean => isNoStreet(folded(street));

/** Only a box. A box beside a house does not prevent geocoding of the house. */
function isOnlyBox(street: string): boolean {
  const box = PO_BOX.exec(street);
  if (box === null) return ONLY_BOX.test(street);
  return !HOUSE.test(street.slice(0, box.index)) && !HOUSE.test(street.slice(box.index + box[0].length));
}

/**
 * The form of an address that is hashed: equal for spellings that differ in case, accents, blanks, punctuation, unit,
 * ZIP+4, or in a state's name for its code.
 */
export const normalisedAddress = (address: PostalAddress): string => addressText(foldedAddress(address));

/** Street without its unit, city, state, ZIP, joined by a bar, which occurs in none of them. */
export const addressText = ({ street, city, state, zip }: FoldedAddress): string =>
  `${withoutUnit(street)}|${city}|${state}|${zip}`;

const NO_DIGITS = /\D+/g;
const LETTER = /\p{L}/u;
const FIVE_FIRST = /^\D*(\d{5})(?!\d)/;
const BEFORE_HYPHEN = /^\D*(\d{3,4})\p{Pd}/u;
const ZIP5 = /^\s*(\d{5})(?:[^\d\p{L}]*\d{4})?[^\d\p{L}]*$/u;

/**
 * First five digits of a ZIP. With a domestic state, leading zeros that a spreadsheet removed are restored, and further
 * digits are ignored. Letters mark a foreign postal code, unless the text is a valid ZIP. 00000 is none.
 */
function postalCode(zip: string, isDomestic: boolean): Omit<StateAndZip, 'state'> {
  const exact = ZIP5.exec(zip)?.[1];
  const found = exact ?? (isDomestic ? repairedZip(zip) : '');
  return { zip: found === '00000' ? '' : found, hasForeignZip: exact === undefined && LETTER.test(zip) };
}

/** The digits before a hyphen, or five leading digits; otherwise all digits. */
function repairedZip(zip: string): string {
  const begin = FIVE_FIRST.exec(zip)?.[1] ?? BEFORE_HYPHEN.exec(zip)?.[1];
  if (begin !== undefined) return begin.padStart(5, '0');
  const digits = zip.replace(NO_DIGITS, '');
  if (digits.length > 8) return digits.slice(0, 5);
  if (digits.length > 6) return digits.slice(0, -4).padStart(5, '0'); // ZIP+4 without its zeros
  return digits.length < 3 ? '' : digits.padStart(5, '0').slice(0, 5);
}

/** The address as it is sent: state and ZIP of the key, other parts as written, without line breaks. */
export function sentAddress({ street, city, state, zip }: PostalAddress): PostalAddress {
  const sent = stateAndZip(state, zip);
  return { street: oneLine(street), city: oneLine(city), state: sent.state, zip: sent.zip };
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();

/** A distinct address of a chunk or of a lookup. */
export interface RequestedAddress extends PostalAddress {
  /** 16 bytes. */
  readonly key: Buffer;
  /**
   * Number of its first row. The n-th addresses of all batches are geocoded before the next ones. If several request an
   * address, the lowest number counts.
   */
  readonly order: number;
  rows: number;
  /** Of the rows, those whose outcome is ok. */
  okRows: number;
}
