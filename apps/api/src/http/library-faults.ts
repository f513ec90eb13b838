import { IntakeError, ResultsNotReadyError } from '@donorlens/batches';
import { isDatabaseAway } from '@donorlens/database';
import { Problem, type ProblemCode } from './problem';

const CODE_OF_STATUS: Readonly<Record<number, ProblemCode>> = {
  400: 'unreadable-batch',
  408: 'request-timeout',
  409: 'idempotency-in-flight',
  413: 'body-too-large',
  422: 'idempotency-mismatch',
  429: 'quota-exceeded',
  503: 'unavailable',
};

const DAY_SECONDS = 86_400;

/** When to come back, in seconds. */
function retryAfter({ status }: IntakeError, now: Date): number | undefined {
  if (status === 409) return 1;
  if (status === 503) return 5;
  if (status !== 429) return undefined;
  return DAY_SECONDS - (Math.floor(now.getTime() / 1000) % DAY_SECONDS); // quotas begin anew at midnight, UTC
}

/** Errors of our libraries as the problems a client sees. */
export function problemOfLibraries(error: unknown, now = new Date()): Problem | undefined {
  if (error instanceof IntakeError) {
    const seconds = retryAfter(error, now);
    return new Problem(CODE_OF_STATUS[error.status] ?? 'unreadable-batch', error.message, {
      members: { reason: error.code, ...error.values },
      ...(seconds !== undefined && { headers: { 'retry-after': String(seconds) } }),
    });
  }
  if (error instanceof ResultsNotReadyError)
    return new Problem(error.code === 'expired' ? 'expired' : 'batch-not-finished', error.message);
  if (!isDatabaseAway(error)) return undefined;
  const detail = isFull(error) ? 'The database has no room for this now.' : 'The database does not answer.';
  return new Problem('unavailable', detail, { headers: { 'retry-after': '5' } });
}

/** Its disk, memory or connections are used up. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('53');
