import { type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { type GeocodeOutcome } from '@donorlens/primitives';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import { type RequestedAddress } from './address';
import { LocationRepository } from './location.repository';

const key = (number: number): Buffer => Buffer.alloc(16, number);
const name = (number: number): string => key(number).toString('latin1');
const asked = (number: number): RequestedAddress => ({
  ...{ key: key(number), order: number, rows: 1, okRows: 1 },
  ...{ street: `${number} Elm St`, city: 'Springfield', state: 'Illinois', zip: '62701-0001' },
});
const SETTINGS = { benchmark: 'Public_AR_Current', vintage: 'Census2020_Current' };
const OUTCOMES = { MATCH: 0, NO_MATCH: 1, TIE: 2 } as const;

describe('stored locations', () => {
  let db: TestDatabase;
  let locations: LocationRepository;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query('truncate location, geocode_address; update geocoder set hits = 0, misses = 0');
    locations = new LocationRepository(db.pool, SETTINGS);
  });

  const store = (
    client: Pick<PoolClient, 'query'>,
    number: number,
    outcome: GeocodeOutcome,
    expiresAt: string | null = null,
  ) =>
    client.query(
      `insert into location (address_key, outcome, fips, tract, block, address_id, expires_at)
       values ($1, $2, '17167', '000100', '1002', '\\x00112233445566778899aabbccddeeff', $3)
       on conflict (address_key) do update set outcome = excluded.outcome, expires_at = excluded.expires_at`,
      [key(number), OUTCOMES[outcome], expiresAt],
    );
  /** What the transaction that stores an outcome does: locks the addresses in order, stores, deletes. */
  const lock = (client: PoolClient, ...numbers: number[]) =>
    client.query('select 1 from geocode_address where address_key = any($1) order by address_key for update', [
      numbers.map(key),
    ]);
  const erase = (client: Pick<PoolClient, 'query'>, ...numbers: number[]) =>
    client.query('delete from geocode_address where address_key = any($1)', [numbers.map(key)]);
  const waiting = async (): Promise<string[]> => {
    const { rows } = await db.pool.query<{ street: string }>('select street from geocode_address order by ask_order');
    return rows.map(({ street }) => street);
  };
  const ask = (numbers: number[], requestedBy: string | null = null) =>
    inTransaction(db.pool, (client) => locations.ask(client, numbers.map(asked), requestedBy));
  /** Until so many connections wait for a lock. */
  const blocked = (count: number) =>
    until('waiting for a lock', async () => {
      const { rows } = await db.pool.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = $1 and wait_event_type = 'Lock'`,
        [db.name],
      );
      return rows[0].n === count;
    });
  /** Transactions of others that run beside an ask. */
  async function open(): Promise<PoolClient> {
    const client = await db.pool.connect();
    await client.query('begin');
    return client;
  }
  async function end(client: PoolClient, how: 'commit' | 'rollback'): Promise<void> {
    await client.query(how);
    client.release();
  }

  describe('lookups', () => {
    it('find locations by key, and nothing for an unknown key', async () => {
      await store(db.pool, 1, 'MATCH');
      await store(db.pool, 2, 'TIE');
      const found = await locations.find([key(1), key(2), key(3)]);
      expect([...found.keys()].sort()).toEqual([name(1), name(2)]);
      expect(found.get(name(1))).toEqual({
        ...{ outcome: 'MATCH', fips: '17167', tract: '000100', block: '1002' },
        addressId: '00112233445566778899aabbccddeeff',
      });
      expect(await locations.outcomes([key(1), key(2), key(3)])).toEqual(
        new Map([
          [name(1), 'MATCH'],
          [name(2), 'TIE'],
        ]),
      );
    });

    it('ignore an expired location, and find one that has not expired', async () => {
      await store(db.pool, 1, 'NO_MATCH', '2020-01-01');
      await store(db.pool, 2, 'NO_MATCH', '2999-01-01');
      expect([...(await locations.find([key(1), key(2)])).keys()]).toEqual([name(2)]);
      expect([...(await locations.outcomes([key(1), key(2)])).keys()]).toEqual([name(2)]);
    });

    it('send no query without keys', async () => {
      const query = jest.spyOn(db.pool, 'query');
      expect((await locations.find([])).size + (await locations.outcomes([])).size).toBe(0);
      expect(query).not.toHaveBeenCalled();
      query.mockRestore();
    });

    it('count hits and misses, and store them when the process ends', async () => {
      await store(db.pool, 1, 'MATCH');
      await locations.outcomes([key(1), key(2), key(3)]);
      await locations.find([key(1), key(4)]);
      const counted = async () => (await db.pool.query('select hits, misses from geocoder')).rows[0];
      expect(await counted()).toEqual({ hits: '0', misses: '0' });
      await locations.beforeApplicationShutdown();
      await locations.beforeApplicationShutdown();
      expect(await counted()).toEqual({ hits: '2', misses: '3' });
    });
  });

  describe('requests', () => {
    it('store addresses as they are sent, once, for the first request', async () => {
      const batch = '11111111-1111-4111-8111-111111111111';
      expect((await ask([2, 1], batch)).size).toBe(0);
      expect((await ask([1, 3])).size).toBe(0);
      const { rows } = await db.pool.query(
        `select street, state, zip, benchmark, vintage, asked_by, ask_order, call_id
         from geocode_address order by ask_order`,
      );
      expect(rows).toEqual(
        [batch, batch, null].map((asked_by, i) => ({
          ...{ street: `${i + 1} Elm St`, state: 'IL', zip: '62701', ...SETTINGS },
          ...{ asked_by, ask_order: i + 1, call_id: null },
        })),
      );
    });

    it('store nothing without settings', async () => {
      const none = new LocationRepository(db.pool, null);
      await expect(inTransaction(db.pool, (client) => none.ask(client, [asked(1)], null))).rejects.toThrow('settings');
      expect(await waiting()).toEqual([]);
    });

    it('return known outcomes and do not request them', async () => {
      await store(db.pool, 1, 'TIE');
      expect(await ask([1, 2])).toEqual(new Map([[name(1), 'TIE']]));
      expect(await waiting()).toEqual(['2 Elm St']);
    });

    it('request an expired location again, which stays until there is a new one', async () => {
      await store(db.pool, 1, 'NO_MATCH', '2020-01-01');
      expect((await ask([1])).size).toBe(0);
      expect(await waiting()).toEqual(['1 Elm St']);
      expect((await db.pool.query('select 1 from location')).rowCount).toBe(1);
    });

    it('lock every requested address, new or existing, until the transaction ends', async () => {
      await ask([1]);
      const asking = await open();
      await locations.ask(asking, [asked(1), asked(2)], null);
      const storing = inTransaction(db.pool, (client) => lock(client, 1));
      await blocked(1);
      // A call may take it along meanwhile.
      await db.pool.query('update geocode_address set is_tie = true where address_key = $1', [key(1)]);
      await end(asking, 'commit');
      expect((await storing).rowCount).toBe(1);
      expect(await waiting()).toEqual(['1 Elm St', '2 Elm St']);
    });

    it('wait for an outcome that is being stored, and return it', async () => {
      await ask([1]);
      const storing = await open();
      await lock(storing, 1);
      await store(storing, 1, 'MATCH');
      await erase(storing, 1);
      const asking = ask([1, 2]);
      await blocked(1);
      await end(storing, 'commit');
      expect(await asking).toEqual(new Map([[name(1), 'MATCH']]));
      expect(await waiting()).toEqual(['2 Elm St']);
    });

    it('return the outcome also if the address was deleted after it was seen', async () => {
      await ask([1]);
      const storing = await open();
      await lock(storing, 1);
      const asking = ask([1, 2]);
      await blocked(1);
      await store(storing, 1, 'NO_MATCH');
      await erase(storing, 1);
      await end(storing, 'commit');
      expect(await asking).toEqual(new Map([[name(1), 'NO_MATCH']]));
      expect(await waiting()).toEqual(['2 Elm St']);
    });

    it('keep the existing request if storing fails', async () => {
      await ask([1]);
      const storing = await open();
      await lock(storing, 1);
      await store(storing, 1, 'MATCH');
      await erase(storing, 1);
      const asking = ask([1]);
      await blocked(1);
      await end(storing, 'rollback');
      expect((await asking).size).toBe(0);
      expect(await waiting()).toEqual(['1 Elm St']);
    });

    it('repeat an address that another transaction deleted in between', async () => {
      await ask([1]);
      const givingUp = await open();
      await lock(givingUp, 1);
      const asking = ask([1]);
      await blocked(1);
      await erase(givingUp, 1);
      await end(givingUp, 'commit');
      expect((await asking).size).toBe(0);
      expect(await waiting()).toEqual(['1 Elm St']);
    });

    it('do not deadlock with each other if another transaction deleted an address in between', async () => {
      await ask([1]);
      const givingUp = await open();
      await lock(givingUp, 1);
      const asking = ask([1, 2]); // has inserted 2
      await blocked(1);
      await erase(givingUp, 1);
      const other = ask([1, 2]); // inserts 1 as soon as it is gone
      await blocked(2);
      await end(givingUp, 'commit');
      await Promise.all([asking, other]);
      expect(await waiting()).toEqual(['1 Elm St', '2 Elm St']);
    });

    describe('for an address that another batch requested with a higher order', () => {
      const at = (number: number, order: number): RequestedAddress => ({ ...asked(number), order });
      const askAt = (...addresses: RequestedAddress[]) =>
        inTransaction(db.pool, (client) => locations.ask(client, addresses, null));
      const places = async (): Promise<number[]> => {
        const { rows } = await db.pool.query<{ ask_order: number }>(
          'select ask_order from geocode_address order by address_key',
        );
        return rows.map((row) => row.ask_order);
      };

      it('use the lower order, never a higher one', async () => {
        await askAt(at(1, 900_000), at(2, 5), at(3, 900_000));
        await askAt(at(3, 2), at(1, 1), at(2, 7), at(4, 3));
        expect(await places()).toEqual([1, 5, 2, 3]);
      });

      it('keep the order of an address in a call or of an error', async () => {
        await askAt(at(1, 900), at(2, 900));
        await db.pool.query(
          `with call as (insert into geocode_call (kind, benchmark, vintage, rows) values ('batch', 'b', 'v', 1)
                         returning id)
           update geocode_address set call_id = call.id from call where address_key = $1`,
          [key(1)],
        );
        await db.pool.query(`update geocode_address set error_code = 'timeout' where address_key = $1`, [key(2)]);
        await askAt(at(1, 1), at(2, 1));
        expect(await places()).toEqual([900, 900]);
      });

      it('do not wait for a transaction that puts it into a call', async () => {
        await askAt(at(1, 900), at(2, 900));
        const gathering = await open();
        await gathering.query('select 1 from geocode_address where address_key = $1 for no key update', [key(1)]);
        await askAt(at(1, 1), at(2, 1));
        await end(gathering, 'rollback');
        expect(await places()).toEqual([900, 1]);
      });
    });

    it('leave nothing if the transaction fails', async () => {
      const asking = await open();
      await locations.ask(asking, [asked(1)], null);
      await end(asking, 'rollback');
      expect(await waiting()).toEqual([]);
    });

    it('lock addresses in the order of keys, so that opposite orders do not deadlock', async () => {
      const between = await open();
      await locations.ask(between, [asked(2)], null);
      const one = ask([3, 2, 1]); // holds 1 and waits for 2; in the order given it would hold 3
      await blocked(1);
      const other = ask([1, 3]); // waits for 1; in the order given it would hold 1 and wait for 3
      await blocked(2);
      await end(between, 'rollback');
      await Promise.all([one, other]);
      expect(await waiting()).toEqual(['1 Elm St', '2 Elm St', '3 Elm St']);
    });

    it('never deadlock, for any order of addresses', async () => {
      const numbers = Array.from({ length: 60 }, (_, i) => i + 1);
      const rounds = Array.from({ length: 20 }, async (_, round) => {
        const mine = numbers.filter((number) => (number * (round + 3)) % 7 < 4);
        await ask(round % 2 ? mine : [...mine].reverse());
        if (round % 5 === 0)
          await inTransaction(db.pool, async (client) => {
            await lock(client, ...mine);
            for (const number of mine) await store(client, number, 'MATCH');
            await erase(client, ...mine);
          });
      });
      await Promise.all(rounds);
      const both = await db.pool.query('select 1 from geocode_address join location using (address_key)');
      expect(both.rowCount).toBe(0);
      const all = await db.pool.query(
        'select address_key from geocode_address union all select address_key from location',
      );
      expect(all.rowCount).toBe(60);
    });
  });
});
