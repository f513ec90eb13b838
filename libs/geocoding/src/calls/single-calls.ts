import { type PoolClient } from 'pg';

/**
 * Gives each of these addresses a call of its own, for all that is known against them and for nobody else to suffer by.
 * The caller holds them.
 * @param waitMs until these calls may start
 * @returns how many
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
