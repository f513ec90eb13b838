import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { AddressLife, keyOf } from '../../../test/support/pipeline/address-life';
import { SINGLE_LOOKUPS_BATCH_ID } from './pending-address.repository';
import { MAX_SINGLE_LOOKUP_ADDRESSES, SingleLookupAddresses } from './pending-address.repository';

describe('addresses of single requests', () => {
  let db: TestDatabase;
  let life: AddressLife;
  let singles: SingleLookupAddresses;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    life = await AddressLife.on(db.pool);
    singles = new SingleLookupAddresses(db.pool);
  });

  const letPass = (hours: number): Promise<unknown> =>
    db.pool.query('update geocode_address set asked_at = asked_at - make_interval(hours => $1)', [hours]);
  /** Batch that requested each stored address; undefined for a deleted one. */
  const requestersOf = async (addresses: readonly number[]): Promise<unknown[]> => {
    const { rows } = await db.pool.query<{ address_key: Buffer; asked_by: string | null }>(
      'select address_key, asked_by from geocode_address',
    );
    return addresses.map((n) => rows.find((row) => row.address_key.equals(keyOf(n)))?.asked_by);
  };
  const tick = async () => (await life.pipeline.reconciler.tick(life.pipeline.queue)).addressesDeleted;

  it('are counted separately from those of batches', async () => {
    expect(await singles.room()).toBe(MAX_SINGLE_LOOKUP_ADDRESSES);
    await life.enriched(10, (row) => row);
    await life.askAlone([11, 12, 13, 1]);
    expect(await singles.room()).toBe(MAX_SINGLE_LOOKUP_ADDRESSES - 3);
  });

  it('stay for their retention, and are not deleted by the reconciler', async () => {
    await life.askAlone([1, 2]);
    await letPass(10);
    await life.askAlone([3]);
    expect([await tick(), await singles.expire(11)]).toEqual([0, 0]);
    expect(await singles.expire(9)).toBe(2);
    expect(await requestersOf([1, 2, 3])).toEqual([undefined, undefined, SINGLE_LOOKUPS_BATCH_ID]);
  });

  it('are deleted in slices, until the work is aborted', async () => {
    await db.pool.query(
      `insert into geocode_address (address_key, asked_by, ask_order, asked_at, street, city, state, zip, benchmark, vintage)
       select decode(md5(n::text), 'hex'), $1, n, now() - interval '2 h', '', '', '', '', '', '' from generate_series(1, 20001) n`,
      [SINGLE_LOOKUPS_BATCH_ID],
    );
    expect(await singles.expire(1, AbortSignal.abort())).toBe(0);
    const ends = new AbortController();
    const connect = jest.spyOn(db.pool, 'connect').mockImplementationOnce(() => {
      ends.abort();
      return db.pool.connect() as never;
    });
    expect(await singles.expire(1, ends.signal)).toBe(20_000);
    connect.mockRestore();
    expect(await singles.expire(1)).toBe(1);
  });

  it('stay while they are in a call, and are deleted after it if they have no outcome', async () => {
    await life.askAlone([1]);
    await letPass(10);
    await db.pool.query(
      `with call as (insert into geocode_call (kind, benchmark, vintage, rows) values ('batch', 'b', 'v', 1) returning id)
       update geocode_address set call_id = call.id from call`,
    );
    expect(await singles.expire(1)).toBe(0);
    expect(await requestersOf([1])).toEqual([SINGLE_LOOKUPS_BATCH_ID]);
    await db.pool.query('update geocode_address set call_id = null');
    expect(await singles.expire(1)).toBe(1);
  });

  it('are those of the batch or the filing that waits for them', async () => {
    await life.askAlone([1, 2, 3]);
    const batch = await life.enriched(10, () => 1);
    await db.pool.query(`create table if not exists contribution_2024 partition of contribution for values in (2024)`);
    await db.pool.query(
      `insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, money_cents, counts_money,
         counts_donor, count_reason, earmark, state, tran_id, address_key, release_no, record)
       values (2024, -1, 'C99900001', 0, 0, 0, false, false, 0, 0, 'VA', '', $1, 1, '')`,
      [keyOf(2)],
    );
    await letPass(10);
    expect(await singles.expire(1)).toBe(1);
    expect(await requestersOf([1, 2, 3])).toEqual([batch.id, null, undefined]);
    expect(await singles.expire(1)).toBe(0);
    await life.pipeline.batches.cancel(life.apiKeyId, batch.id);
    expect(await tick()).toBe(2);
    expect(await requestersOf([1, 2])).toEqual([undefined, null]);
  });
});
