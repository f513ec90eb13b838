import { randomUUID } from 'node:crypto';
import { inTransaction } from '@donorlens/database';
import { LocationRepository } from '@donorlens/locations';
import { GeocoderError } from '../geocoder-error';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { type ApplyOutcomes } from './call';
import { callsOn, keyOf, reset, resultsOf } from '../../../../test/support/pipeline/geocode-calls';

const ADDRESSES = 40;
const TIMES = 40;

describe('addresses that are requested while they are geocoded', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
    await reset(db.pool);
  });
  afterAll(() => db.close());

  it('notifies all waiting batches in any order, without a deadlock', async () => {
    const locations = new LocationRepository(db.pool, { benchmark: 'b', vintage: 'v' });
    const calls = callsOn(db.pool, { callRows: 5, callsAtOnce: 3 });
    let asking = 4;
    let waited = 0;

    /** As a chunk is stored: asks, and waits for what is not known. Now and then forgets locations, and asks again. */
    const asker = async (): Promise<void> => {
      for (let n = 0; n < TIMES; n++) {
        const asked = Array.from({ length: ADDRESSES }, (_, address) => address).filter(() => Math.random() < 0.3);
        await inTransaction(db.pool, async (client) => {
          const rows = { rows: 1, okRows: 1, street: '1 Nowhere St', city: 'Springfield', state: 'ZZ', zip: '00000' };
          const known = await locations.ask(
            client,
            asked.map((order) => ({ ...rows, key: keyOf(order), order })),
            null,
          );
          const open = asked.filter((address) => !known.has(keyOf(address).toString('latin1')));
          waited += open.length;
          await client.query(`insert into location_wait select key, $2, 1, 1 from unnest($1::bytea[]) key`, [
            open.map(keyOf),
            randomUUID(),
          ]);
        });
        await db.pool.query(
          `update location set expires_at = now() where address_key in (
             select address_key from location where random() < 0.3 for update skip locked)`,
        );
      }
      asking--;
    };
    let told = 0;
    const settle: ApplyOutcomes = async (client, geocoded) => {
      const keys = geocoded.map(({ key }) => key);
      const gone = await client.query('delete from location_wait where address_key = any($1)', [keys]);
      told += gone.rowCount ?? 0; // not before the wait: others count meanwhile
    };
    /** Nothing is put off, and the circuit is closed. Waits for noRowsWait. */
    const hurry = async (): Promise<void> => {
      await db.pool.query(
        `update geocode_address set asked_at = now() - interval '2 s' where address_key in (
           select address_key from geocode_address where call_id is null for update skip locked)`,
      );
      await db.pool.query(
        `update geocode_call set not_before = null where id in (
           select id from geocode_call where state = 'pending' for update skip locked)`,
      );
      await db.pool.query('update geocoder set circuit = null');
    };
    const worker = async (): Promise<void> => {
      while (asking > 0 || !(await calls.isIdle())) {
        await hurry();
        await calls.formCalls();
        for (const id of await calls.findDue(4)) {
          const claim = await calls.claim(id);
          if (!claim || !('call' in claim)) continue;
          const isError = claim.call.addresses.some(({ failures }) => failures > 3);
          if (!isError && Math.random() < 0.2) await calls.fail(claim.call, new GeocoderError('reset'));
          else await calls.commit(claim.call, resultsOf(claim.call), settle);
        }
      }
    };
    await Promise.all([asker(), asker(), asker(), asker(), worker(), worker()]);
    expect(waited).toBeGreaterThan(ADDRESSES);
    const { rows } = await db.pool.query(
      `select (select count(*)::int from location_wait) as waits, (select count(*)::int from geocode_address) as addresses,
              (select count(*)::int from location) as locations`,
    );
    expect(rows[0]).toEqual({ waits: 0, addresses: 0, locations: ADDRESSES });
    expect(told).toBe(waited);
  });
});
