import { z } from 'zod';
import { EXIT, type ExitCode, CliError } from '../exit-code';

const stage = z.looseObject({ done: z.number(), total: z.number() });

/** The fields of a batch that the commands read; other fields pass through. */
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

/** Rows of a completed batch whose addresses are pending: their results will still change. */
export const lateRows = ({ state, addresses }: BatchView): number =>
  state === 'completed' ? (addresses?.pending ?? 0) : 0;

/** Exit code: 0 if all rows are done, 4 if some are invalid, failed or waiting, 1 if the batch did not complete. */
export function exitCodeOfBatch(batch: BatchView): ExitCode {
  const { state, counts } = batch;
  if (state !== 'completed') return EXIT.failed;
  return counts.invalid + counts.failed + lateRows(batch) > 0 ? EXIT.partial : EXIT.ok;
}

/** Parses a response of the service. @throws CliError if it has an unexpected form */
export function readAnswer<T>(schema: z.ZodType<T>, answer: unknown): T {
  const { data, success } = schema.safeParse(answer);
  if (success) return data;
  throw new CliError(
    'the answer of the service has an unexpected form: check that --url is a donorlens service of this version',
  );
}
