import { type PoolClient } from 'pg';
import { type GeocodeOutcome } from '@donorlens/primitives';
import { sentAddress } from './address';
import { type KeySettings } from './address-keys';
import { type AskedAddress } from './asked-address';
import { knownOutcomes } from './known-outcomes';

/**
 * Whoever stores an outcome erases the address first, in one transaction. So each address that is asked for is held
 * here, as a row of our own or by a key share lock on another's: what is held has no outcome until we end.
 *
 * Insert, then lock what was there already, then look what is known. An insert waits for a transaction that erases the
 * same address; once that has ended, ours is new, its location is seen by the last statement, and ours goes again. An
 * address that was erased between insert and lock is known by then too; if it is not, whoever asked for it has given
 * up, and it is asked for again. Each statement takes rows in the order of their keys, as everybody does who takes
 * several, so nobody waits in a circle.
 */
export async function askFor(
  client: PoolClient,
  addresses: readonly AskedAddress[],
  askedBy: string | null,
  settings: KeySettings,
): Promise<Map<string, GeocodeOutcome>> {
  const known = new Map<string, GeocodeOutcome>();
  let open = addresses;
  while (open.length > 0) {
    const own = await insertAddresses(client, open, askedBy, settings);
    const held = await holdOthers(client, open, own);
    const outcomes = await knownOutcomes(client, keysOf(open));
    await eraseKnown(client, own, outcomes);
    for (const [key, outcome] of outcomes) known.set(key, outcome);
    open = open.filter(({ key }) => !isIn(outcomes, key) && !isIn(own, key) && !isIn(held, key));
  }
  return known;
}

type Keys = ReadonlyMap<string, unknown>;
const isIn = (keys: Keys, key: Buffer): boolean => keys.has(key.toString('latin1'));
const keysOf = (addresses: readonly AskedAddress[]): Buffer[] => addresses.map(({ key }) => key);
const byKey = (rows: readonly { address_key: Buffer }[]): Map<string, Buffer> =>
  new Map(rows.map((row) => [row.address_key.toString('latin1'), row.address_key]));

/** @returns keys of those that nobody had asked for */
async function insertAddresses(
  client: PoolClient,
  addresses: readonly AskedAddress[],
  askedBy: string | null,
  { benchmark, vintage }: KeySettings,
): Promise<Map<string, Buffer>> {
  const sent = addresses.map(sentAddress);
  const { rows } = await client.query<{ address_key: Buffer }>(
    `insert into geocode_address (address_key, asked_by, ask_order, street, city, state, zip, benchmark, vintage)
     select key, $2, ask_order, street, city, state, zip, $8, $9
     from unnest($1::bytea[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[])
       as asked (key, ask_order, street, city, state, zip)
     order by key
     on conflict do nothing
     returning address_key`,
    [
      keysOf(addresses),
      askedBy,
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
 * Locks the rows of others: they may travel in calls, but not be erased. Those that wait at a later place than ours come
 * forward to it. @returns keys of those that are still there
 */
async function holdOthers(
  client: PoolClient,
  addresses: readonly AskedAddress[],
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
  if (later.length > 0) await bringForward(client, later);
  return byKey(rows);
}

interface Held {
  readonly address_key: Buffer;
  readonly ask_order: number;
  /** In no call, and no error. */
  readonly waits: boolean;
}

/** Waits for nobody: what is locked is being taken into a call, or brought forward by another. */
async function bringForward(client: PoolClient, addresses: readonly AskedAddress[]): Promise<void> {
  await client.query(
    `with free as materialized (
       select address_key from geocode_address
       where address_key = any($1::bytea[]) and call_id is null and error_code is null
       order by address_key for no key update skip locked
     )
     update geocode_address a set ask_order = asked.ask_order
     from free, unnest($1::bytea[], $2::int[]) as asked (key, ask_order)
     where a.address_key = free.address_key and asked.key = free.address_key and a.ask_order > asked.ask_order`,
    [keysOf(addresses), addresses.map(({ order }) => order)],
  );
}

/** Own rows whose location came meanwhile. Nobody else has seen them. */
async function eraseKnown(client: PoolClient, own: ReadonlyMap<string, Buffer>, known: Keys): Promise<void> {
  const erased = [...own.values()].filter((key) => isIn(known, key));
  if (erased.length > 0)
    await client.query('delete from geocode_address where address_key = any($1::bytea[])', [erased]);
}
