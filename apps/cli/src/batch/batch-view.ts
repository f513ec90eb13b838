import { z } from 'zod';
import { EXIT, type ExitCode } from '../exit-code';
import { readAnswer } from './read-answer';

const stage = z.looseObject({ done: z.number(), total: z.number() });

/** What the commands read of a batch as the service shows it; anything beyond is left alone. */
const batchView = z.looseObject({
  id: z.string(),
  state: z.string(),
  type: z.string().optional(),
  created_at: z.string().nullish(),
  data_release: z.string().nullish(),
  counts: z.looseObject({
    total: z.number(),
    done: z.number(),
    ok: z.number(),
    partial: z.number(),
    not_found: z.number(),
    invalid: z.number(),
    failed: z.number(),
  }),
  stages: z.looseObject({ enriched: stage, geocoded: stage.nullish() }).optional(),
  addresses: z
    .looseObject({
      match: z.number(),
      no_match: z.number(),
      tie: z.number(),
      skipped: z.number(),
      pending: z.number(),
    })
    .optional(),
  waits_for: z.string().nullish(),
  rows_per_second: z.number().nullish(),
  eta_seconds: z.number().nullish(),
});
export type BatchView = z.infer<typeof batchView>;

export const readBatch = (answer: unknown): BatchView => readAnswer(batchView, answer);

const FINAL = new Set(['completed', 'cancelled', 'expired', 'failed']);
export const isFinal = (batch: BatchView): boolean => FINAL.has(batch.state);

/** Rows of a batch that has completed whose addresses are still looked up: its results are not yet what they will be. */
export const lateRows = ({ state, addresses }: BatchView): number =>
  state === 'completed' ? (addresses?.pending ?? 0) : 0;

/** 0 for a batch whose rows are all done, 4 where some could not be or still wait, 1 where it did not complete. */
export function exitCodeOfBatch(batch: BatchView): ExitCode {
  const { state, counts } = batch;
  if (state !== 'completed') return EXIT.failed;
  return counts.invalid + counts.failed + lateRows(batch) > 0 ? EXIT.partial : EXIT.ok;
}
