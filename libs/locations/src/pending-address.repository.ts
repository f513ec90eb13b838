import { type Pool, type PoolClient } from 'pg';
import { GEOCODE_OUTCOMES, type GeocodeOutcome } from '@donorlens/primitives';
import { type RequestedAddress, sentAddress } from './address';
import { KEY_BYTES, type KeySettings } from './address-keys';

/**
 * Adds the unknown addresses to those that are to be geocoded.
 *
 * A transaction that stores an outcome deletes the pending address first. So each requested address is locked here, as an
 * own row or by a key share lock on an existing one: until this transaction ends, a locked address has no outcome.
 *
 * The order is: insert, lock existing rows, read what is known. An insert waits for a transaction that deletes the same
 * address. Once that has ended, the row is new, its location is seen by the last statement, and the row is deleted again.
 * An address that was deleted between insert and lock is known by then too; if it is not, its batch was deleted. Then all
 * locks are released, and all addresses are requested again. Each statement locks rows in the order of their keys, as
 * every transaction that locks several, so that none deadlock.
 */
export async function requestAddresses(
  client: PoolClient,
  addresses: readonly RequestedAddress[],
  requestedBy: string | null,
  settings: KeySettings,
): Promise<Map<string, GeocodeOutcome>> {
  await client.query('savepoint requested');
  for (;;) {
    const own = await insertAddresses(client, addresses, requestedBy, settings);
    const held = await lockExisting(client, addresses, own);
    const known = await knownOutcomes(client, keysOf(addresses));
    if (addresses.every(({ key }) => isIn(known, key) || isIn(own, key) || isIn(held, key))) {
      await deleteKnown(client, own, known);
      return known;
    }
    await client.query('rollback to savepoint requested');
  }
}

type Keys = ReadonlyMap<string, unknown>;
const isIn = (keys: Keys, key: Buffer): boolean => keys.has(key.toString('latin1'));
const keysOf = (addresses: readonly RequestedAddress[]): Buffer[] => addresses.map(({ key }) => key);
const byKey = (rows: readonly { address_key: Buffer }[]): Map<string, Buffer> =>
  new Map(rows.map((row) => [row.address_key.toString('latin1'), row.address_key]));

/** @returns keys of the addresses that were not pending before */
async function insertAddresses(
  client: PoolClient,
  addresses: readonly RequestedAddress[],
  requestedBy: string | null,
  { benchmark, vintage }: KeySettings,
): Promise<Map<string, Buffer>> {
  const sent = addresses.map(sentAddress);
  const { rows } = await client.query<{ address_key: Buffer }>(
    `insert into geocode_address (address_key, asked_by, ask_order, street, city, state, zip, benchmark, vintage)
     select key, $2, ask_order, street, city, state, zip, $8, $9
     from unnest($1::bytea[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[])
       as requested (key, ask_order, street, city, state, zip)
     order by key
     on conflict do nothing
     returning address_key`,
    [
      keysOf(addresses),
      requestedBy,
      addresses.map(({ order }) => order),
      sent.map(({ street }) => street),
      sent.map(({ city }) => city),
      sent.map(({ state }) => state),
      sent.map(({ zip }) => zip),
      benchmark,
      vintage,
    ],
  );
  return byKey(rows);
}

/**
 * Locks existing rows: they may be put into calls, but not deleted. An address with a lower priority than requested here
 * gets the higher one.
 * @returns keys of those that still exist
 */
async function lockExisting(
  client: PoolClient,
  addresses: readonly RequestedAddress[],
  own: Keys,
): Promise<Map<string, Buffer>> {
  const others = keysOf(addresses).filter((key) => !isIn(own, key));
  if (others.length === 0) return new Map();
  const { rows } = await client.query<Held>(
    `select address_key, ask_order, call_id is null and error_code is null as waits from geocode_address
     where address_key = any($1::bytea[]) order by address_key for key share`,
    [others],
  );
  const held = new Map(rows.map((row) => [row.address_key.toString('latin1'), row]));
  const later = addresses.filter(({ key, order }) => {
    const row = held.get(key.toString('latin1'));
    return row?.waits === true && row.ask_order > order;
  });
  if (later.length > 0) await raisePriority(client, later);
  return byKey(rows);
}

interface Held {
  readonly address_key: Buffer;
  readonly ask_order: number;
  /** In no call, and no error. */
  readonly waits: boolean;
}

/** Skips locked rows: another transaction puts them into a call, or raises them. */
async function raisePriority(client: PoolClient, addresses: readonly RequestedAddress[]): Promise<void> {
  await client.query(
    `with free as materialized (
       select address_key from geocode_address
       where address_key = any($1::bytea[]) and call_id is null and error_code is null
       order by address_key for no key update skip locked
     )
     update geocode_address a set ask_order = requested.ask_order
     from free, unnest($1::bytea[], $2::int[]) as requested (key, ask_order)
     where a.address_key = free.address_key and requested.key = free.address_key and a.ask_order > requested.ask_order`,
    [keysOf(addresses), addresses.map(({ order }) => order)],
  );
}

/** Deletes rows of this transaction whose location another one has stored since. */
async function deleteKnown(client: PoolClient, own: ReadonlyMap<string, Buffer>, known: Keys): Promise<void> {
  const obsolete = [...own.values()].filter((key) => isIn(known, key));
  if (obsolete.length > 0)
    await client.query('delete from geocode_address where address_key = any($1::bytea[])', [obsolete]);
}

/**
 * Outcomes of keys with a location that has not expired, by `key.toString('latin1')`. The query returns one row per
 * outcome with all its keys concatenated: a row per key takes three times as long to read.
 */
export async function knownOutcomes(
  db: Pool | PoolClient,
  keys: readonly Buffer[],
): Promise<Map<string, GeocodeOutcome>> {
  const known = new Map<string, GeocodeOutcome>();
  if (keys.length === 0) return known;
  const { rows } = await db.query<{ outcome: number; keys: Buffer }>(
    `select outcome, string_agg(address_key, '') as keys from location
     where address_key = any($1::bytea[]) and (expires_at is null or expires_at > now()) group by outcome`,
    [keys],
  );
  for (const row of rows) {
    const found = row.keys.toString('latin1');
    for (let at = 0; at < found.length; at += KEY_BYTES)
      known.set(found.slice(at, at + KEY_BYTES), GEOCODE_OUTCOMES[row.outcome]);
  }
  return known;
}
