/**
 * Requests of one lane are run one after the other. Those that take a moment do not wait for those that take an hour,
 * and what loads data runs where the scheduled loading does, so that never two are at work on the same.
 */
export const LANES = {
  prompt: `action in ('redrive', 'retry-addresses', 'cancel-batch')`,
  'reference-data': `action = 'refresh' and target ->> 'source' = 'reference-data'`,
  'campaign-data': `action = 'refresh' and target ->> 'source' in ('fec', 'filings', 'charts')`,
} as const;
export type Lane = keyof typeof LANES;

/** Told to the queues' server again and again; they are done when it has been told. */
export const PAUSING = `action in ('pause', 'resume')`;
