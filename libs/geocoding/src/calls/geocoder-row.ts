import { type Pool, type PoolClient } from 'pg';
import { type Circuit } from './circuit';
import { type GateState } from './gate';

/** The gate as it is now, and the database's clock. */
export interface Gate {
  readonly state: GateState;
  /** Milliseconds. */
  readonly now: number;
  /** Calls that run now, over all processes. */
  readonly inFlight: number;
}

interface Row {
  circuit: Circuit | null;
  probed_at: number | null;
  closed_until: number | null;
  tokens: number;
  refilled_at: number;
  calls_per_minute: number | null;
  now: number;
  in_flight: number;
}

const ms = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`;

/** As it is now, for a look only. A call of which the answer is here does not run any more, though it is still being stored. */
export async function readGate(db: Pool | PoolClient): Promise<Gate> {
  const { rows } = await db.query<Row>({
    name: 'geocoder-gate',
    text: `select circuit, ${ms('probed_at')} as probed_at, ${ms('closed_until')} as closed_until,
                  tokens, ${ms('refilled_at')} as refilled_at, calls_per_minute, ${ms('clock_timestamp()')} as now,
                  (select count(*)::int from geocode_call where state = 'leased' and lease_until > clock_timestamp()
                     and enqueued_at is null) as in_flight
           from geocoder`,
  });
  const [row] = rows;
  const state = {
    circuit: row.circuit,
    probedAt: row.probed_at,
    closedUntil: row.closed_until,
    tokens: row.tokens,
    refilledAt: row.refilled_at,
    callsPerMinute: row.calls_per_minute,
  };
  return { state, now: row.now, inFlight: row.in_flight };
}

/**
 * As it is once nobody else holds it, and as it stays until this transaction ends: nothing else is waited for meanwhile.
 * Read by a statement of its own, which sees what was done while this one waited.
 */
export async function lockGate(client: PoolClient): Promise<Gate> {
  await client.query('select 1 from geocoder for update');
  return readGate(client);
}

/** What a call adds to the counters. */
export interface Counted {
  readonly calls: number;
  readonly callsFailed: number;
  readonly rowsSent: number;
  readonly rowsAnswered: number;
  readonly tieCalls: number;
}

export const NOTHING: Counted = { calls: 0, callsFailed: 0, rowsSent: 0, rowsAnswered: 0, tieCalls: 0 };

/**
 * After the start of a call. Nobody waits for the disk here: a start that a crash of the database takes back is made
 * again, and the answer of the first one finds its lease gone.
 */
export async function saveStart(client: PoolClient, state: GateState): Promise<void> {
  await client.query(
    `update geocoder set tokens = round($1::numeric, 2), refilled_at = to_timestamp($2::float8 / 1000), probed_at = to_timestamp($3::float8 / 1000)
     returning set_config('synchronous_commit', 'off', true)`,
    [state.tokens, state.refilledAt, state.probedAt],
  );
}

/**
 * After the end of a call.
 * @param error a code; null: it was answered
 */
export async function saveEnd(
  client: PoolClient,
  state: GateState,
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
