import { type PostalAddress, unsendable } from '@donorlens/locations';
import { type Contribution } from '../contribution';

type AddressFields = Pick<Contribution, 'street' | 'street2' | 'city' | 'state' | 'zip'>;

/** No part of an address is as long: bounds the work on a row. */
const LONGEST_PART = 200;
const CARE_OF = /^(?:C\s*\/\s*O|CARE\s+OF|ATTN|ATTENTION)\b/i;
/** A part of a house, and nothing else. */
const UNIT = /^(?:#|(?:APARTMENT|APT|BUILDING|BLDG|FLOOR|FL|ROOM|RM|SUITE|STE|UNIT)\b)[\s.#]*[\w-]*$/i;

/**
 * Address as its sender wrote it. The second line is taken where the first is no street (blank, a post office box, a
 * `C/O …`) and the second may be one.
 * @returns null where there is no street, and where a part is longer than 200 characters
 */
export function postalAddress(fields: AddressFields): PostalAddress | null {
  const [street, street2, city, state, zip] = [
    fields.street,
    fields.street2,
    fields.city,
    fields.state,
    fields.zip,
  ].map(asText);
  const first = { street, city, state, zip };
  const address =
    street2 === '' || isStreet(first) || !maybeStreet({ ...first, street: street2 })
      ? first
      : { ...first, street: street2 };
  const parts = [address.street, city, state, zip];
  return address.street === '' || parts.some((part) => part.length > LONGEST_PART) ? null : address;
}

/** Of JSON a text may hold a NUL, which Postgres cannot. */
const asText = (text: string | undefined): string => (text ?? '').replaceAll('\0', ' ').trim();

const isStreet = (address: PostalAddress): boolean =>
  address.street !== '' && !CARE_OF.test(address.street) && unsendable(address) !== 'po_box';

const maybeStreet = (address: PostalAddress): boolean => !UNIT.test(address.street) && isStreet(address);
