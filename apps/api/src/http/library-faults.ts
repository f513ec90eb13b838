import { IntakeError, ResultsNotReadyError } from '@donorlens/batches';
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

const RETRY_AFTER: Readonly<Record<number, string>> = { 409: '1', 429: '3600', 503: '5' };

/** Errors of our libraries as the problems a client sees. */
export function problemOfLibraries(error: unknown): Problem | undefined {
  if (error instanceof IntakeError) {
    const retryAfter = RETRY_AFTER[error.status];
    return new Problem(CODE_OF_STATUS[error.status] ?? 'unreadable-batch', error.message, {
      members: { reason: error.code, ...error.values },
      ...(retryAfter && { headers: { 'retry-after': retryAfter } }),
    });
  }
  if (error instanceof ResultsNotReadyError)
    return new Problem(error.code === 'expired' ? 'expired' : 'batch-not-finished', error.message);
  return isAway(error)
    ? new Problem('unavailable', 'The database does not answer.', { headers: { 'retry-after': '5' } })
    : undefined;
}

/** Postgres gone, starting or refusing: the client may try again. */
const AWAY = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', '57P01', '57P02', '57P03', '53300', '08006', '08003']);

function isAway(error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code === 'string' && AWAY.has(code)) return true;
  return (
    typeof message === 'string' && /^(Connection terminated|timeout exceeded when trying to connect)/.test(message)
  );
}
