import { CLOSED, type Circuit, PROBE_EVERY_MS, recordFailure } from '@donorlens/locations';
import { type WaitReason } from './call';

/** The state of the geocoder that all processes share. Times are milliseconds of the database's clock. */
export interface LimiterState {
  /** Null: closed and new. */
  readonly circuit: Circuit | null;
  /** When an open circuit last admitted a call. */
  readonly probedAt: number | null;
  /** End of the geocoder's last Retry-After. */
  readonly closedUntil: number | null;
  /** Tokens of the bucket, one per request. Below 0 after a call of more requests than there were. */
  readonly tokens: number;
  /** When tokens was computed: at the start of the last call. */
  readonly refilledAt: number;
  /** Rate in force; null: as configured. */
  readonly callsPerMinute: number | null;
}

export interface Limits {
  readonly callsAtOnce: number;
  readonly callsPerMinute: number;
}

/** A call may start, with the state after its start; or how long to wait, and why. */
export type Verdict =
  { readonly start: LimiterState; readonly isProbe: boolean } | { readonly waitMs: number; readonly why: WaitReason };

const MINUTE_MS = 60_000;
/** Clocks differ by no more, unless one was set. */
const CLOCK_SLACK_MS = 2_000;
const MIN_WAIT_MS = 20;
const MAX_SLOT_WAIT_MS = 1_000;
const MAX_RETRY_AFTER_MS = 600_000;
/** For a "too many requests" without a Retry-After. */
const DEFAULT_RETRY_AFTER_MS = 10_000;

/**
 * Decides whether a call may start now. It needs one token; a call with several requests may overdraw the bucket, and the
 * next call waits for the refill. A stored wait above its maximum is ignored, because the clock was set back.
 * @param inFlight - calls that run now, over all processes
 */
export function mayStart(state: LimiterState, limits: Limits, now: number, inFlight: number): Verdict {
  const waitMs = blockedMs(state, now);
  if (waitMs > 0) return { waitMs, why: 'retry_after' };
  const opened = (state.circuit ?? CLOSED).openedAt;
  const probeMs = opened === null ? 0 : Math.max(opened, state.probedAt ?? 0) + PROBE_EVERY_MS - now;
  if (probeMs > 0 && probeMs <= PROBE_EVERY_MS) return { waitMs: probeMs, why: 'circuit_open' };
  if (inFlight >= limits.callsAtOnce) return { waitMs: slotWaitMs(now - state.refilledAt), why: 'slots' };
  const tokens = tokensAt(state, limits, now);
  if (tokens < 1) return { waitMs: Math.max(MIN_WAIT_MS, msFor(1 - tokens, state, limits)), why: 'rate' };
  const isProbe = opened !== null;
  const start = { ...state, tokens: tokens - 1, refilledAt: now, probedAt: isProbe ? now : state.probedAt };
  return { start, isProbe };
}

/** Requests per minute in force. */
export const rateInForce = (state: LimiterState, limits: Limits): number =>
  Math.min(state.callsPerMinute ?? limits.callsPerMinute, limits.callsPerMinute);

/** Capacity of the token bucket: the requests of a second, and at least one for each concurrent call. */
export const burst = (state: LimiterState, limits: Limits): number =>
  Math.max(rateInForce(state, limits) / 60, limits.callsAtOnce);

/** State after an answered call: the circuit closes, and a lowered rate rises by a twentieth. */
export function afterAnswered(state: LimiterState, limits: Limits): LimiterState {
  const raised = state.callsPerMinute === null ? null : state.callsPerMinute * 1.05;
  const callsPerMinute = raised !== null && raised < limits.callsPerMinute ? raised : null;
  return { ...state, callsPerMinute, circuit: CLOSED };
}

/** State after a failed call, and what the failure counts against. */
export interface Failure {
  readonly state: LimiterState;
  /** The circuit is closed: the failure counts against the call. */
  readonly isCounted: boolean;
  /**
   * Set if this failure opened the circuit: ids of calls, one for each earlier failure, which are now attributed to the
   * geocoder and reset. If one call alone failed, it may be at fault itself: three of its failures stay.
   */
  readonly reset: readonly string[];
}

/** Records a failed call. While the circuit is open, only its probe changes the state. */
export function afterFailed(state: LimiterState, call: { id: string; isProbe: boolean }, now: number): Failure {
  const wasOpen = (state.circuit ?? CLOSED).openedAt !== null;
  if (wasOpen && !call.isProbe) return { state, isCounted: false, reset: [] };
  const circuit = recordFailure(state.circuit, call.id, now);
  const isOpen = circuit.openedAt !== null;
  const reset = isOpen && !wasOpen ? resetFailures((state.circuit ?? CLOSED).failedCalls, call.id) : [];
  return { state: { ...state, circuit }, isCounted: !isOpen, reset };
}

const OWN_FAILURES = 3;

const resetFailures = (failedCalls: readonly string[], lastId: string): readonly string[] =>
  failedCalls.every((id) => id === lastId) ? failedCalls.slice(OWN_FAILURES) : failedCalls;

/**
 * Applies a Retry-After: no call starts for as long as it says, at most ten minutes, and the rate is halved afterwards.
 * Concurrent calls get it together; the rate is halved once.
 */
export function applyRetryAfter(
  state: LimiterState,
  limits: Limits,
  now: number,
  retryAfterMs: number | null,
): LimiterState {
  const until = now + Math.min(Math.max(0, retryAfterMs ?? DEFAULT_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS);
  const stored = blockedMs(state, now) > 0 ? state.closedUntil : null;
  const callsPerMinute = stored !== null ? state.callsPerMinute : Math.max(1, rateInForce(state, limits) / 2);
  return { ...state, callsPerMinute, closedUntil: Math.max(until, stored ?? 0) };
}

/** Remaining time of the stored Retry-After; 0 if it is above the maximum, because the clock was set back. */
function blockedMs({ closedUntil }: LimiterState, now: number): number {
  const ms = Math.max(0, (closedUntil ?? now) - now);
  return ms > MAX_RETRY_AFTER_MS ? 0 : ms;
}

/** A bucket that was refilled later than now is full: the clock was set back, and no time could be counted until then. */
function tokensAt(state: LimiterState, limits: Limits, now: number): number {
  if (state.refilledAt > now + CLOCK_SLACK_MS) return burst(state, limits);
  const refill = (Math.max(0, now - state.refilledAt) * rateInForce(state, limits)) / MINUTE_MS;
  return Math.min(burst(state, limits), state.tokens + refill);
}

const msFor = (tokens: number, state: LimiterState, limits: Limits): number =>
  Math.ceil((tokens * MINUTE_MS) / rateInForce(state, limits));

/**
 * Polling interval: a twentieth of the time since the last start, since short calls free their slot soon and long ones
 * do not.
 */
const slotWaitMs = (sinceMs: number): number =>
  Math.round(Math.min(MAX_SLOT_WAIT_MS, Math.max(MIN_WAIT_MS, sinceMs / 20)));

const [INITIAL_BACKOFF_MS, MAX_BACKOFF_MS] = [1_000, 60_000];

/**
 * Exponential backoff with full jitter: 0 to 1 s after the first failure, to twice that after each more, up to a
 * minute.
 */
export const backoffMs = (failures: number): number =>
  Math.floor(Math.random() * Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** Math.max(0, failures - 1)));
