import { type PoolClient } from 'pg';
import { emptyCounts } from '@donorlens/primitives';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import { AddressLife, keyOf } from '../../../test/support/pipeline/address-life';
import { NO_ADDRESSES } from './batch';
import { countChunk } from './batch-counters.store';

const NOTHING = { asked: 0, waits: 0, rows: 0 };

describe('batches that request addresses', () => {
  let db: TestDatabase;
  let life: AddressLife;

  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    life = await AddressLife.on(db.pool);
  });
  afterEach(async () => {
    expect((await life.pipeline.reconciler.tick(life.pipeline.queue)).violations).toBe(0);
  });

  const age = (seconds: number, columns = 'enriched_at = %, located_at = %'): Promise<unknown> =>
    db.pool.query(`update batch set ${columns.replaceAll('%', `now() - interval '${seconds} s'`)}`);

  describe('count their rows by the outcome of their address', () => {
    it('and wait for unknown addresses', async () => {
      const batch = await life.enriched(20, (row) =>
        row <= 10 ? 1 : row <= 15 ? 3 : row <= 18 ? 'skipped' : 'invalid',
      );
      expect(batch).toMatchObject({
        state: 'running',
        chunksDone: 2,
        addresses: { match: 0, noMatch: 0, tie: 0, skipped: 3, pending: 15 },
        enrichedAt: expect.any(Date),
        geocodedAt: null,
        finishedAt: null,
      });
      expect(await life.asked()).toEqual({ asked: 2, waits: 2, rows: 15 });
    });

    it('and complete at once if all outcomes are known or no row has an address', async () => {
      await life.enriched(10, (row) => row % 5);
      await life.locate([0, 1, 2, 3, 4]);
      // Two rows have each address. Rows 4 and 8 are not found, so of either bad address one row was ok.
      const known = await life.enriched(10, (row) => row % 5);
      expect(known).toMatchObject({
        state: 'completed',
        counts: { ok: 6, partial: 2, not_found: 2 },
        addresses: { match: 6, noMatch: 2, tie: 2, skipped: 0, pending: 0 },
        geocodedAt: null,
      });
      expect(await life.enriched(10, () => 'skipped')).toMatchObject({
        state: 'completed',
        addresses: { ...NO_ADDRESSES, skipped: 10 },
      });
      expect(await life.asked()).toEqual(NOTHING);
    });

    it('as skipped if their store returns no addresses', async () => {
      const batch = await life.accepted(10);
      const chunk = await life.claim(batch.id, 0);
      const counts = { ok: 6, partial: 1, not_found: 1, invalid: 1, failed: 1 };
      await life.pipeline.chunks.commit(chunk, { store: () => Promise.resolve(), counts });
      expect(await life.current(batch.id)).toMatchObject({
        state: 'completed',
        counts,
        addresses: { ...NO_ADDRESSES, skipped: 8 },
      });
    });

    it.each([
      ['left out', { ...NO_ADDRESSES, skipped: 9 }, 0],
      ['made partial that were not ok', { ...NO_ADDRESSES, noMatch: 10 }, 6],
    ])('and are not stored if rows are %s', async (_, addresses, partial) => {
      const batch = await life.accepted(10);
      const chunk = await life.claim(batch.id, 0);
      const counts = { ok: 5, partial: 0, not_found: 5, invalid: 0, failed: 0 };
      await expect(
        life.pipeline.chunks.commit(chunk, { store: () => Promise.resolve({ addresses, partial }), counts }),
      ).rejects.toMatchObject({ code: 'tally_mismatch' });
      expect(await life.current(batch.id)).toMatchObject({ chunksDone: 0, addresses: NO_ADDRESSES });
    });
  });

  describe('move rows when outcomes arrive', () => {
    it('and complete with the last one', async () => {
      const batch = await life.enriched(10, (row) => row % 5); // rows 4 and 8 are not found
      await life.locate([0, 1, 3]);
      expect(await life.current(batch.id)).toMatchObject({
        state: 'running',
        counts: { ok: 7, partial: 1, not_found: 2 },
        addresses: { match: 4, noMatch: 2, tie: 0, pending: 4 },
        geocodedAt: expect.any(Date),
        finishedAt: null,
      });
      await life.locate([2, 4]);
      const done = await life.current(batch.id);
      expect(done).toMatchObject({
        state: 'completed',
        counts: { ok: 6, partial: 2, not_found: 2 },
        addresses: { match: 6, noMatch: 2, tie: 2, pending: 0 },
      });
      expect(done.expiresAt!.getTime() - done.finishedAt!.getTime()).toBe(168 * 3_600_000);
      expect(await life.asked()).toEqual(NOTHING);
      await life.locate([0, 1, 2, 3, 4]); // no batch needs them any more
      expect(await life.current(batch.id)).toEqual(done);
    });

    it('of all batches that share an address, and request it once', async () => {
      const [first, second] = [await life.enriched(10, () => 3), await life.enriched(20, () => 3)];
      expect(await life.asked()).toEqual({ asked: 1, waits: 2, rows: 30 });
      await life.locate([3]);
      expect((await life.current(first.id)).addresses).toEqual({ ...NO_ADDRESSES, noMatch: 10 });
      expect(await life.current(second.id)).toMatchObject({ state: 'completed', counts: { ok: 0, partial: 15 } });
    });

    it('and do not complete before their last chunk', async () => {
      const batch = await life.accepted(20);
      await life.commit(await life.claim(batch.id, 1), () => 1);
      await life.locate([1]);
      expect(await life.current(batch.id)).toMatchObject({ state: 'running', addresses: { match: 10, pending: 0 } });
      await life.commit(await life.claim(batch.id, 0), () => 1);
      expect(await life.current(batch.id)).toMatchObject({ state: 'completed', addresses: { match: 20, pending: 0 } });
    });
  });

  describe('wait for the disk only when they complete', () => {
    /** synchronous_commit after the work, in a transaction that starts with off. */
    const settingAfter = async (work: (client: PoolClient) => Promise<void>): Promise<string> => {
      const client = await db.pool.connect();
      try {
        await client.query('begin');
        await client.query('set local synchronous_commit = off');
        await work(client);
        const { rows } = await client.query<{ setting: string }>(
          `select current_setting('synchronous_commit') as setting`,
        );
        return rows[0].setting;
      } finally {
        await client.query('rollback');
        client.release();
      }
    };
    const afterChunk = (batchId: string, rows: 'skipped' | 'pending'): Promise<string> =>
      settingAfter((client) =>
        countChunk(
          client,
          batchId,
          { ...emptyCounts(), ok: 10 },
          { addresses: { ...NO_ADDRESSES, [rows]: 10 }, partial: 0 },
        ),
      );
    const afterAddress = (address: number): Promise<string> =>
      settingAfter((client) => life.applyOutcomes(client, [{ key: keyOf(address), outcome: 'MATCH' }]));

    it('with their last chunk, unless rows wait for addresses', async () => {
      const batch = await life.accepted(20);
      expect(await afterChunk(batch.id, 'skipped')).toBe('off');
      await life.commit(await life.claim(batch.id, 0), () => 'skipped');
      expect(await afterChunk(batch.id, 'skipped')).toBe('on');
      expect(await afterChunk(batch.id, 'pending')).toBe('off');
    });

    it('or with their last address', async () => {
      await life.enriched(10, (row) => (row % 2) + 1);
      expect(await afterAddress(1)).toBe('off');
      await life.locate([1]);
      expect(await afterAddress(2)).toBe('on');
    });
  });

  describe('stop waiting for the geocoder', () => {
    it.each([
      ['15 minutes after their last chunk', 'enriched_at = %', 901, 1],
      ['not earlier', 'enriched_at = %', 890, 0],
      ['not while outcomes come', `enriched_at = %, located_at = now()`, 5000, 0],
      ['15 minutes after the last outcome', 'enriched_at = %, located_at = %', 901, 1],
    ])('%s', async (_, columns, seconds, completed) => {
      const batch = await life.enriched(10, (row) => row % 2);
      await age(seconds, columns);
      expect(await life.completeTimedOut(900)).toBe(completed);
      expect(await life.current(batch.id)).toMatchObject({ state: completed ? 'completed' : 'running' });
    });

    it('after a minute if it has never answered, or after a shorter wait on request', async () => {
      await db.pool.query('update geocoder set last_answer_at = null');
      await life.enriched(10, () => 1);
      await age(59);
      expect([await life.completeTimedOut(900), await life.completeTimedOut(30)]).toEqual([0, 1]);
      await life.enriched(10, () => 1);
      await age(61);
      expect(await life.completeTimedOut(900)).toBe(1);
      expect(await life.completeTimedOut(900)).toBe(0);
    });

    it('but not while chunks are open', async () => {
      const batch = await life.accepted(20);
      await life.commit(await life.claim(batch.id, 0), () => 1);
      expect(await life.completeTimedOut(0)).toBe(0);
    });

    it('and get late outcomes', async () => {
      const batch = await life.enriched(10, () => 3);
      await age(1000);
      await life.completeTimedOut(900);
      const timedOut = await life.current(batch.id);
      expect(timedOut).toMatchObject({
        state: 'completed',
        addresses: { pending: 10 },
        counts: { ok: 8, partial: 0 },
      });
      expect((await life.pipeline.reconciler.tick(life.pipeline.queue)).addressesDeleted).toBe(0);
      await life.locate([3]);
      expect(await life.current(batch.id)).toEqual({
        ...timedOut,
        addresses: { ...NO_ADDRESSES, noMatch: 10 },
        counts: { ...timedOut.counts, ok: 0, partial: 8 },
        geocodedAt: expect.any(Date),
      });
    });
  });

  describe('that are cancelled, fail or expire', () => {
    const cancel = async (id: string): Promise<number> => {
      await life.pipeline.batches.cancel(life.apiKeyId, id);
      return (await life.pipeline.reconciler.tick(life.pipeline.queue)).addressesDeleted;
    };

    it('no longer wait for or request addresses', async () => {
      const batch = await life.enriched(20, (row) => row);
      expect(await cancel(batch.id)).toBe(40);
      expect(await life.asked()).toEqual(NOTHING);
      expect(await life.current(batch.id)).toMatchObject({ state: 'cancelled', addresses: { pending: 20 } });
    });

    it('let a chunk in progress finish, and delete its requests', async () => {
      const batch = await life.accepted(30);
      await life.commit(await life.claim(batch.id, 0), (row) => row);
      const working = await life.claim(batch.id, 1);
      expect(await cancel(batch.id)).toBe(0);
      expect(await life.commit(working, (row) => row)).toBe(true);
      await life.pipeline.reconciler.tick(life.pipeline.queue); // ends the batch, and drops its addresses
      expect(await life.asked()).toEqual(NOTHING);
      expect(await life.current(batch.id)).toMatchObject({ state: 'cancelled', chunksDone: 2, counts: { ok: 15 } });
    });

    it('keep addresses that others wait for until the last of them ends', async () => {
      const first = await life.enriched(10, (row) => row);
      const second = await life.enriched(10, (row) => row + 5);
      expect(await cancel(first.id)).toBe(10 + 5);
      expect(await life.asked()).toEqual({ asked: 10, waits: 10, rows: 10 });
      expect(await cancel(second.id)).toBe(10 + 10);
      expect(await life.asked()).toEqual(NOTHING);
    });

    it('keep addresses in a call or of a filing', async () => {
      const batch = await life.enriched(10, (row) => row);
      for (const [state, key] of [
        ['leased', keyOf(1)],
        ['queued', keyOf(3)], // one that has not left yet
      ] as const)
        await db.pool.query(
          `with call as (
             insert into geocode_call (kind, benchmark, vintage, rows, state) values ('batch', 'b', 'v', 1, $2)
             returning id)
           update geocode_address set call_id = call.id from call where address_key = $1`,
          [key, state],
        );
      await db.pool.query(
        `create table if not exists contribution_2024 partition of contribution for values in (2024)`,
      );
      await db.pool.query(
        `insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, money_cents, counts_money,
           counts_donor, count_reason, earmark, state, tran_id, address_key, release_no, record)
         values (2024, -1, 'C99900001', 0, 0, 0, false, false, 0, 0, 'VA', '', $1, 1, '')`,
        [keyOf(2)],
      );
      await cancel(batch.id);
      expect(await life.asked()).toEqual({ asked: 2, waits: 0, rows: 0 });
      expect(await cancel(batch.id)).toBe(0); // nothing is left to be looked at
      await life.locate([1, 2]); // and no rows wait
      expect((await life.current(batch.id)).addresses.pending).toBe(10);
    });

    it.each([
      ['failed', (id: string) => life.pipeline.chunks.failBatch(id, 'unreadable_input')],
      ['deleted', (id: string) => life.pipeline.batches.delete(life.apiKeyId, id)],
    ])('delete their addresses when they are %s', async (_, end) => {
      const batch = await life.enriched(10, (row) => row);
      await end(batch.id);
      await life.pipeline.reconciler.tick(life.pipeline.queue);
      expect(await life.asked()).toEqual(NOTHING);
    });

    it('that expired with pending rows count no outcomes', async () => {
      const batch = await life.enriched(10, () => 1);
      await age(1000);
      await life.completeTimedOut(900);
      await db.pool.query(`update batch set expires_at = now() - interval '1 s'`);
      expect(await life.pipeline.batches.expire()).toBe(1);
      expect(await life.asked()).toEqual(NOTHING);
      const wait = `insert into location_wait values ($1, $2, 10, 10)`; // as a crash may leave it
      await db.pool.query(wait, [keyOf(1), batch.id]);
      await db.pool.query(`insert into geocode_address values ($1, null, 0, now(), '', '', '', '', 'b', 'v')`, [
        keyOf(1),
      ]);
      await life.locate([1]);
      expect((await life.current(batch.id)).addresses).toEqual({ ...NO_ADDRESSES, pending: 10 });
      expect(await life.asked()).toEqual(NOTHING);
    });
  });

  describe('if an outcome arrives while a chunk with its address is stored', () => {
    const waitsForLock = (): Promise<unknown> =>
      until('a transaction waits for a lock', async () => {
        const { rowCount } = await db.pool.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rowCount === 1;
      });

    it('update the waiting row if the chunk was first', async () => {
      const batch = await life.accepted(10);
      const chunk = await life.claim(batch.id, 0);
      await life.enriched(10, () => 1); // requested before
      let geocoding: Promise<void> | undefined;
      await life.commit(
        chunk,
        () => 1,
        async () => {
          geocoding = life.locate([1]);
          await waitsForLock();
        },
      );
      await geocoding;
      expect(await life.current(batch.id)).toMatchObject({ state: 'completed', addresses: { match: 10, pending: 0 } });
      expect(await life.asked()).toEqual(NOTHING);
    });

    it('have the outcome if the call was first', async () => {
      const batch = await life.accepted(10);
      const chunk = await life.claim(batch.id, 0);
      await life.enriched(10, () => 3);
      let committing: Promise<boolean> | undefined;
      await life.locate([3], async () => {
        committing = life.commit(chunk, () => 3);
        await waitsForLock();
      });
      expect(await committing).toBe(true);
      expect(await life.current(batch.id)).toMatchObject({
        state: 'completed',
        counts: { ok: 0, partial: 8 },
        addresses: { noMatch: 10, pending: 0 },
      });
      expect(await life.asked()).toEqual(NOTHING);
    });

    it('request it again if the only other batch was just cancelled', async () => {
      const [batch, gone] = [await life.accepted(10), await life.enriched(10, () => 1)];
      await Promise.all([
        life.claim(batch.id, 0).then((chunk) => life.commit(chunk, () => 1)),
        life.pipeline.batches.delete(life.apiKeyId, gone.id),
      ]);
      expect(await life.asked()).toEqual({ asked: 1, waits: 1, rows: 10 });
      await life.locate([1]);
      expect((await life.current(batch.id)).state).toBe('completed');
    });
  });
});
