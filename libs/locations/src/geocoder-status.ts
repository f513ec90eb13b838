import { type Pool } from 'pg';
import { GEOCODE_OUTCOMES, type GeocodeOutcome } from '@donorlens/primitives';
import { type Circuit, circuitOf, nextTryAt } from './circuit';
import { waitReason } from './wait-reason';

/** What is known of the geocoder and of the addresses that wait for it; neither an address nor a coordinate. */
export interface GeocoderStatus {
  /** Open: nothing is sent but one call in 30 s that tries it; probing: that call is out. */
  readonly circuit: Circuit['circuit'];
  /** Nothing is sent before: the geocoder is not tried again, or asked to be left alone. Null: nothing stands against it. */
  readonly closedUntil: Date | null;
  /** Why addresses wait, in words; null where none does. */
  readonly reason: string | null;
  /** Null: it has never answered. */
  readonly lastAnswerAt: Date | null;
  readonly lastFailureAt: Date | null;
  /** A code. */
  readonly lastError: string | null;
  /** Answered. */
  readonly calls: number;
  readonly callsFailed: number;
  /** Addresses in answered calls, each as often as it was sent. */
  readonly rowsSent: number;
  readonly rowsAnswered: number;
  readonly tieCalls: number;
  /** Addresses that were known when they came, and those that were not. */
  readonly hits: number;
  readonly misses: number;
  /** In force now: lower than configured where the geocoder said too many. */
  readonly callsPerMinute: number;
  /** Addresses without an outcome. The next three are parts of them. */
  readonly waiting: number;
  readonly inCalls: number;
  /** The geocoder found several places: their candidates are asked for one by one. */
  readonly ties: number;
  /** They failed on their own, and wait for some hours. */
  readonly errors: number;
  readonly oldestPendingAt: Date | null;
}

interface Row {
  circuit: unknown;
  probed_at: Date | null;
  closed_until: Date | null;
  refused_reason: string | null;
  calls_per_minute: number | null;
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
  next_retry_at: Date | null;
  now: Date;
}

/**
 * One statement; it reads every address that waits, some 20 ms for 100,000.
 * @param limits  as configured
 */
export async function readGeocoderStatus(
  pool: Pool,
  limits: { readonly callsPerMinute: number },
): Promise<GeocoderStatus> {
  const { rows } = await pool.query<Row>(
    `select circuit, probed_at, closed_until, refused_reason, calls_per_minute, last_answer_at, last_failure_at,
            last_error, calls::float8, calls_failed::float8, rows_sent::float8, rows_answered::float8,
            tie_calls::float8, hits::float8, misses::float8, waiting.*, clock_timestamp() as now
     from geocoder, (
       select count(*)::float8 as waiting, count(call_id)::float8 as in_calls,
              count(*) filter (where is_tie)::float8 as ties, count(error_code)::float8 as errors,
              min(asked_at) as oldest_pending_at, min(retry_at) as next_retry_at
       from geocode_address) as waiting`,
  );
  return statusOf(rows[0], limits.callsPerMinute);
}

function statusOf(row: Row, configured: number): GeocoderStatus {
  const circuit = circuitOf(row.circuit, row.probed_at);
  const callsPerMinute = Math.min(row.calls_per_minute ?? configured, configured);
  const toldUntil = row.closed_until !== null && row.closed_until > row.now ? row.closed_until : null;
  const { waiting, errors } = row;
  return {
    circuit: circuit.circuit,
    closedUntil: laterOf(toldUntil, nextTryAt(circuit, row.now)),
    reason: waitReason({
      ...{ circuit, toldUntil, waiting, errors, callsPerMinute, now: row.now },
      refusedReason: row.refused_reason,
      lastAnswerAt: row.last_answer_at,
      lastError: row.last_error,
      nextRetryAt: row.next_retry_at,
    }),
    lastAnswerAt: row.last_answer_at,
    lastFailureAt: row.last_failure_at,
    lastError: row.last_error,
    calls: row.calls,
    callsFailed: row.calls_failed,
    rowsSent: row.rows_sent,
    rowsAnswered: row.rows_answered,
    tieCalls: row.tie_calls,
    ...{ hits: row.hits, misses: row.misses, callsPerMinute, waiting, inCalls: row.in_calls, ties: row.ties, errors },
    oldestPendingAt: row.oldest_pending_at,
  };
}

const laterOf = (one: Date | null, other: Date | null): Date | null =>
  one === null || (other !== null && other > one) ? other : one;

/** Stored locations by outcome. Reads the whole table: for a command, not for a page. */
export async function countOutcomes(pool: Pool): Promise<Record<GeocodeOutcome, number>> {
  const { rows } = await pool.query<{ outcome: number; n: number }>(
    'select outcome, count(*)::float8 as n from location group by outcome',
  );
  const counts = { MATCH: 0, NO_MATCH: 0, TIE: 0 };
  for (const { outcome, n } of rows) counts[GEOCODE_OUTCOMES[outcome]] = n;
  return counts;
}
