import { type Pool } from 'pg';
import { sqlIsOver } from '@donorlens/database';
import { GEOCODE_OUTCOMES, type GeocodeOutcome } from '@donorlens/primitives';
import { type KeySettings } from './address-keys';
import { type CircuitStatus, circuitOf, circuitStatus, nextTryAt } from './circuit';
import { type GeocoderActivity, type GeocoderFacts, activityOf, waitReason } from './wait-reason';

/** Status of the geocoder and of the pending addresses, without addresses and coordinates. */
export interface GeocoderStatus {
  readonly activity: GeocoderActivity;
  /** Open: one call in 30 s is sent as a probe; probing: it is running. */
  readonly circuit: CircuitStatus['circuit'];
  /** No call is sent before: the circuit is open, or the geocoder sent a Retry-After. Null if calls may be sent. */
  readonly closedUntil: Date | null;
  /** Why addresses wait, as a sentence; null if none does. */
  readonly reason: string | null;
  /** The geocoder does not have the benchmark or vintage; null if it has, or if this is unknown. */
  readonly refusedReason: string | null;
  /** Null if it has never answered. */
  readonly lastAnswerAt: Date | null;
  readonly lastFailureAt: Date | null;
  /** A code. */
  readonly lastError: string | null;
  /** Answered batch calls. */
  readonly calls: number;
  /** Failed batch and tie calls. */
  readonly callsFailed: number;
  /** Addresses in answered calls, each as often as it was sent. */
  readonly rowsSent: number;
  readonly rowsAnswered: number;
  /** Ties whose candidates were answered. */
  readonly tieCalls: number;
  /** Addresses that were known when they came, and those that were not. */
  readonly hits: number;
  readonly misses: number;
  /** In force now: lower than configured after a Retry-After. */
  readonly callsPerMinute: number;
  /** Addresses without an outcome; `inCalls`, `ties` and `errors` are parts of them. */
  readonly waiting: number;
  /** In a call, sent or not. */
  readonly inCalls: number;
  /** Calls that were sent and are not answered yet. */
  readonly running: number;
  /** Ambiguous: their candidates are requested one by one. */
  readonly ties: number;
  /** They failed in calls of their own, and wait for some hours. */
  readonly errors: number;
  readonly oldestPendingAt: Date | null;
}

interface Row {
  circuit: unknown;
  probed_at: Date | null;
  closed_until: Date | null;
  refused_reason: string | null;
  calls_per_minute: number | null;
  tokens: number;
  refilled_at: Date;
  last_answer_at: Date | null;
  last_failure_at: Date | null;
  last_error: string | null;
  // Numbers: the statement makes double precision of its bigints.
  calls: number;
  calls_failed: number;
  rows_sent: number;
  rows_answered: number;
  tie_calls: number;
  hits: number;
  misses: number;
  waiting: number;
  in_calls: number;
  ties: number;
  errors: number;
  oldest_pending_at: Date | null;
  held: number;
  oldest_to_send_at: Date | null;
  next_retry_at: Date | null;
  running: number;
  stranded: number;
  stranded_until: Date | null;
  now: Date;
}

/** Pending addresses with the refused benchmark and vintage; any if the refusal does not name them. */
const HELD = `error_code is null and refused_reason is not null
  and benchmark = coalesce(refused_benchmark, benchmark) and vintage = coalesce(refused_vintage, vintage)`;
/** Leases take 30 s and are extended every 10 s: with less left, their worker has crashed or is unreachable. */
const LEASE_SECONDS = 30;
const STRANDED_SECONDS = 15;
/** A call runs until its answer arrives; while the answer is stored, enqueued_at is set again. */
const RUNNING = `state = 'leased' and enqueued_at is null and not ${sqlIsOver('lease_until', LEASE_SECONDS)}`;
const STRANDED = `lease_until <= clock_timestamp() + interval '${STRANDED_SECONDS} seconds'`;

/**
 * One statement, which reads every pending address: about 20 ms for 100,000.
 * @param limits - as configured
 */
