import { SINGLE_REQUESTS, BatchRepository, SingleRequests } from '@donorlens/batches';
import { RetentionClock } from '@donorlens/database';
import { createLogger } from '@donorlens/observability';
import { RetentionTask } from '../../apps/aggregator/src/tasks/batch-end.tasks';
import { type LeadershipTerm } from '../../apps/aggregator/src/scheduling/leadership';
import { describeWith } from '../support/tools';
import { BatchLife } from '../support/batch-life';
import { type SteppedPostgres, startSteppedPostgres } from '../support/stepped-postgres';

const HOUR = 3_600;
const DAY = 24 * HOUR;

describeWith('faketime')('a clock of Postgres that steps', () => {
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

  describe('forward by eight days', () => {
    const term = (epoch: string): LeadershipTerm => ({
      ...{ fence: { lease: 'aggregator', epoch }, signal: new AbortController().signal, isCurrent: () => true },
    });
    const leader = (): RetentionTask =>
      new RetentionTask(
        ...([
          new BatchRepository(server.pool),
          new SingleRequests(server.pool),
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

    it('ends the reading of results while it is wrong, and erases neither rows nor addresses under any leader', async () => {
      const id = await finished();
      await server.pool.query(
        `insert into geocode_address (address_key, asked_by, ask_order, street, city, state, zip, benchmark, vintage)
         values ('\\x01', $1, 1, '', '', '', '', '', '')`,
        [SINGLE_REQUESTS],
      );
      const first = leader();
      await first.run(term('1'));
      await server.step(8 * DAY);
      for (const [epoch, task] of [first, leader(), leader()].entries())
        for (let run = 0; run < 3; run++) await task.run(term(String(epoch)));
      expect((await life.current(id))?.state).toBe('expired');
      await server.step(0);
      await first.run(term('4'));
      expect((await life.current(id))?.state).toBe('completed');
      expect(await counts()).toEqual([10, 1]);
    });

    it('erases what is due once the clock has been ahead for an hour of process time, at a limited rate', async () => {
      const id = await finished();
      const task = leader();
      await task.run(term('1'));
      await server.step(8 * DAY);
      await server.pool.query('update retention_clock set ahead_seconds = 3600');
      await task.run(term('1'));
      expect(await counts()).toEqual([20, 1]); // four times the milliseconds since the last run
      await server.pool.query(`update retention_clock set at = at + interval '8 days'`); // and so on for two days
      await task.run(term('1'));
      expect(await counts()).toEqual([0, 0]);
      await server.step(0);
      expect((await life.current(id))?.state).toBe('expired');
    });
  });
});
