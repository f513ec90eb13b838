import { type Pool, type PoolClient } from 'pg';
import { inTransaction, sqlIsOlder } from '@donorlens/database';
import { type CallKind, type CallOptions, ERROR_RETRY_DUE, TIE_CALL_ROWS } from './call';
import { DUE } from './call-claim.repository';
import { planByKey } from './call-lease.repository';

/**
 * New calls that may wait, for each that runs at a time. Enough for short calls between two rounds of forming; few,
 * because an address that is added later is sent after them, whatever its priority.
 */
const CALLS_AHEAD = 4;

/**
 * Forms calls from the pending addresses.
 * @returns calls formed
 */
export async function formPendingCalls(pool: Pool, options: CallOptions): Promise<number> {
  const ahead = await callsAhead(pool);
  const room = CALLS_AHEAD * options.callsAtOnce;
  const again = await formErrorCalls(pool, Math.min(options.callsAtOnce, room - ahead.batch));
  const batches = await formCalls(pool, 'batch', options.callRows, room - ahead.batch - again);
  const ties = await formCalls(pool, 'tie', TIE_CALL_ROWS, room - ahead.tie);
  return again + batches + ties;
}

/** Calls that failed or are refused do not count: they must not delay others. */
async function callsAhead(pool: Pool): Promise<Record<CallKind, number>> {
  const { rows } = await pool.query<Record<CallKind, number>>(
    `select (count(*) filter (where kind = 'batch'))::int as batch, (count(*) filter (where kind = 'tie'))::int as tie
     from geocode_call where state in ('pending', 'queued') and failures = 0 and probes = 0
       and ${DUE}`,
  );
  return rows[0];
}

async function formCalls(pool: Pool, kind: CallKind, callRows: number, room: number): Promise<number> {
  let formed = 0;
  for (let calls = 1; calls > 0 && formed < room; formed += calls) calls = await formCall(pool, kind, callRows);
  return formed;
}

/**
 * One call in the order of `ask_order`, so that the n-th addresses of all batches come before the next ones. A full call
 * is formed at once, another when its oldest address has waited for a second. Addresses under different benchmarks or
 * vintages, as after a change of the settings, cannot share a call: then it is one for each. Rows locked by another
 * process are skipped. An address that has its location already, and no row that waits for it, is deleted unsent; if
 * another transaction holds it, at the next time.
 */
const FORM = `
  with next as materialized (
    select address_key, asked_at, benchmark, vintage from geocode_address
    where call_id is null and error_code is null and is_tie = ($1 = 'tie')
    order by ask_order, asked_at limit $2
    for no key update skip locked
  ), known as materialized (
    select n.address_key from next n join location l on l.address_key = n.address_key
    where (l.expires_at is null or l.expires_at > now())
      and not exists (select from location_wait w where w.address_key = n.address_key)
      and not exists (select from contribution c where c.address_key = n.address_key)
  ), free as materialized (
    select a.address_key from known k join geocode_address a on a.address_key = k.address_key
    for update of a skip locked
  ), dropped as (
    delete from geocode_address a using free f where a.address_key = f.address_key
  ), requested as materialized (
    select address_key, benchmark, vintage from next where address_key not in (select address_key from known)
  ), formed as (
    insert into geocode_call (kind, benchmark, vintage, rows)
    select $1, benchmark, vintage, count(*) from requested
    where (select count(*) = $2 or ${sqlIsOlder('min(asked_at)', 1)} from next)
    group by benchmark, vintage
    returning id, benchmark, vintage
  ), carried as (
    update geocode_address a set call_id = formed.id from formed, requested
    where a.address_key = requested.address_key and requested.benchmark = formed.benchmark and requested.vintage = formed.vintage
  )
  select count(*)::int as calls from formed`;

/** @returns calls formed: more than one if addresses are requested under several settings */
function formCall(pool: Pool, kind: CallKind, rows: number): Promise<number> {
  return inTransaction(pool, async (client) => {
    await planByKey(client);
    const formed = await client.query<{ calls: number }>(FORM, [kind, rows]);
    return formed.rows[0].calls;
  });
}

/**
 * An address that was an error gets a call of its own, so that it cannot fail others. It is deleted if no row waits for
 * it any more. If another transaction holds it at this moment, it is left for the next time.
 */
async function formErrorCalls(pool: Pool, limit: number): Promise<number> {
  if (limit < 1) return 0;
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ address_key: Buffer }>(
      `select address_key from geocode_address where error_code is not null and ${ERROR_RETRY_DUE}
       order by retry_at limit $1 for update skip locked`,
      [limit],
    );
    if (rows.length === 0) return 0;
    const keys = rows.map((row) => row.address_key);
    await planByKey(client);
    await client.query(
      `delete from geocode_address a where address_key = any($1::bytea[])
         and not exists (select from location_wait w where w.address_key = a.address_key)
         and not exists (select from contribution c where c.address_key = a.address_key)`,
      [keys],
    );
    return formSingleCalls(client, keys);
  });
}

/**
 * Gives each of these addresses a call of its own, so that one that fails affects no other. The caller holds their locks.
 * @param waitMs - until these calls may start
 * @returns calls formed
 */
export async function formSingleCalls(client: PoolClient, keys: readonly Buffer[], waitMs = 0): Promise<number> {
  const { rowCount } = await client.query(
    `with numbered as materialized (
       select address_key, is_tie, benchmark, vintage, nextval(pg_get_serial_sequence('geocode_call', 'id')) as id
       from geocode_address where address_key = any($1::bytea[])
     ), formed as (
       insert into geocode_call (id, kind, benchmark, vintage, rows, not_before) overriding system value
       select id, case when is_tie then 'tie' else 'batch' end, benchmark, vintage, 1,
              clock_timestamp() + make_interval(secs => $2 / 1000.0)
       from numbered
     )
     update geocode_address a set call_id = n.id, error_code = null, retry_at = null
     from numbered n where a.address_key = n.address_key`,
    [keys, waitMs],
  );
  return rowCount ?? 0;
}
