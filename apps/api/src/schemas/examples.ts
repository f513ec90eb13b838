/**
 * Requests that work with the sample data, and their responses. The names are invented, the address is that of the
 * Census Bureau.
 */

export const AGE_GENDER = {
  queries: [
    { date: '2017-07-01', name: 'Thomas' },
    { date: '2016-03-01', name: 'Maria', id: 'row-2' },
  ],
};

export const AGE_GENDER_ANSWER = {
  results: [
    { age: 70, gender: 'm' },
    { age: 55, gender: 'f', id: 'row-2' },
  ],
};

export const ETHNICITY = {
  queries: [
    { surname: 'Garcia', year: 2016 },
    { surname: 'Smith', year: 2004, id: 'row-2' },
  ],
};

const GARCIA_ANSWER = {
  pct2prace: 0.6,
  pctaian: 0.3,
  pctapi: 0.7,
  pctblack: 0.6,
  pcthispanic: 92.2,
  pctwhite: 5.6,
  race: 'hispanic',
  surname: 'Garcia',
};
const SMITH_ANSWER = {
  id: 'row-2',
  pct2prace: 2.7,
  pctaian: 0.7,
  pctapi: 0.3,
  pctblack: 19.7,
  pcthispanic: 2.6,
  pctwhite: 74,
  race: 'white',
  surname: 'Smith',
};
export const ETHNICITY_ANSWER = { results: [GARCIA_ANSWER, SMITH_ANSWER] };

export const CONTRIBUTIONS = {
  queries: [
    {
      first_name: 'Thomas',
      last_name: 'Garcia',
      date: '2016-10-01',
      street: '4600 Silver Hill Rd',
      city: 'Washington',
      state: 'DC',
      zip: '20233',
    },
    { name: 'SMITH, MARIA A MRS.', date: '03012016', fips: '09001', id: 'row-2' },
  ],
};

/** The first address is not geocoded yet; the second row has no address but a county. */
export const CONTRIBUTIONS_ANSWER = {
  results: [
    {
      age: 69,
      gender: 'm',
      ethnicity: 'hispanic',
      pct_white: 5.6,
      pct_black: 0.6,
      pct_api: 0.7,
      pct_aian: 0.3,
      pct_2prace: 0.6,
      pct_hispanic: 92.2,
      fips: null,
      county: null,
      tract_cd: null,
      block_cd: null,
      hh_income_median: null,
      address_id: null,
      geocode_status: 'PENDING',
    },
    {
      age: 55,
      gender: 'f',
      ethnicity: 'white',
      pct_white: 74,
      pct_black: 19.7,
      pct_api: 0.3,
      pct_aian: 0.7,
      pct_2prace: 2.7,
      pct_hispanic: 2.6,
      fips: '09001',
      county: 'Fairfield County',
      tract_cd: null,
      block_cd: null,
      hh_income_median: 66_600,
      address_id: null,
      geocode_status: 'SKIPPED',
      id: 'row-2',
    },
  ],
};

/** The same two rows as a file. */
export const CONTRIBUTIONS_CSV = `first_name,last_name,date,street,city,state,zip,fips
Thomas,Garcia,2016-10-01,4600 Silver Hill Rd,Washington,DC,20233,
Maria,Smith,2016-03-01,,,,,09001
`;

export const CONTRIBUTIONS_NDJSON = CONTRIBUTIONS.queries.map((query) => `${JSON.stringify(query)}\n`).join('');

/** Placeholder for the id of a batch. */
export const BATCH_ID = '01890a5d-ac96-774b-bcce-b302099a8057';

/** A running batch: its names are enriched, some of its addresses are pending. */
export const BATCH = {
  id: BATCH_ID,
  type: 'contributions',
  state: 'running',
  counts: { total: 10_000, done: 10_000, ok: 9_570, partial: 240, not_found: 170, invalid: 20, failed: 0 },
  stages: { enriched: { done: 10_000, total: 10_000 }, geocoded: { done: 9_640, total: 10_000 } },
  addresses: { match: 8_900, no_match: 200, tie: 40, skipped: 480, pending: 360 },
  waits_for: '360 addresses pending, 1 call in progress',
  progress: 0.982,
  rows_per_second: 95,
  eta_seconds: 4,
  created_at: '2026-03-01T12:00:00.000Z',
  started_at: '2026-03-01T12:00:00.400Z',
  finished_at: null,
  expires_at: '2026-03-08T12:00:00.000Z',
  data_release: '2026-02-20.3fa9c1',
  error: null,
  links: {
    self: `/enrich/v1/batches/${BATCH_ID}`,
    results: `/enrich/v1/batches/${BATCH_ID}/results`,
    partial: `/enrich/v1/batches/${BATCH_ID}/results?partial=true`,
    errors: `/enrich/v1/batches/${BATCH_ID}/errors`,
    cancel: `/enrich/v1/batches/${BATCH_ID}/cancel`,
  },
} as const;
