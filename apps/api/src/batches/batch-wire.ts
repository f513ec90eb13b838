import { type Batch, BATCH_STATES, progressOf } from '@donorlens/batches';
import { BATCH_TYPES, OUTCOMES, tallied } from '@donorlens/primitives';
import { z } from 'zod';

const moment = z.iso.datetime().nullable();

/** A batch as clients see it. */
export const batchSchema = z.object({
  id: z.uuid(),
  type: z.enum(BATCH_TYPES),
  state: z.enum(BATCH_STATES),
  counts: z
    .object({ total: z.int(), done: z.int(), ...Object.fromEntries(OUTCOMES.map((outcome) => [outcome, z.int()])) })
    .describe('Every row that is done has exactly one outcome.'),
  progress: z.number().min(0).max(1),
  rows_per_second: z.number().nullable(),
  eta_seconds: z.int().nullable(),
  created_at: moment,
  started_at: moment,
  finished_at: moment,
  expires_at: moment.describe('When the rows are erased; the counts stay.'),
  data_release: z.string(),
  error: z.string().nullable(),
  links: z.object({ self: z.string(), results: z.string(), errors: z.string(), cancel: z.string() }),
});

export const FINAL_STATES: ReadonlySet<string> = new Set(['completed', 'cancelled', 'expired', 'failed']);

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const batchUrl = (id: string): string => `/enrich/v1/batches/${id}`;

export function batchWire(batch: Batch, now: Date): z.infer<typeof batchSchema> {
  const { rowsPerSecond, etaSeconds } = progressOf(batch, now);
  const done = tallied(batch.tally);
  const self = batchUrl(batch.id);
  return {
    id: batch.id,
    type: batch.type,
    state: batch.state,
    counts: { total: batch.rowsTotal, done, ...batch.tally },
    progress: batch.rowsTotal === 0 ? 1 : Math.round((done / batch.rowsTotal) * 1e4) / 1e4,
    rows_per_second: rowsPerSecond,
    eta_seconds: etaSeconds,
    created_at: iso(batch.createdAt),
    started_at: iso(batch.startedAt),
    finished_at: iso(batch.finishedAt),
    expires_at: iso(batch.expiresAt),
    data_release: batch.releaseId,
    error: batch.errorCode,
    links: { self, results: `${self}/results`, errors: `${self}/errors`, cancel: `${self}/cancel` },
  };
}
