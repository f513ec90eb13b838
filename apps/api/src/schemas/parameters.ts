import { NAME_DETAIL_COLUMNS } from '@donorlens/primitives';
import { z } from 'zod';
import { type QueryParameter } from '../http/route-policy';

/** Maximum wait of a request for its addresses; proxies rarely wait longer. */
export const MAX_WAIT_SECONDS = 60;

export const DETAIL: QueryParameter = {
  name: 'detail',
  description: 'Adds to each result how sure the answer is, how many people it rests on, and the data release.',
  schema: z.boolean().default(false),
};

export const GENDER_DETAIL: QueryParameter = {
  ...DETAIL,
  description: 'Adds to each result what decided its gender and its county. A batch ignores it.',
};

export const PLACE_DETAIL: QueryParameter = {
  ...DETAIL,
  description: `Adds what says the county (FIPS_SOURCE: address, zip), of a county by ZIP its share of people (FIPS_SHARE), DONOR_ID, and of rows that follow the active data release ${NAME_DETAIL_COLUMNS.join(', ')}.`,
};

export const RESULT_DETAIL: QueryParameter = {
  ...DETAIL,
  description: `Adds how sure the estimates are and what they rest on: of ${NAME_DETAIL_COLUMNS.join(', ')} those that the kind of batch has; in JSON in lower case.`,
};

export const MIN_AGE: QueryParameter = {
  name: 'min_age',
  description: 'Counts only people who have reached this age. Donors are adults: 18 is a good value for them.',
  schema: z.int().min(0).max(100),
};

export const PREFER: QueryParameter = {
  name: 'Prefer',
  description: 'respond-async: take the queries as a batch and answer 202 at once.',
  schema: z.string(),
};

export const PREFER_GEOCODED: QueryParameter = {
  name: 'Prefer',
  description: `wait=N, up to ${MAX_WAIT_SECONDS} seconds: the answer has no PENDING if all addresses are located in time, as a batch is; else 202 and that batch. respond-async: take the queries as a batch and answer 202 at once. Both need a key with the scope enrich:batch.`,
  schema: z.string(),
};

export const IDEMPOTENCY_KEY: QueryParameter = {
  name: 'Idempotency-Key',
  description: 'Yours, up to 200 characters: the same key with the same body is one batch, however often it is sent.',
  schema: z.string().max(200),
};

/** `?format=` with these values; it overrides Accept, so that links work. */
export const format = (...names: [string, ...string[]]): QueryParameter => ({
  name: 'format',
  description: 'Wins over Accept.',
  schema: z.enum(names),
});
