import { type Pool } from 'pg';
import { inTransaction } from '@donorlens/database';
import { SQL_IN_VAIN } from './batch-state';

/** Rows that one statement erases: a few dozen milliseconds. */
export const AT_A_TIME = 20_000;
/** Who asks for the addresses of single requests, in the place of a batch: nobody waits for them. */
export const SINGLE_REQUESTS = '00000000-0000-0000-0000-000000000000';

interface LetGoOptions {
  /** At most so many of waits, and of addresses. */
  readonly slices?: number;
  /** Ends the work between two slices. */
  readonly signal?: AbortSignal;
}

/**
 * Erases what waits for addresses on behalf of a batch that has ended or is gone, and the addresses that only it asked
 * for. Nothing waits for a lock: what somebody else holds at this moment is left to the next time.
 * @returns waits and addresses erased
 */
export async function letGo(
  pool: Pool,
  batchId: string,
  { slices = Infinity, signal }: LetGoOptions = {},
): Promise<number> {
  let erased = 0;
  for (let waits = AT_A_TIME, slice = 0; waits === AT_A_TIME; slice++) {
    if (slice === slices || signal?.aborted) return erased; // no address is free before its waits are gone
    waits = await eraseWaits(pool, batchId);
    erased += waits;
  }
  for (let asked = AT_A_TIME, slice = 0; asked === AT_A_TIME && slice < slices && !signal?.aborted; slice++) {
    const done = await eraseAddresses(pool, ASKED_BY_BATCH, [batchId]);
    asked = done.asked;
    erased += done.gone;
  }
  return erased;
}

async function eraseWaits(pool: Pool, batchId: string): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from location_wait where (address_key, batch_id) in (
       select address_key, batch_id from location_wait where batch_id = $1 limit ${AT_A_TIME} for update skip locked)`,
    [batchId],
  );
  return rowCount ?? 0;
}

const ASKED_BY_BATCH = `asked_by = $1
  and not exists (select 1 from location_wait w where w.address_key = a.address_key and w.batch_id = $1)`;

/**
 * A slice of those that nobody else waits for. First the lock, then the look who else waits: whoever asks for one of
 * them in between waits for the lock, and finds it gone. One that stays, for others or in its call, has another asker
 * afterwards, or none.
 * @param which  condition on `geocode_address a`
 */
export async function eraseAddresses(
  pool: Pool,
  which: string,
  values: readonly unknown[],
): Promise<{ asked: number; gone: number }> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ address_key: Buffer }>(
      `select address_key from geocode_address a where ${which} limit ${AT_A_TIME} for update of a skip locked`,
      [...values],
    );
    if (rows.length === 0) return { asked: 0, gone: 0 };
    const keys = rows.map((row) => row.address_key);
    const { rowCount } = await client.query(
      `delete from geocode_address a
       where a.address_key = any($1::bytea[])
         and not exists (select 1 from geocode_call g where g.id = a.call_id and g.state = 'leased') -- on its way
         and not exists (select 1 from location_wait w where w.address_key = a.address_key)
         and not exists (select 1 from contribution c where c.address_key = a.address_key offset 0)`, // one by one: never all contributions
      [keys],
    );
    const gone = rowCount ?? 0;
    if (gone < keys.length)
      await client.query(
        `update geocode_address a set asked_by = (
           select w.batch_id from location_wait w where w.address_key = a.address_key limit 1)
         where a.address_key = any($1::bytea[])`,
        [keys],
      );
    return { asked: keys.length, gone };
  });
}

/** Batches that still wait or ask although they have ended or are gone. Found by skipping from one batch to the next. */
export async function stillAsking(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(STILL_ASKING);
  return rows.map(({ id }) => id);
}

const STILL_ASKING = `
  with recursive waiting (id) as (
    (select batch_id from location_wait order by batch_id limit 1)
    union all
    select (select w.batch_id from location_wait w where w.batch_id > waiting.id order by w.batch_id limit 1)
    from waiting where waiting.id is not null
  ), asking (id) as (
    (select asked_by from geocode_address where asked_by is not null order by asked_by limit 1)
    union all
    select (select a.asked_by from geocode_address a where a.asked_by > asking.id order by a.asked_by limit 1)
    from asking where asking.id is not null
  )
  select id from (select id from waiting union select id from asking) found
  where id is not null and id <> '${SINGLE_REQUESTS}'
    and not exists (select 1 from batch b where b.id = found.id and b.state not in ${SQL_IN_VAIN})`;
