/** What we read of a contribution. Everything else a caller sends stays untouched beside it. */
export const CONTRIBUTION_FIELDS = [
  'id',
  'first_name',
  'surname',
  'contributor_name',
  'entity_type',
  'date',
  'year',
  'street',
  'street_2',
  'city',
  'state',
  'zip',
  'fips',
] as const;
export type ContributionField = (typeof CONTRIBUTION_FIELDS)[number];

/** Column index of each field in a delimited record; absent without a column. */
export type FieldMapping = Partial<Record<ContributionField, number>>;

/**
 * Names under which each field is recognised, folded by `foldedFieldName`; the first in the list is the field's own.
 * They are those of openFEC's Schedule A export, of the FEC's bulk file header, and usual column names.
 * `name` alone is ambiguous, see `AMBIGUOUS_NAME`.
 */
export const FIELD_NAMES: Readonly<Record<ContributionField, readonly string[]>> = {
  id: ['id'],
  first_name: [
    'first_name',
    'firstname',
    'given_name',
    'given_preferred_name',
    'forename',
    'first',
    'donor_first_name',
    'donor_first',
    'contributor_first_name',
  ],
  surname: [
    'surname',
    'last_name',
    'lastname',
    'family_name',
    'last',
    'donor_last_name',
    'donor_last',
    'contributor_last_name',
  ],
  contributor_name: ['contributor_name', 'full_name', 'donor_name'],
  entity_type: ['entity_type', 'entity_tp'],
  date: [
    'date',
    'contribution_receipt_date',
    'transaction_dt',
    'donation_date',
    'contribution_date',
    'gift_date',
    'transaction_date',
    'receipt_date',
    'received_date',
    'date_received',
  ],
  year: ['year', 'donation_year'],
  street: [
    'street',
    'address',
    'contributor_street_1',
    'street_1',
    'address_1',
    'street1',
    'address1',
    'address_line_1',
    'street_address',
  ],
  street_2: [
    'street_2',
    'contributor_street_2',
    'address_2',
    'street2',
    'address2',
    'address_line_2',
    'apt',
    'apartment',
    'unit',
    'suite',
  ],
  city: ['city', 'town', 'contributor_city'],
  state: ['state', 'contributor_state'],
  zip: ['zip', 'zip_code', 'zipcode', 'postal', 'postal_code', 'postcode', 'contributor_zip'],
  fips: ['fips', 'county_fips'],
};

/** Column and key names compare without case, and with blanks, dots, hyphens and slashes as underscores. */
export const foldedFieldName = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replace(/[\s./-]+/g, '_');

/** The one ambiguous name: a first name in an age and gender query, a contributor's full name in the FEC's files. */
export const AMBIGUOUS_NAME = 'name';
