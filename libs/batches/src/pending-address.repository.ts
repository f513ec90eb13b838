import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL, SQL_RETENTION_NOW, inTransaction } from '@donorlens/database';
import { ABANDONED_STATES } from './batch-state';

/** Rows that one statement deletes: a few dozen milliseconds. */
const DELETED_AT_A_TIME = 20_000;
/** Batch id of addresses of single lookups, which no rows wait for. */
export const SINGLE_LOOKUPS_BATCH_ID = '00000000-0000-0000-0000-000000000000';

interface DeleteOptions {
  /** Maximum of slices of waits, and of addresses. */
  readonly slices?: number;
  /** Ends the work between two slices. */
  readonly signal?: AbortSignal;
}

/**
 * Deletes the waits of a batch that was deleted or ended without completing, and the pending addresses that only it
 * requested. Waits for no lock: rows that another transaction holds are left for the next time.
 * @returns waits and addresses deleted
 */
export async function deletePendingAddresses(
  pool: Pool,
  batchId: string,
  { slices = Infinity, signal }: DeleteOptions = {},
): Promise<number> {
  let deleted = 0;
  for (let waits = DELETED_AT_A_TIME, slice = 0; waits === DELETED_AT_A_TIME; slice++) {
    if (slice === slices || signal?.aborted) return deleted; // an address can be deleted only after the rows that wait for it
    waits = await deleteWaits(pool, batchId);
    deleted += waits;
  }
  for (
    let requested = DELETED_AT_A_TIME, slice = 0;
    requested === DELETED_AT_A_TIME && slice < slices && !signal?.aborted;
    slice++
  ) {
    const done = await deleteAddresses(pool, REQUESTED_BY_BATCH, [batchId]);
    requested = done.requested;
    deleted += done.gone;
  }
  return deleted;
}

async function deleteWaits(pool: Pool, batchId: string): Promise<number> {
  const { rowCount } = await pool.query(
    `delete from location_wait where (address_key, batch_id) in (
       select address_key, batch_id from location_wait where batch_id = $1 limit ${DELETED_AT_A_TIME} for update skip locked)`,
    [batchId],
  );
  return rowCount ?? 0;
}

const REQUESTED_BY_BATCH = `asked_by = $1
  and not exists (select 1 from location_wait w where w.address_key = a.address_key and w.batch_id = $1)`;

/**
 * Deletes a slice of the addresses that no other rows wait for. The lock comes first, then the check who else waits: a
 * transaction that requests one of them meanwhile waits for the lock, and finds it gone. An address that stays, for
 * others or in its call, belongs to another batch afterwards, or to none.
 * @param which - condition on `geocode_address a`
 */
async function deleteAddresses(
  pool: Pool,
  which: string,
  values: readonly unknown[],
): Promise<{ requested: number; gone: number }> {
  return inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ address_key: Buffer }>(
      `select address_key from geocode_address a where ${which} limit ${DELETED_AT_A_TIME} for update of a skip locked`,
      [...values],
    );
    if (rows.length === 0) return { requested: 0, gone: 0 };
    const keys = rows.map((row) => row.address_key);
    const { rowCount } = await client.query(
      `delete from geocode_address a
       where a.address_key = any($1::bytea[])
         and not exists (select 1 from geocode_call g where g.id = a.call_id and g.state = 'leased') -- being sent
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
    return { requested: keys.length, gone };
  });
}

/**
 * Batches that were deleted or ended without completing and still have waits or pending addresses, found by skipping
 * from one batch to the next.
 */
export async function batchesToCleanUp(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(BATCHES_TO_CLEAN_UP);
  return rows.map(({ id }) => id);
}

const BATCHES_TO_CLEAN_UP = `
  with recursive waiting (id) as (
    (select batch_id from location_wait order by batch_id limit 1)
    union all
    select (select w.batch_id from location_wait w where w.batch_id > waiting.id order by w.batch_id limit 1)
    from waiting where waiting.id is not null
  ), requesting (id) as (
    (select asked_by from geocode_address where asked_by is not null order by asked_by limit 1)
    union all
    select (select a.asked_by from geocode_address a where a.asked_by > requesting.id order by a.asked_by limit 1)
    from requesting where requesting.id is not null
  )
  select id from (select id from waiting union select id from requesting) found
  where id is not null and id <> '${SINGLE_LOOKUPS_BATCH_ID}'
    and not exists (select 1 from batch b where b.id = found.id and b.state not in ${ABANDONED_STATES})`;

/** Maximum of pending addresses of single lookups. Above it, none is requested: a client with more sends a batch. */
export const MAX_SINGLE_LOOKUP_ADDRESSES = 100_000;

/** Addresses of lookups that were answered without them. Their outcomes serve the next lookup. */
@Injectable()
export class SingleLookupAddresses {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** How many more may be requested. Reads at most so many entries of an index. */
  async room(): Promise<number> {
    const { rows } = await this.pool.query<{ waiting: number }>(
      `select count(*)::int as waiting from (select 1 from geocode_address where asked_by = $1 limit $2) as waiting`,
      [SINGLE_LOOKUPS_BATCH_ID, MAX_SINGLE_LOOKUP_ADDRESSES],
    );
    return MAX_SINGLE_LOOKUP_ADDRESSES - rows[0].waiting;
  }

  /**
   * Deletes, slice by slice, addresses requested so long ago without an outcome, unless they are in a call. One that a
   * batch waits for or a contribution has belongs to these from then on.
   * @returns addresses deleted
   */
  async expire(hours: number, signal?: AbortSignal): Promise<number> {
    let deleted = 0;
    for (let requested = DELETED_AT_A_TIME; requested === DELETED_AT_A_TIME && !signal?.aborted;) {
      const done = await deleteAddresses(this.pool, EXPIRED, [SINGLE_LOOKUPS_BATCH_ID, hours]);
      requested = done.requested;
      deleted += done.gone;
    }
    return deleted;
  }
}

const EXPIRED = `asked_by = $1 and asked_at < ${SQL_RETENTION_NOW} - make_interval(hours => $2) and call_id is null`;
