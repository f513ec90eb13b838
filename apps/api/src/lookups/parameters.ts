import { z } from 'zod';
import { type QueryParameter } from '../http/route-policy';

export const DETAIL: QueryParameter = {
  name: 'detail',
  description: 'Adds to each result how sure the answer is, how many people it rests on, and the data release.',
  schema: z.boolean().default(false),
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

export const IDEMPOTENCY_KEY: QueryParameter = {
  name: 'Idempotency-Key',
  description: 'Yours, up to 200 characters: the same key with the same body is one batch, however often it is sent.',
  schema: z.string().max(200),
};

/** `?format=` over the given names; it wins over Accept, so that links work. */
export const format = (...names: [string, ...string[]]): QueryParameter => ({
  name: 'format',
  description: 'Wins over Accept.',
  schema: z.enum(names),
});
