import { type Pool, type PoolClient } from 'pg';
import {
  type CallOptions,
  CallRepository,
  type CallResults,
  type ClaimedCall,
  type StoredLocation,
} from '@donorlens/geocoding';

/** Synthetic addresses. The n-th has the key n and the house number n. */
export const keyOf = (n: number): Buffer => Buffer.from(n.toString(16).padStart(32, '0'), 'hex');
export const numberOf = (key: Buffer): number => Number.parseInt(key.toString('hex'), 16);

/** Benchmark and vintage of the requests. */
export const SETTINGS = { benchmark: 'Synthetic', vintage: 'Synthetic_Current' };

export const OPTIONS: CallOptions = { callRows: 10, callsAtOnce: 2, callsPerMinute: 60_000, retryDays: 30 };
export const callsOn = (pool: Pool, options: Partial<CallOptions> = {}): CallRepository =>
  new CallRepository(pool, { ...OPTIONS, ...options });

/** Adds pending addresses. @param waitedSeconds - how long ago they were requested */
export async function addAddresses(
  pool: Pool,
  {
    from = 1,
    count,
    waitedSeconds = 2,
    isTie = false,
    vintage = SETTINGS.vintage,
  }: { from?: number; count: number; waitedSeconds?: number; isTie?: boolean; vintage?: string },
): Promise<void> {
  await pool.query(
    `insert into geocode_address (address_key, ask_order, asked_at, street, city, state, zip, is_tie, benchmark, vintage)
     select decode(lpad(to_hex($1 + n), 32, '0'), 'hex'), n + 1, now() - make_interval(secs => $3),
            ($1 + n) || ' Nowhere St', 'Springfield', 'ZZ', '00000', $4, $5, $6
     from generate_series(0, $2::int - 1) n`,
    [from, count, waitedSeconds, isTie, SETTINGS.benchmark, vintage],
  );
}

/** Adds a batch row that waits for each of these addresses. */
export const waitFor = (pool: Pool, ...numbers: number[]): Promise<unknown> =>
  pool.query(`insert into location_wait select key, gen_random_uuid(), 1, 1 from unnest($1::bytea[]) key`, [
    numbers.map(keyOf),
  ]);

/** Deletes all calls, addresses and locations. */
export const reset = (pool: Pool): Promise<unknown> =>
  pool.query(`truncate geocode_address, geocode_call, location, location_wait; truncate geocoder;
              insert into geocoder (tokens, refilled_at) values (1000, now() - interval '1 minute')`);

export const geocoded = (key: Buffer): StoredLocation => ({
  key,
  outcome: 'MATCH',
  isExact: true,
  fips: '06037',
  tract: '206202',
  block: '1029',
  addressId: key.toString('hex'),
});

/** Results in which all addresses of a call match, except the given ones. */
export function resultsOf(
  call: ClaimedCall,
  but: { ties?: number[]; unanswered?: number[]; notRequested?: number[] } = {},
): CallResults {
  const { ties = [], unanswered = [], notRequested = [] } = but;
  const others = new Set([...ties, ...unanswered, ...notRequested]);
  return {
    geocoded: call.addresses.filter(({ key }) => !others.has(numberOf(key))).map(({ key }) => geocoded(key)),
    ties: ties.map(keyOf),
    unanswered: new Map(unanswered.map((n) => [keyOf(n).toString('latin1'), 'missing'])),
  };
}

/** For tests in which no rows wait for the locations. */
export const noRowsWait = (_client: PoolClient, _located: readonly StoredLocation[]): Promise<void> =>
  Promise.resolve();

/** Claims a call. @throws Error if it may not start */
export async function taken(calls: CallRepository, id: string): Promise<ClaimedCall> {
  const claim = await calls.claim(id);
  if (claim === null || !('call' in claim)) throw new Error(`call ${id} cannot be claimed: ${JSON.stringify(claim)}`);
  return claim.call;
}

/** Moves all times back by so many seconds: those of the circuit, leases, backoffs and errors. */
export async function passTime(pool: Pool, seconds: number): Promise<void> {
  const shift = `make_interval(secs => ${seconds})`;
  await pool.query(
    `update geocoder
     set probed_at = probed_at - ${shift}, closed_until = closed_until - ${shift}, refilled_at = refilled_at - ${shift},
         circuit = case when circuit->>'openedAt' is not null
           then jsonb_set(circuit, '{openedAt}', to_jsonb((circuit->>'openedAt')::float8 - ${1000 * seconds}))
           else circuit end;
     update geocode_call
     set not_before = not_before - ${shift}, lease_until = lease_until - ${shift}, enqueued_at = enqueued_at - ${shift};
     update geocode_address set retry_at = retry_at - ${shift}, asked_at = asked_at - ${shift}`,
  );
}
