import { SINGLE_LOOKUPS_BATCH_ID, BatchRepository, SingleLookupAddresses } from '@donorlens/batches';
import { CallRepository } from '@donorlens/geocoding';
import { LeaseRepository, RetentionClock } from '@donorlens/database';
import { createLogger } from '@donorlens/observability';
import { RetentionTask } from '../../apps/aggregator/src/tasks/batch-end.tasks';
import { type LeadershipTerm } from '../../apps/aggregator/src/scheduling/leadership';
import { DeliveryRepository } from '../../libs/webhooks/src/delivery.repository';
import { describeWith } from '../support/tools';
import { BatchLife } from '../support/pipeline/batch-life';
import { type SteppedPostgres, startSteppedPostgres } from '../support/servers/stepped-postgres';

const HOUR = 3_600;
const DAY = 24 * HOUR;

describeWith('faketime')('a step of the Postgres clock', () => {
  let server: SteppedPostgres;
  let life: BatchLife;
  beforeAll(async () => {
    server = await startSteppedPostgres();
    life = await BatchLife.on(server.pool);
  });
  afterAll(() => server.stop());
  beforeEach(() => server.step(0));

  const finished = async (): Promise<string> => {
    const { id } = await life.accepted(10);
    await life.commit(await life.claim(id, 0));
    return id;
  };

  describe('by eight days', () => {
    const term = (epoch: string): LeadershipTerm => ({
      ...{ fence: { lease: 'aggregator', epoch }, signal: new AbortController().signal, isCurrent: () => true },
    });
    const leader = (): RetentionTask =>
      new RetentionTask(
        ...([
          new BatchRepository(server.pool),
          new SingleLookupAddresses(server.pool),
          new RetentionClock(server.pool),
        ] as const),
        ...([{ batchTtlHours: 168 }, createLogger('test', 'silent')] as const),
      );
    const counts = async (): Promise<number[]> => {
      const { rows } = await server.pool.query<{ counts: number[] }>(
        `select array[(select count(*) from result), (select count(*) from geocode_address)]::int[] as counts`,
      );
      return rows[0].counts;
    };

    it('forward: does not expire results, rows or addresses under any leader', async () => {
      const id = await finished();
      await server.pool.query(
        `insert into geocode_address (address_key, asked_by, ask_order, street, city, state, zip, benchmark, vintage)
         values ('\\x01', $1, 1, '', '', '', '', '', '')`,
        [SINGLE_LOOKUPS_BATCH_ID],
      );
      const first = leader();
      await first.run(term('1'));
      await server.step(8 * DAY);
      for (const [epoch, task] of [first, leader(), leader()].entries())
        for (let run = 0; run < 3; run++) await task.run(term(String(epoch)));
      expect((await life.current(id))?.state).toBe('completed');
      await server.step(0);
      await first.run(term('4'));
      expect((await life.current(id))?.state).toBe('completed');
      expect(await counts()).toEqual([10, 1]);
    });

    it('forward: erases expired data at a limited rate once the clock has been ahead for an hour of process time', async () => {
      const id = await finished();
      const task = leader();
      await task.run(term('1'));
      await server.step(8 * DAY);
      await server.pool.query('update retention_clock set ahead_seconds = 3600');
      await task.run(term('1'));
      expect(await counts()).toEqual([20, 1]); // retention time advances by 4 ms per ms since the last run
      await server.pool.query(`update retention_clock set at = at + interval '8 days'`); // as after two days of runs
      await task.run(term('1'));
      expect(await counts()).toEqual([0, 0]);
      await server.step(0);
      expect((await life.current(id))?.state).toBe('expired');
    });

    it.each([0, 1])(
      'back: keeps data stored meanwhile after the clock is corrected, with %i runs of the task in between',
      async (runs) => {
        const task = leader();
        await task.run(term('1'));
        await server.step(-8 * DAY);
        const id = await finished();
        for (let run = 0; run < runs; run++) await task.run(term('1'));
        const later = await finished();
        await server.step(0);
        const before = await counts();
        for (let run = 0; run < 3; run++) await task.run(term('1'));
        expect(await counts()).toEqual(before);
        expect((await life.current(id))?.state).toBe('completed');
        expect((await life.current(later))?.state).toBe('completed');
      },
    );
  });

  describe('back by an hour', () => {
    it('lets a standby replace a dead leader, and rejects a renewal by that leader', async () => {
      const leases = new LeaseRepository(server.pool);
      expect(await leases.acquire('aggregator', 'killed')).toBe('1');
      expect(await leases.acquire('aggregator', 'standby')).toBeNull();
      await server.step(-HOUR);
      expect(await leases.isHeld('aggregator')).toBe(false);
      expect(await leases.acquire('aggregator', 'standby')).toBe('2');
      expect(await leases.renew('aggregator', '1')).toBe(false);
      expect(await leases.acquire('aggregator', 'third')).toBeNull();
    });

    it('frees chunks of killed workers, and adds jobs that were lost or are due, at the next tick', async () => {
      const { id } = await life.accepted(40);
      await life.tick(); // adds jobs for all chunks
      await life.claim(id, 0);
      const deferred = await life.claim(id, 1);
      await life.pipeline.chunks.deferRetry(deferred, 60_000, false);
      life.pipeline.queue.jobs.clear();
      await life.tick();
      expect(await life.states(id)).toEqual(['leased', 'pending', 'queued', 'queued']);
      await server.step(-HOUR);
      await life.claim(id, 2); // a worker that claims a chunk after the step keeps it
      await life.tick();
      await life.tick();
      expect(await life.states(id)).toEqual(['queued', 'queued', 'leased', 'queued']);
      expect(life.pipeline.queue.jobs.size).toBe(3);
      expect((await life.claim(id, 0)).seq).toBe(0);
    });

    it('sends geocoder calls whose worker died or whose job was lost, and calls for new addresses', async () => {
      const options = { callRows: 1, callsAtOnce: 3, callsPerMinute: 600, retryDays: 30 };
      const calls = new CallRepository(server.pool, options);
      await server.pool.query(
        `with formed as (
           insert into geocode_call (kind, benchmark, vintage, state, rows, lease_id, lease_until, not_before, enqueued_at)
           values ('batch', 'b', 'v', 'leased', 1, gen_random_uuid(), now() + interval '30 s', null, null),
                  ('batch', 'b', 'v', 'queued', 1, null, null, null, now()),
                  ('batch', 'b', 'v', 'pending', 1, null, null, now() + interval '50 s', null) returning id)
         insert into geocode_address (address_key, call_id, ask_order, street, city, state, zip, benchmark, vintage)
         select int4send(id::int), id, 1, '', '', '', '', 'b', 'v' from formed
         union all select '\\x00', null, 1, '', '', '', '', 'b', 'v'`,
      );
      await server.pool.query('update geocoder set refilled_at = now(), tokens = 0');
      expect([await calls.freeExpired(), await calls.findDue(9), await calls.findLost(15, 9)]).toEqual([0, [], []]);
      await server.step(-HOUR);
      expect(await calls.freeExpired()).toBe(1);
      expect(await calls.findLost(15, 9)).toHaveLength(1);
      expect(await calls.formCalls()).toBe(1);
      expect((await calls.findDue(9)).length).toBeGreaterThanOrEqual(2);
      const [first] = await calls.findDue(9);
      expect(await calls.claim(first)).toHaveProperty('call');
    });

    it('retries webhooks after their delay and not at once', async () => {
      const id = await finished();
      const deliveries = new DeliveryRepository(server.pool);
      const claimed = (): Promise<number> =>
        deliveries
          .claim({ lease: 'aggregator', epoch: '2' }, { messages: 9, perHost: 9, busyHosts: [] })
          .then(({ length }) => length);
      await server.pool.query(`update batch set webhook_url = 'http://localhost' where id = $1`, [id]);
      await deliveries.createDue();
      await server.step(-HOUR);
      expect([await claimed(), await claimed()]).toEqual([1, 0]);
      await server.step(-2 * HOUR);
      expect([await claimed(), await claimed()]).toEqual([1, 0]);
    });
  });
});
