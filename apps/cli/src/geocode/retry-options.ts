/** What may be asked again. */
export const RETRIED = ['ERROR', 'NO_MATCH', 'TIE'] as const;

export interface RetryOptions {
  readonly outcome: (typeof RETRIED)[number];
  readonly dryRun?: boolean;
  readonly json?: boolean;
}
