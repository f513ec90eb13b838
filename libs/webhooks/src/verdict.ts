import { type Answer } from './post';
import { type SendFault } from './send-fault';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after the first, second … try that failed, as Standard Webhooks advises: about three days in all. */
export const RETRY_AFTER_MS: readonly number[] = [
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
/** So that receivers that failed together are not asked together. */
const JITTER = 0.2;
const LONGEST_WAIT_MS = 24 * HOUR;
const GONE = 410;

/** What becomes of a message after a try. */
export interface Verdict {
  readonly state: 'delivered' | 'pending' | 'failed';
  readonly status: number | null;
  /** Null where it was delivered. */
  readonly error: string | null;
  /** Until the next try, where there is one. */
  readonly waitMs: number;
}

/**
 * @param attempts  tries so far, this one included
 * @param random    0 to 1, spreads the next try
 */
export function verdictOf(outcome: Answer | SendFault, attempts: number, now: Date, random: number): Verdict {
  const status = 'status' in outcome ? outcome.status : null;
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered', status, error: null, waitMs: 0 };
  const error = 'code' in outcome ? outcome.code : status === GONE ? 'gone' : 'refused';
  const wait = RETRY_AFTER_MS[attempts - 1];
  if (status === GONE || wait === undefined) return { state: 'failed', status, error, waitMs: 0 };
  const asked = 'status' in outcome ? askedWaitMs(outcome.retryAfter, now) : 0;
  const waitMs = Math.round(Math.max(wait * (1 + JITTER * random), asked));
  return { state: 'pending', status, error, waitMs };
}

/** Retry-After, in seconds or as a date; a day at most. */
function askedWaitMs(retryAfter: string | null, now: Date): number {
  if (retryAfter === null) return 0;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * SECOND : Date.parse(retryAfter) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_WAIT_MS);
}
