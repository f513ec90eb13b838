import { type Batch, BATCH_STATES, progressOf } from '@donorlens/batches';
import { BATCH_TYPES, OUTCOMES, countedRows } from '@donorlens/primitives';
import { z } from 'zod';
import { BATCH } from '../schemas/examples';

const moment = z.iso.datetime().nullable();
const stage = z.object({ done: z.int(), total: z.int() });

/** A batch as clients see it. */
export const batchSchema = z.object({
  id: z.uuid(),
  type: z.enum(BATCH_TYPES),
  state: z.enum(BATCH_STATES),
  counts: z
    .object({ total: z.int(), done: z.int(), ...Object.fromEntries(OUTCOMES.map((outcome) => [outcome, z.int()])) })
    .describe('Every row that is done has exactly one outcome.'),
  stages: z
    .object({
      enriched: stage.describe('Rows with ages, genders and ethnicities.'),
      geocoded: stage
        .nullable()
        .describe('Rows that do not wait for an address; null if the type of the batch has no addresses.'),
    })
    .describe('Results of the first stage can be read before the second has ended, with ?partial=true.'),
  addresses: z
    .object({ match: z.int(), no_match: z.int(), tie: z.int(), skipped: z.int(), pending: z.int() })
    .describe(
      'Rows of a contributions batch by GEOCODE_STATUS; late outcomes are counted after the batch has completed, too.',
    ),
  waits_for: z
    .string()
    .nullable()
    .describe('Why rows or pending addresses wait, as a text; null if nothing blocks them.'),
  progress: z.number().min(0).max(1).describe('Over both stages; 1 once the batch has completed.'),
  rows_per_second: z
    .number()
    .nullable()
    .describe(
      'Rate of the current stage: rows enriched per second since the start of the batch, then rows geocoded per second over the last minute. Null if there is no progress, before a rate is known, and at the end.',
    ),
  eta_seconds: z
    .int()
    .nullable()
    .describe(
      'Seconds until both stages are done at that rate; 0 once the batch has ended. Null if it is unknown: without a rate, and while rows are enriched of which some wait for an address.',
    ),
  created_at: moment,
  started_at: moment,
  finished_at: moment,
  expires_at: moment.describe('When the rows are erased; the counts stay.'),
  data_release: z.string(),
  error: z.string().nullable(),
  links: z.object({
    self: z.string(),
    results: z.string(),
    partial: z.string().describe('The finished results, before the batch has ended.'),
    errors: z.string(),
    cancel: z.string(),
  }),
});

const people = z.number().describe('Expected number, two decimals.');
const values = z.array(z.object({ value: z.string(), people }));
const dollars = z.int().nullable();

/** The summary of a batch as clients see it. */
export const summarySchema = z.object({
  rows: z.int(),
  first_names_known: z.int(),
  surnames_known: z.int(),
  ages: z
    .object({
      basis: z.literal('group'),
      median: z.int().nullable(),
      median_low: z.int().nullable(),
      median_high: z.int().nullable(),
      distribution: z.array(z.object({ age: z.int(), people })),
    })
    .describe(
      'Ages of the adults in the batch, estimated from all first names together; low and high are a 95% interval.',
    ),
  sex: values,
  ethnicity: values.describe('Sums of the published shares of the surnames.'),
  states: z.array(z.object({ value: z.string(), rows: z.int() })),
  counties: z
    .array(z.object({ fips: z.string(), county: z.string(), state: z.string(), rows: z.int() }))
    .describe('The 20 with most rows.'),
  income: z.object({ q25: dollars, median: dollars, q75: dollars }).describe('Over rows: HH_INCOME_MEDIAN.'),
  filled: z
    .array(z.object({ column: z.string(), rows: z.int(), fill_rate: z.number().min(0).max(1) }))
    .describe('Rows with a value, and their share of all rows, by added column.'),
  data_release: z.string(),
});

z.globalRegistry.add(batchSchema, { id: 'Batch', examples: [BATCH] });

export type BatchWire = z.infer<typeof batchSchema>;

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const batchUrl = (id: string): string => `/enrich/v1/batches/${id}`;

/** Facts about a batch that are not stored with it. */
export interface LiveBatchStatus {
  /** Text with the reason why rows or pending addresses wait; null if none waits or the reason is unknown. */
  readonly waitsFor: string | null;
  /** True if the queue has stopped before all rows are enriched: then there is no rate. */
  readonly isStalled: boolean;
  /** Rows per second over the last minute. */
  readonly geocodedPerSecond: number | null;
}

export function batchWire(batch: Batch, now: Date, status: LiveBatchStatus): BatchWire {
  const { waitsFor, isStalled, geocodedPerSecond } = status;
  const { enriched, geocoded, share, rowsPerSecond, etaSeconds } = progressOf(batch, now, geocodedPerSecond);
  const { match, noMatch, tie, skipped, pending } = batch.addresses;
  const self = batchUrl(batch.id);
  return {
    id: batch.id,
    type: batch.type,
    state: batch.state,
    counts: { total: batch.rowsTotal, done: countedRows(batch.counts), ...batch.counts },
    stages: { enriched, geocoded },
    addresses: { match, no_match: noMatch, tie, skipped, pending },
    waits_for: waitsFor,
    progress: Math.floor(share * 1e4) / 1e4,
    rows_per_second: isStalled ? null : rowsPerSecond,
    eta_seconds: isStalled ? null : etaSeconds,
    created_at: iso(batch.createdAt),
    started_at: iso(batch.startedAt),
    finished_at: iso(batch.finishedAt),
    expires_at: iso(batch.expiresAt),
    data_release: batch.releaseId,
    error: batch.errorCode,
    links: {
      self,
      results: `${self}/results`,
      partial: `${self}/results?partial=true`,
      errors: `${self}/errors`,
      cancel: `${self}/cancel`,
    },
  };
}
