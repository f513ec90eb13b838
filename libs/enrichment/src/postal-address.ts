import { type PostalAddress, saysNoStreet, unsendable } from '@donorlens/locations';
import { type Contribution } from './contribution';

type AddressFields = Pick<Contribution, 'street' | 'street2' | 'city' | 'state' | 'zip'>;

/** No part of an address is as long: bounds the work on a row. */
const MAX_PART_LENGTH = 200;
const CARE_OF = /^(?:C\s*\/\s*O|CARE\s+OF|ATTN|ATTENTION)\b/i;
/** A part of a house, and nothing else: named, or one word, as in a column for apartments. */
const UNIT = /^(?:#|(?:APARTMENT|APT|BUILDING|BLDG|FLOOR|FL|ROOM|RM|SUITE|STE|UNIT)\b)?[\s.#]*[\w-]*$/i;

/**
 * Address as its sender wrote it. The second line is taken where the first is no street (blank, `N/A`, a post office box,
 * a `C/O …`) and the second may be one.
 * @returns null where there is no street, and where a part is longer than 200 characters
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

/** Of JSON a text may hold a NUL, which Postgres cannot. */
function asText(text: string | undefined): string {
  if (text === undefined) return '';
  return text.includes('\0') ? text.replaceAll('\0', ' ').trim() : text;
}

const isStreet = (address: PostalAddress): boolean =>
  !saysNoStreet(address.street) && !CARE_OF.test(address.street) && unsendable(address) !== 'po_box';
