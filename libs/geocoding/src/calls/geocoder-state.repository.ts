import { type Pool, type PoolClient } from 'pg';
import { circuitOf } from '@donorlens/locations';
import { CALL_LEASE_OVER } from './call';
import { type LimiterState } from './rate-limiter';

/** The limiter's state and the database's clock. */
export interface GeocoderState {
  readonly state: LimiterState;
  /** Milliseconds. */
  readonly now: number;
  /** Calls that run now, over all processes. */
  readonly inFlight: number;
}

interface Row {
  circuit: unknown;
  probed_at: number | null;
  closed_until: number | null;
  tokens: number;
  refilled_at: number;
  calls_per_minute: number | null;
  now: number;
  in_flight: number;
}

const ms = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`;

/** Reads without a lock. A call whose answer has arrived does not run any more, though it is still being stored. */
export async function readGeocoderState(db: Pool | PoolClient): Promise<GeocoderState> {
  const { rows } = await db.query<Row>({
    name: 'geocoder-state',
    text: `select circuit, ${ms('probed_at')} as probed_at, ${ms('closed_until')} as closed_until,
                  tokens, ${ms('refilled_at')} as refilled_at, calls_per_minute, ${ms('clock_timestamp()')} as now,
                  (select count(*)::int from geocode_call where state = 'leased' and not ${CALL_LEASE_OVER}
                     and enqueued_at is null) as in_flight
           from geocoder`,
  });
  const [row] = rows;
  const state = {
    circuit: circuitOf(row.circuit),
    probedAt: row.probed_at,
    closedUntil: row.closed_until,
    tokens: row.tokens,
    refilledAt: row.refilled_at,
    callsPerMinute: row.calls_per_minute,
  };
  return { state, now: row.now, inFlight: row.in_flight };
}

/**
 * Locks the row until the transaction ends; the transaction must wait for no other lock afterwards. The state is read by
 * a second statement, which sees changes that were committed while the first one waited.
 */
export async function lockGeocoderState(client: PoolClient): Promise<GeocoderState> {
  await client.query('select 1 from geocoder for update');
  return readGeocoderState(client);
}

/** Counters that a call increments. */
export interface Counted {
  readonly calls: number;
  readonly callsFailed: number;
  readonly rowsSent: number;
  readonly rowsAnswered: number;
  readonly tieCalls: number;
}

export const NO_COUNTS: Counted = { calls: 0, callsFailed: 0, rowsSent: 0, rowsAnswered: 0, tieCalls: 0 };

/**
 * Saves the state after the start of a call, without waiting for the disk: if a database crash loses the start, the call
 * is started again, and the answer of the first one finds its lease gone.
 */
export async function saveStart(client: PoolClient, state: LimiterState): Promise<void> {
  await client.query(
    `update geocoder set tokens = round($1::numeric, 2), refilled_at = to_timestamp($2::float8 / 1000), probed_at = to_timestamp($3::float8 / 1000)
     returning set_config('synchronous_commit', 'off', true)`,
    [state.tokens, state.refilledAt, state.probedAt],
  );
}

/**
 * Saves the state after the end of a call.
 * @param error - a code; null if the call was answered
 */
export async function saveEnd(
  client: PoolClient,
  state: LimiterState,
  error: string | null,
  counted: Counted,
): Promise<void> {
  await client.query(
    `update geocoder
     set circuit = $1, closed_until = to_timestamp($2::float8 / 1000), calls_per_minute = round($3::numeric, 1),
         last_answer_at = case when $4::text is null then clock_timestamp() else last_answer_at end,
         last_failure_at = case when $4::text is null then last_failure_at else clock_timestamp() end,
         last_error = coalesce($4, last_error),
         calls = calls + $5, calls_failed = calls_failed + $6, rows_sent = rows_sent + $7,
         rows_answered = rows_answered + $8, tie_calls = tie_calls + $9`,
    [
      state.circuit && JSON.stringify(state.circuit),
      state.closedUntil,
      state.callsPerMinute,
      error,
      counted.calls,
      counted.callsFailed,
      counted.rowsSent,
      counted.rowsAnswered,
      counted.tieCalls,
    ],
  );
}
