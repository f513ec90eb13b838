import { type Circuit, PROBE_EVERY_MS, afterAnswer, afterFailure, openedAt } from './circuit';
import { type WaitReason } from './claimed-call';

/** What all processes know together of the geocoder. Times are milliseconds of one clock. */
export interface GateState {
  /** Null: closed and new. */
  readonly circuit: Circuit | null;
  /** When an open circuit last let a call through. */
  readonly probedAt: number | null;
  /** The geocoder asked to be left alone until then. */
  readonly closedUntil: number | null;
  /** Requests that may start at once. Below 0 after a call of more requests than there were. */
  readonly tokens: number;
  /** When tokens was right: as the last call started. */
  readonly refilledAt: number;
  /** Rate in force; null: as configured. */
  readonly callsPerMinute: number | null;
}

export interface GateLimits {
  readonly callsAtOnce: number;
  readonly callsPerMinute: number;
}

/** A call may start, and what is known then; or how long to wait, and why. */
export type Verdict =
  { readonly start: GateState; readonly isProbe: boolean } | { readonly waitMs: number; readonly why: WaitReason };

const MINUTE_MS = 60_000;
const LEAST_WAIT_MS = 20;
const MOST_SLOT_WAIT_MS = 1_000;
const MOST_RETRY_AFTER_MS = 600_000;
/** Too many, and the geocoder does not say for how long. */
const RETRY_AFTER_MS = 10_000;

/**
 * Whether a call of one request may start now. One of more takes more tokens than there are: the next one waits for them.
 * @param inFlight calls that run now, over all processes
 */
export function mayStart(state: GateState, limits: GateLimits, now: number, inFlight: number): Verdict {
  const toldMs = (state.closedUntil ?? now) - now;
  if (toldMs > 0) return { waitMs: toldMs, why: 'told_to_wait' };
  const opened = openedAt(state.circuit);
  const probeMs = opened === null ? 0 : Math.max(opened, state.probedAt ?? 0) + PROBE_EVERY_MS - now;
  if (probeMs > 0) return { waitMs: probeMs, why: 'circuit_open' };
  if (inFlight >= limits.callsAtOnce) return { waitMs: slotWaitMs(now - state.refilledAt), why: 'slots' };
  const tokens = tokensAt(state, limits, now);
  if (tokens < 1) return { waitMs: Math.max(LEAST_WAIT_MS, msFor(1 - tokens, state, limits)), why: 'rate' };
  const isProbe = opened !== null;
  const start = { ...state, tokens: tokens - 1, refilledAt: now, probedAt: isProbe ? now : state.probedAt };
  return { start, isProbe };
}

/** Requests per minute in force. */
export const rateInForce = (state: GateState, limits: GateLimits): number =>
  Math.min(state.callsPerMinute ?? limits.callsPerMinute, limits.callsPerMinute);

/** Requests that may start at once after a rest: a second's worth, and at least one for each call at a time. */
export const burst = (state: GateState, limits: GateLimits): number =>
  Math.max(rateInForce(state, limits) / 60, limits.callsAtOnce);

/** The call was answered: the circuit closes, and a rate that was lowered rises by a twentieth. */
export async function answered(state: GateState, limits: GateLimits, now: number): Promise<GateState> {
  const raised = state.callsPerMinute === null ? null : state.callsPerMinute * 1.05;
  const callsPerMinute = raised !== null && raised < limits.callsPerMinute ? raised : null;
  return { ...state, callsPerMinute, circuit: await afterAnswer(state.circuit, now) };
}

/** What a failure does to the gate, and to whom it is put down. */
export interface Failure {
  readonly state: GateState;
  /** The circuit is closed: the failure counts against the call. */
  readonly counts: boolean;
  /**
   * The circuit has opened by it: earlier failures of these calls were the geocoder's. One for each failure. Where one
   * call alone is to blame it may as well be its own doing: three failures stay, and two more tell.
   */
  readonly forgiven: readonly string[];
}

/** The call failed. While the circuit is open, only its probe says anything new. */
export async function failed(state: GateState, call: { id: string; isProbe: boolean }, now: number): Promise<Failure> {
  const wasOpen = openedAt(state.circuit) !== null;
  if (wasOpen && !call.isProbe) return { state, counts: false, forgiven: [] };
  const circuit = await afterFailure(state.circuit, call.id, now);
  const isOpen = openedAt(circuit) !== null;
  const forgiven = isOpen && !wasOpen ? forgivenOf(state.circuit?.blamed ?? [], call.id) : [];
  return { state: { ...state, circuit }, counts: !isOpen, forgiven };
}

const SUSPICIONS = 3;

const forgivenOf = (blamed: readonly string[], lastId: string): readonly string[] =>
  blamed.every((id) => id === lastId) ? blamed.slice(SUSPICIONS) : blamed;

/**
 * The geocoder asked to be left alone: for as long as it says, at most ten minutes, and at half the rate afterwards.
 * Calls that were under way together are told so together: the rate is halved once.
 */
export function toldToWait(state: GateState, limits: GateLimits, now: number, retryAfterMs: number | null): GateState {
  const until = now + Math.min(Math.max(0, retryAfterMs ?? RETRY_AFTER_MS), MOST_RETRY_AFTER_MS);
  const isTold = state.closedUntil !== null && state.closedUntil > now;
  const callsPerMinute = isTold ? state.callsPerMinute : Math.max(1, rateInForce(state, limits) / 2);
  return { ...state, callsPerMinute, closedUntil: Math.max(until, state.closedUntil ?? 0) };
}

/** A clock that is set back refills nothing. */
function tokensAt(state: GateState, limits: GateLimits, now: number): number {
  const refill = (Math.max(0, now - state.refilledAt) * rateInForce(state, limits)) / MINUTE_MS;
  return Math.min(burst(state, limits), state.tokens + refill);
}

const msFor = (tokens: number, state: GateState, limits: GateLimits): number =>
  Math.ceil((tokens * MINUTE_MS) / rateInForce(state, limits));

/** A twentieth of the time since the last start: short calls free their slot soon, and long ones are not asked after all the time. */
const slotWaitMs = (sinceMs: number): number =>
  Math.round(Math.min(MOST_SLOT_WAIT_MS, Math.max(LEAST_WAIT_MS, sinceMs / 20)));