export async function readGeocoderStatus(
  pool: Pool,
  limits: { readonly callsPerMinute: number },
): Promise<GeocoderStatus> {
  const { rows } = await pool.query<Row>(
    `select circuit, probed_at, closed_until, refused_reason, calls_per_minute, tokens, refilled_at,
            last_answer_at, last_failure_at, last_error, calls::float8, calls_failed::float8, rows_sent::float8, rows_answered::float8,
            tie_calls::float8, hits::float8, misses::float8, waiting.*, out.*, clock_timestamp() as now
     from geocoder, lateral (
       select count(*)::float8 as waiting, count(call_id)::float8 as in_calls,
              count(*) filter (where is_tie)::float8 as ties, count(error_code)::float8 as errors,
              min(asked_at) as oldest_pending_at, min(retry_at) as next_retry_at,
              count(*) filter (where ${HELD})::float8 as held,
              min(asked_at) filter (where error_code is null and not (${HELD})) as oldest_to_send_at
       from geocode_address) as waiting, (
       select count(*)::float8 as running, count(*) filter (where ${STRANDED})::float8 as stranded,
              min(lease_until) filter (where ${STRANDED}) as stranded_until
       from geocode_call where ${RUNNING}) as out`,
  );
  return statusOf(rows[0], limits.callsPerMinute);
}

function statusOf(row: Row, configured: number): GeocoderStatus {
  const circuit = circuitStatus(circuitOf(row.circuit), row.probed_at);
  const callsPerMinute = Math.min(row.calls_per_minute ?? configured, configured);
  const facts = factsOf(row, circuit, callsPerMinute);
  const { waiting, errors, ties, running, refusedReason } = facts;
  return {
    activity: activityOf(facts),
    circuit: circuit.circuit,
    closedUntil: laterOf(facts.blockedUntil, nextTryAt(circuit, row.now)),
    reason: waitReason(facts),
    refusedReason,
    lastAnswerAt: row.last_answer_at,
    lastFailureAt: row.last_failure_at,
    lastError: row.last_error,
    calls: row.calls,
    callsFailed: row.calls_failed,
    rowsSent: row.rows_sent,
    rowsAnswered: row.rows_answered,
    tieCalls: row.tie_calls,
    ...{ hits: row.hits, misses: row.misses, callsPerMinute, waiting, inCalls: row.in_calls, running, ties, errors },
    oldestPendingAt: row.oldest_pending_at,
  };
}

function factsOf(row: Row, circuit: CircuitStatus, callsPerMinute: number): GeocoderFacts {
  const { waiting, errors, held, ties, running, stranded, now } = row;
  const tokens = row.tokens + ((now.getTime() - row.refilled_at.getTime()) / 60_000) * callsPerMinute;
  return {
    ...{ circuit, waiting, errors, held, ties, running, stranded, callsPerMinute, now },
    blockedUntil: isAhead(row.closed_until, now) ? row.closed_until : null,
    refusedReason: row.refused_reason,
    lastActivityAt: lastActivityAt(row),
    lastAnswerAt: row.last_answer_at,
    lastError: row.last_error,
    nextRetryAt: row.next_retry_at,
    strandedUntil: row.stranded_until,
    isAtRate: row.in_calls > 0 && tokens < 1,
  };
}

/** A Retry-After lasts at most ten minutes; one that ends later was made before the clock was set back. */
const MAX_RETRY_AFTER_MS = 600_000;
const isAhead = (until: Date | null, now: Date): boolean =>
  until !== null && until > now && until.getTime() - now.getTime() <= MAX_RETRY_AFTER_MS;

/** The last activity, or an event that should have been followed by one. */
const lastActivityAt = (row: Row): Date | null =>
  row.oldest_to_send_at &&
  [row.last_answer_at, row.last_failure_at, row.closed_until, row.probed_at].reduce(laterOf, row.oldest_to_send_at);

const laterOf = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one;

/** Benchmarks and vintages of pending addresses, the most frequent first: several after a change of the settings. */
export async function waitingSettings(pool: Pool): Promise<(KeySettings & { readonly waiting: number })[]> {
  const { rows } = await pool.query<KeySettings & { waiting: number }>(
    `select benchmark, vintage, count(*)::float8 as waiting from geocode_address
     group by benchmark, vintage order by waiting desc, benchmark, vintage`,
  );
  return rows;
}

/** Stored locations by outcome. Reads the whole table: for a command, not for a page. */
export async function countOutcomes(pool: Pool): Promise<Record<GeocodeOutcome, number>> {
  const { rows } = await pool.query<{ outcome: number; n: number }>(
    'select outcome, count(*)::float8 as n from location group by outcome',
  );
  const counts = { MATCH: 0, NO_MATCH: 0, TIE: 0 };
  for (const { outcome, n } of rows) counts[GEOCODE_OUTCOMES[outcome]] = n;
  return counts;
}
