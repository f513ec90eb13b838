import { AGE_BASES } from '@donorlens/demographics';
import { BATCH_TYPES, ETHNICITY_OPTIONS } from '@donorlens/primitives';
import { TABLE_FILE_TYPES } from '@donorlens/tabular';
import { z } from 'zod';
import { type Contents, type QueryParameter, type RoutePolicy } from '../http/route-policy';
import { BATCH_AGE_BASIS, ETHNICITY_BASIS, MIN_AGE } from '../schemas/parameters';
import { CONTRIBUTIONS, CONTRIBUTIONS_CSV, CONTRIBUTIONS_NDJSON } from '../schemas/examples';
import { ageGenderQuery, contributionQuery, ethnicityQuery } from '../schemas/queries';

export const UPLOAD_PARAMETERS: readonly QueryParameter[] = [
  {
    name: 'type',
    description: 'The kind of enrichment; contributions by default for files.',
    schema: z.enum(BATCH_TYPES),
  },
  {
    name: 'format',
    description:
      'itcont: the FEC file without a header, which is also detected by its first line. The other formats follow from the content type.',
    schema: z.enum(['csv', 'itcont', 'ndjson']),
  },
  {
    name: 'sheet',
    description: 'Name or number of the sheet of an .xlsx workbook; the first visible one by default.',
    schema: z.string(),
  },
  {
    name: 'map.{field}',
    description:
      'The column of a field, e.g. map.first_name=GIVEN; an empty value: no column, even if a header matches. Known headers need no mapping.',
    schema: z.string(),
  },
  MIN_AGE,
  BATCH_AGE_BASIS,
  ETHNICITY_BASIS,
];

/** Parameters for repeating a batch, whose stored input has a known format. */
export const REPEAT_PARAMETERS = UPLOAD_PARAMETERS.filter(({ name }) => name !== 'format' && name !== 'sheet');

export const SUBMIT_HEADERS: readonly QueryParameter[] = [
  { name: 'Idempotency-Key', description: 'The same key and body are one batch.', schema: z.string().max(200) },
  {
    name: 'Webhook-Url',
    description:
      'Public https URL that receives a signed message when the batch ends; see docs/webhooks.md. In a form: the field webhook_url before the file; in JSON: the member webhook_url.',
    schema: z.url(),
  },
];

const queries = z.object({
  type: z.enum(BATCH_TYPES),
  queries: z.array(z.union([ageGenderQuery, ethnicityQuery, contributionQuery])).min(1),
  min_age: z.int().min(0).max(100).optional(),
  age_basis: z.enum(AGE_BASES).optional(),
  ethnicity_basis: z.enum(ETHNICITY_OPTIONS).optional(),
  webhook_url: z.url().optional(),
});

/** Content types that a batch accepts. Each may be gzipped. */
export const UPLOAD_BODIES: Contents = {
  'application/json': queries,
  'text/csv': null,
  'application/x-ndjson': null,
  [TABLE_FILE_TYPES.xlsx]: null,
  'multipart/form-data': z.object({
    file: z.file().describe('CSV, .xlsx or NDJSON. Fields before it are read as parameters.'),
  }),
  'application/gzip': null,
};

export const UPLOAD_EXAMPLE: RoutePolicy['example'] = {
  'application/json': { type: 'contributions', ...CONTRIBUTIONS },
  'text/csv': CONTRIBUTIONS_CSV,
  'application/x-ndjson': CONTRIBUTIONS_NDJSON,
};
