import { type Answer, type SendError } from './post';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after the first, second … failed attempt, as Standard Webhooks advises: about three days in all. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** Spreads retries of receivers that failed at the same time. */
const JITTER = 0.2;
const MAX_WAIT_MS = 24 * HOUR;
const GONE = 410;

/** State of a message after an attempt. */
export interface DeliveryResult {
  readonly state: 'delivered' | 'pending' | 'failed';
  readonly status: number | null;
  /** Null if it was delivered. */
  readonly error: string | null;
  /** Milliseconds until the next attempt, if there is one. */
  readonly waitMs: number;
}

/**
 * @param attempts - attempts so far, including this one
 * @param random - 0 to 1, spreads the next attempt
 */
export function deliveryResult(
  outcome: Answer | SendError,
  attempts: number,
  now: Date,
  random: number,
): DeliveryResult {
  const status = 'status' in outcome ? outcome.status : null;
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered', status, error: null, waitMs: 0 };
  const error = 'code' in outcome ? outcome.code : status === GONE ? 'gone' : 'refused';
  const wait = RETRY_DELAYS_MS[attempts - 1];
  if (status === GONE || wait === undefined) return { state: 'failed', status, error, waitMs: 0 };
  const requestedMs = 'status' in outcome ? parseRetryAfterMs(outcome.retryAfter, now) : 0;
  const waitMs = Math.round(Math.max(wait * (1 + JITTER * random), requestedMs));
  return { state: 'pending', status, error, waitMs };
}

/** Milliseconds of a Retry-After header, which has seconds or a date; at most one day. */
function parseRetryAfterMs(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return 0;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND : Date.parse(retryAfter) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_WAIT_MS);
}
