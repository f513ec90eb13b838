import {
  type CivilDay,
  FIRST_YEAR,
  LAST_YEAR,
  civilDay,
  daysInMonth,
  parseCivilDay,
  parseFecDay,
} from '@donorlens/primitives';
import { type PostalAddress, saysNoStreet, unsendableReason } from '@donorlens/locations';

/**
 * The fields of a contribution that enrichment reads, as the client wrote them. A blank field is empty, a missing one
 * is undefined. Fields have no blanks around them. A chunk reuses one object for all rows.
 */
export interface Contribution {
  firstName: string | undefined;
  surname: string | undefined;
  /** `SMITH, JOHN A MR.`; used only if one of the two fields above is blank. */
  contributorName: string | undefined;
  /** The FEC's ENTITY_TP: IND and CAN are people. */
  entityType: string | undefined;
  date: string | undefined;
  year: string | undefined;
  /** County of the address (FIPS, five digits), if the client knows it. */
  fips: string | undefined;
  street: string | undefined;
  /** Used only if the first line is no street. */
  street2: string | undefined;
  city: string | undefined;
  state: string | undefined;
  zip: string | undefined;
}

export const emptyContribution = (): Contribution => ({
  firstName: undefined,
  surname: undefined,
  contributorName: undefined,
  entityType: undefined,
  date: undefined,
  year: undefined,
  fips: undefined,
  street: undefined,
  street2: undefined,
  city: undefined,
  state: undefined,
  zip: undefined,
});

const T = 84;
const BLANK = 32;
const SLASHED = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/;

/**
 * Donation date in the usual forms: `2016-03-01`; `03012016` of FEC bulk files; `2016-03-01T00:00:00` of openFEC (also
 * with a blank, fraction or zone: the civil date is at its start); `3/1/2016`, month first.
 * @returns NaN for other text and for dates that do not exist
 */
export function parseContributionDate(text: string): CivilDay {
  if (text.length === 10) {
    const day = parseCivilDay(text);
    if (day === day) return day;
  } else if (text.length === 8 && !text.includes('/')) return parseFecDay(text);
  else if (text.length > 10 && (text.charCodeAt(10) === T || text.charCodeAt(10) === BLANK))
    return parseCivilDay(text.slice(0, 10));
  return parseSlashed(text);
}

function parseSlashed(text: string): CivilDay {
  const parts = SLASHED.exec(text);
  if (!parts) return NaN;
  const [month, day, year] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  const real =
    year >= FIRST_YEAR && year <= LAST_YEAR && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  return real ? civilDay(year, month, day) : NaN;
}

/** A year of four digits, 1000 to 9999; NaN for anything else. */
export const parseYear = (text: string): number => (/^[1-9]\d{3}$/.test(text) ? Number(text) : NaN);

type AddressFields = Pick<Contribution, 'street' | 'street2' | 'city' | 'state' | 'zip'>;

/** Longer than any part of an address; limits the work on a row. */
const MAX_PART_LENGTH = 200;
const CARE_OF = /^(?:C\s*\/\s*O|CARE\s+OF|ATTN|ATTENTION)\b/i;
/** A unit of a building without a street: with a label, or a single word, as in a column for apartments. */
const UNIT = /^(?:#|(?:APARTMENT|APT|BUILDING|BLDG|FLOOR|FL|ROOM|RM|SUITE|STE|UNIT)\b)?[\s.#]*[\w-]*$/i;

/**
 * Address as the client wrote it. If the first line is no street (blank, `N/A`, a post office box, a `C/O …`) and the
 * second line may be one, the second line is used.
 * @returns null without a street, or if a part is longer than 200 characters
 */
export function postalAddress(fields: AddressFields): PostalAddress | null {
  const street2 = asText(fields.street2);
  if (street2 === '' && !fields.street) return null;
  let address: PostalAddress = {
    street: asText(fields.street),
    city: asText(fields.city),
    state: asText(fields.state),
    zip: asText(fields.zip),
  };
  if (street2 !== '' && !isStreet(address)) {
    const second = { ...address, street: street2 };
    if (!UNIT.test(street2) && isStreet(second)) address = second;
  }
  return address.street === '' || isTooLong(address) ? null : address;
}

const isTooLong = ({ street, city, state, zip }: PostalAddress): boolean =>
  street.length > MAX_PART_LENGTH ||
  city.length > MAX_PART_LENGTH ||
  state.length > MAX_PART_LENGTH ||
  zip.length > MAX_PART_LENGTH;

/** Texts in JSON may contain NUL, which Postgres cannot store. */
function asText(text: string | undefined): string {
  if (text === undefined) return '';
  return text.includes('\0') ? text.replaceAll('\0', ' ').trim() : text;
}

const isStreet = (address: PostalAddress): boolean =>
  !saysNoStreet(address.street) && !CARE_OF.test(address.street) && unsendableReason(address) !== 'po_box';
