import { counted, grouped } from '@donorlens/primitives';
import { type CircuitStatus, nextTryAt } from './circuit';

/** While addresses are pending, a running worker makes a call at least this often. */
const MAX_SILENCE_MS = 120_000;

/**
 * State of geocoding. `refused` (the benchmark or vintage of the pending addresses, or else of a worker), `open`,
 * `probing` (one call tries an open circuit) and `paused` (Retry-After) stop all addresses. `nothing`: none is pending;
 * `errors`: only addresses that failed in calls of their own; `unattended`: no worker has made a call for a while.
 */
export type GeocoderActivity =
  'refused' | 'open' | 'probing' | 'paused' | 'nothing' | 'errors' | 'unattended' | 'sending';

export interface ActivityFacts {
  readonly circuit: CircuitStatus;
  /** End of a Retry-After in force; null without one. */
  readonly blockedUntil: Date | null;
  readonly refusedReason: string | null;
  readonly waiting: number;
  readonly errors: number;
  /** Pending addresses, without errors, whose benchmark or vintage the geocoder refuses. */
  readonly held: number;
  /** Calls that run now. */
  readonly running: number;
  /** The next call waits for nothing but the rate. */
  readonly isAtRate: boolean;
  /** Last activity of the geocoder, or the time from which one was expected; null if none is. */
  readonly lastActivityAt: Date | null;
  readonly now: Date;
}

export function activityOf(facts: ActivityFacts): GeocoderActivity {
  if (facts.refusedReason !== null && facts.held + facts.errors === facts.waiting) return 'refused';
  if (facts.circuit.circuit !== 'closed') return facts.circuit.circuit;
  if (facts.blockedUntil !== null) return 'paused';
  if (facts.waiting === 0) return 'nothing';
  if (facts.running > 0 || facts.isAtRate) return 'sending';
  if (facts.errors === facts.waiting) return 'errors';
  return isSilent(facts) ? 'unattended' : 'sending';
}

const isSilent = ({ lastActivityAt, now }: ActivityFacts): boolean =>
  lastActivityAt !== null && Math.abs(now.getTime() - lastActivityAt.getTime()) > MAX_SILENCE_MS; // or the clock was set back

/** Facts that decide whether calls are sent. */
export interface GeocoderFacts extends ActivityFacts {
  readonly lastAnswerAt: Date | null;
  /** A code; null: no call has failed yet. */
  readonly lastError: string | null;
  /** When the first of the errors is retried. */
  readonly nextRetryAt: Date | null;
  /** Pending addresses whose candidates are requested one by one. */
  readonly ties: number;
  /** Running calls whose worker has sent no heartbeat for a while. */
  readonly stranded: number;
  /** When the first of these is released. */
  readonly strandedUntil: Date | null;
  readonly callsPerMinute: number;
}

/** Why addresses wait, with what to do; null if none waits. A reason that holds for all of them comes first. */
export function waitReason(facts: GeocoderFacts): string | null {
  const { waiting, held, refusedReason } = facts;
  if (waiting === 0) return null;
  if (activityOf(facts) === 'refused')
    return `no call is made: ${refusedReason} (see GEOCODER_URL, GEOCODER_BENCHMARK and GEOCODER_VINTAGE)`;
  const others = reasonOfOthers({ ...facts, waiting: waiting - held, held: 0 });
  return held === 0
    ? others
    : `${others}; ${held === 1 ? '1 more is' : `${grouped(held)} more are`} not sent: ${refusedReason}`;
}

/** The reason if the settings are not refused. */
function reasonOfOthers(facts: GeocoderFacts): string {
  const { blockedUntil } = facts;
  const activity = activityOf(facts);
  if (activity === 'unattended')
    return `${pendingText(facts)}; no call was made for two minutes: start an aggregator and a worker whose WORKER_QUEUES includes geocode`;
  if (facts.lastAnswerAt === null && facts.lastError !== null)
    return (
      `the geocoder has never answered (last error: ${facts.lastError}): it may not be reachable from here, ` +
      `check GEOCODER_URL and outbound network access; ${nextTry(facts)}`
    );
  if (facts.circuit.circuit !== 'closed')
    return `the geocoder fails (last error: ${facts.lastError ?? 'unknown'}); ${nextTry(facts)}`;
  if (blockedUntil !== null) return `calls to the geocoder are paused until ${clock(blockedUntil)} (Retry-After)`;
  if (activity === 'errors') return errorsReason(facts);
  return pendingText(facts) + limitText(facts);
}

/** Number of pending addresses; of ties if most are ties, which are slow. */
function pendingText({ waiting, errors, ties }: GeocoderFacts): string {
  const others = waiting - errors - ties;
  if (ties <= others) return `${addresses(waiting)} pending`;
  const slow = ties === 1 ? '1 tie is being resolved' : `${grouped(ties)} ties are resolved one by one`;
  return others > 0 ? `${slow}, ${grouped(others)} other ${others === 1 ? 'address' : 'addresses'} pending` : slow;
}

/** What limits the next call, if it is known. */
function limitText({ running, stranded, strandedUntil, isAtRate, callsPerMinute }: GeocoderFacts): string {
  if (stranded > 0 && stranded === running)
    return (
      `; the worker of ${stranded === 1 ? 'the call' : `the ${grouped(stranded)} calls`} in progress sends no heartbeat, ` +
      `its addresses are retried${strandedUntil === null ? '' : ` from ${clock(strandedUntil)}`}`
    );
  if (isAtRate) return `, limited to ${callsIn(callsPerMinute)} a minute`;
  if (running > 0) return `, ${callsIn(running)} in progress`;
  return '';
}

function nextTry(facts: { circuit: CircuitStatus; blockedUntil: Date | null; now: Date }): string {
  const { circuit, blockedUntil, now } = facts;
  if (blockedUntil !== null) return `calls are paused until ${clock(blockedUntil)} (Retry-After)`;
  if (circuit.circuit === 'probing') return 'a test call is in progress';
  const next = nextTryAt(circuit, now);
  if (next !== null) return `the next test call is at ${clock(next)}`;
  return circuit.circuit === 'open' ? 'the next call is a test' : 'calls are retried';
}

const errorsReason = ({ errors, nextRetryAt }: GeocoderFacts): string =>
  `${addresses(errors)} failed in single-address calls; they are retried ` +
  `${nextRetryAt === null ? 'later' : `from ${clock(nextRetryAt)}`}; an operator retries them now by: bin/donorlens geocode retry --outcome ERROR`;

const addresses = (count: number): string => counted(count, 'address', 'addresses');
const callsIn = (count: number): string => {
  const shown = Math.max(0.1, Math.round(10 * count) / 10);
  return counted(shown, 'call');
};
/** Hours, minutes and seconds of a moment that is at most some hours away. */
const clock = (moment: Date): string => `${moment.toISOString().slice(11, 19)} UTC`;
