import { BATCH_TYPES } from '@donorlens/primitives';
import { z } from 'zod';
import { type Contents, type QueryParameter, type RoutePolicy } from '../http/route-policy';
import { CONTRIBUTIONS, CONTRIBUTIONS_CSV, CONTRIBUTIONS_NDJSON } from '../openapi/examples';
import { MIN_AGE } from '../lookups/parameters';
import { ageGenderQuery, contributionQuery, ethnicityQuery } from '../lookups/wire-schemas';

export const UPLOAD_PARAMETERS: readonly QueryParameter[] = [
  { name: 'type', description: 'What to answer. Files: contributions unless said.', schema: z.enum(BATCH_TYPES) },
  {
    name: 'format',
    description:
      'itcont: the header-less file of the FEC, which is also known by its first line. The others are told from the content type.',
    schema: z.enum(['csv', 'itcont', 'ndjson']),
  },
  {
    name: 'map.{field}',
    description:
      'Which of your columns holds a field, e.g. map.first_name=GIVEN; an empty value: none, whatever a header says. Known headers need no mapping.',
    schema: z.string(),
  },
  MIN_AGE,
];

export const SUBMIT_HEADERS: readonly QueryParameter[] = [
  { name: 'Idempotency-Key', description: 'The same key and body are one batch.', schema: z.string().max(200) },
  {
    name: 'Webhook-Url',
    description:
      'Public https address that is told the end of the batch, in a signed message; docs/webhooks.md says how. Asking for the batch works without. In a form a field webhook_url before the file, in JSON a member.',
    schema: z.url(),
  },
];

const queries = z.object({
  type: z.enum(BATCH_TYPES),
  queries: z.array(z.union([ageGenderQuery, ethnicityQuery, contributionQuery])).min(1),
  min_age: z.int().min(0).max(100).optional(),
  webhook_url: z.url().optional(),
});

/** Content types of a batch. Each may be gzipped. */
export const UPLOAD_BODIES: Contents = {
  'application/json': queries,
  'text/csv': null,
  'application/x-ndjson': null,
  'multipart/form-data': z.object({
    file: z.file().describe('CSV or NDJSON. Fields before it are read as parameters.'),
  }),
  'application/gzip': null,
};

export const UPLOAD_EXAMPLE: RoutePolicy['example'] = {
  'application/json': { type: 'contributions', ...CONTRIBUTIONS },
  'text/csv': CONTRIBUTIONS_CSV,
  'application/x-ndjson': CONTRIBUTIONS_NDJSON,
};
