import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { AddressLife } from '../../../test/support/pipeline/address-life';
import { BatchLife } from '../../../test/support/pipeline/batch-life';
import { type ReconcilerReport } from './reconciler';
import { ReconcilerRepository } from './reconciler.repository';

describe('the reconciler', () => {
  let db: TestDatabase;
  let life: BatchLife;

  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    life = await BatchLife.on(db.pool);
  });
  afterEach(async () => {
    expect((await life.tick()).violations).toBe(0);
  });

  it('adds jobs for chunks that have none, once', async () => {
    const batch = await life.accepted(25);
    expect((await life.tick()).enqueued).toBe(3);
    expect(await life.states(batch.id)).toEqual(['queued', 'queued', 'queued']);
    expect((await life.tick()).enqueued).toBe(0);
    await life.drain();
    expect(await life.current(batch.id)).toMatchObject({ state: 'completed', chunksDone: 3 });
  });

  it('adds no more jobs than the queue has room for, and serves a small batch beside a large one', async () => {
    life.pipeline.queue.remainingCapacity = () => Promise.resolve(3);
    const large = await life.accepted(100);
    const small = await life.accepted(10);
    await life.tick();
    expect([...life.pipeline.queue.jobs.keys()]).toEqual([`${large.id}.0`, `${small.id}.0`, `${large.id}.1`]);
  });

  it('continues while the queue is away, and adds the jobs when it is back', async () => {
    await life.accepted(25);
    life.pipeline.queue.isUnavailable = true;
    expect(await life.tick()).toMatchObject({ enqueued: 0, violations: 0 });
    life.pipeline.queue.isUnavailable = false;
    expect((await life.tick()).enqueued).toBe(3);
  });

  it('adds the jobs again that the queue has lost', async () => {
    const batch = await life.accepted(25);
    await life.tick();
    life.pipeline.queue.jobs.clear();
    expect((await life.tick()).enqueued).toBe(0); // they may just be waiting
    await db.pool.query(`update chunk set enqueued_at = now() - interval '16 s' where batch_id = $1`, [batch.id]);
    expect((await life.tick()).enqueued).toBe(3);
    await life.drain();
    expect((await life.current(batch.id))?.state).toBe('completed');
  });

  it('frees the chunks of crashed workers', async () => {
    const batch = await life.accepted(10);
    const chunk = await life.claim(batch.id, 0);
    await db.pool.query(`update chunk set lease_until = now() - interval '1 s'`);
    expect(await life.tick()).toMatchObject({ leasesExpired: 1, enqueued: 1 });
    expect(await life.commit(chunk)).toBe(false);
    await life.drain();
    expect(await life.current(batch.id)).toMatchObject({ state: 'completed', counts: { ok: 10 } });
  });

  it('does not wait for locked rows, and repairs the others', async () => {
    const batch = await life.accepted(30);
    for (const seq of [0, 1]) await life.claim(batch.id, seq);
    await db.pool.query(`update chunk set lease_until = now() - interval '1 s' where state = 'leased'`);
    const other = await db.pool.connect();
    await other.query(`begin`);
    await other.query('select 1 from chunk where seq in (0, 2) for update');
    await other.query('select 1 from batch for update');
    expect(await life.tick()).toMatchObject({ leasesExpired: 1, enqueued: 2 });
    expect(await life.states(batch.id)).toEqual(['leased', 'queued', 'pending']);
    await other.query('rollback');
    other.release();
    expect((await life.tick()).leasesExpired).toBe(1);
    await life.drain();
    expect(await life.current(batch.id)).toMatchObject({ state: 'completed', counts: { ok: 30 } });
  });

  it('runs all steps if one fails, and reports the error afterwards', async () => {
    await life.accepted(25);
    const fails = jest.spyOn(ReconcilerRepository.prototype, 'freeExpiredLeases');
    fails.mockRejectedValueOnce(new Error('canceling statement due to lock timeout'));
    await expect(life.tick()).rejects.toThrow('lock timeout');
    fails.mockRestore();
    expect(life.pipeline.queue.jobs.size).toBe(3);
  });

  it('adds no job for a chunk before it is due', async () => {
    const batch = await life.accepted(10);
    await life.pipeline.chunks.deferRetry(await life.claim(batch.id, 0), 60_000, false);
    expect((await life.tick()).enqueued).toBe(0);
    await db.pool.query('update chunk set not_before = now()');
    expect((await life.tick()).enqueued).toBe(1);
  });

  it('completes a batch that its last commit has not completed', async () => {
    const batch = await life.accepted(10);
    await life.commit(await life.claim(batch.id, 0));
    await db.pool.query(`update batch set state = 'running', finished_at = null`);
    expect((await life.tick()).batchesFinished).toBe(1);
    expect((await life.current(batch.id))?.state).toBe('completed');
  });

  it('reports counters that do not agree with the chunks', async () => {
    const batch = await life.accepted(25);
    await life.commit(await life.claim(batch.id, 0));
    for (const [broken, mended] of [
      ['ok_rows = ok_rows + 1', 'ok_rows = ok_rows - 1'],
      ['chunks_done = chunks_done + 1', 'chunks_done = chunks_done - 1'],
      ['rows_total = rows_total + 1', 'rows_total = rows_total - 1'],
    ]) {
      await db.pool.query(`update batch set ${broken} where id = $1`, [batch.id]);
      expect((await life.tick()).violations).toBe(1);
      expect((await life.pipeline.reconciler.tick(life.pipeline.queue, { compare: false })).violations).toBe(0);
      await db.pool.query(`update batch set ${mended} where id = $1`, [batch.id]);
    }
  });

  it('reports rows without an outcome of their address', async () => {
    const addresses = await AddressLife.on(db.pool);
    const tick = (): Promise<ReconcilerReport> => addresses.pipeline.reconciler.tick(addresses.pipeline.queue);
    const batch = await addresses.enriched(20, (row) => (row <= 15 ? 1 : row <= 18 ? 'skipped' : 'invalid'));
    expect(await tick()).toMatchObject({ violations: 0, batchesFinished: 0 }); // it waits for addresses
    for (const [broken, mended] of [
      ['skipped_rows = skipped_rows + 1', 'skipped_rows = skipped_rows - 1'],
      ['match_rows = -1, pending_rows = 16', 'match_rows = 0, pending_rows = 15'],
      ['partial_rows = 1', 'partial_rows = 0'],
    ]) {
      await db.pool.query(`update batch set ${broken} where id = $1`, [batch.id]);
      expect((await tick()).violations).toBe(1);
      await db.pool.query(`update batch set ${mended} where id = $1`, [batch.id]);
    }
    await addresses.completeTimedOut(0);
    expect(await addresses.current(batch.id)).toMatchObject({ state: 'completed', addresses: { pending: 15 } });
    expect((await tick()).violations).toBe(0);
  });

  it('deletes addresses in slices, also in two processes at a time', async () => {
    const addresses = await AddressLife.on(db.pool);
    await db.pool.query(`
      with made as (insert into location_wait
        select decode(md5(n::text), 'hex'), '00000000-0000-4000-8000-000000000000', 1, 1
        from generate_series(1, 25000) n returning address_key, batch_id)
      insert into geocode_address (address_key, asked_by, ask_order, street, city, state, zip, benchmark, vintage)
      select address_key, batch_id, 1, '1 MAIN ST', '', '', '', 'b', 'v' from made`);
    const tick = async (): Promise<number> =>
      (await addresses.pipeline.reconciler.tick(addresses.pipeline.queue)).addressesDeleted;
    expect(await tick()).toBe(20_000); // waits
    await Promise.all([tick(), tick()]);
    await tick();
    await tick();
    expect(await addresses.asked()).toEqual({ asked: 0, waits: 0, rows: 0 });
    expect(await tick()).toBe(0);
  });

  it('may run in two processes at a time', async () => {
    const batch = await life.accepted(95);
    await Promise.all([life.tick(), life.tick(), life.tick()]);
    expect(life.pipeline.queue.jobs.size).toBe(10);
    await life.drain();
    expect(await life.current(batch.id)).toMatchObject({ state: 'completed', counts: { ok: 95 } });
  });
});
