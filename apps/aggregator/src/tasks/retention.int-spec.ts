import { BatchRepository, SINGLE_LOOKUPS_BATCH_ID, SingleLookupAddresses } from '@donorlens/batches';
import { RetentionClock } from '@donorlens/database';
import { createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { BatchLife } from '../../../../test/support/pipeline/batch-life';
import { repeat } from '../scheduling/leader-task-runner';
import { type LeadershipTerm } from '../scheduling/leadership';
import { RetentionTask } from './batch-end.tasks';

const termUntil = ({ signal }: AbortController): LeadershipTerm => ({
  ...{ fence: { lease: 'aggregator', epoch: '1' }, signal, isCurrent: () => true },
});

describe('the retention task', () => {
  let db: TestDatabase;
  let life: BatchLife;
  beforeAll(async () => {
    db = await testDatabase();
    life = await BatchLife.on(db.pool);
  });
  afterAll(() => db.close());

  const finished = async (): Promise<string> => {
    const { id } = await life.accepted(10);
    await life.commit(await life.claim(id, 0));
    return id;
  };

  const retention = (): RetentionTask =>
    new RetentionTask(
      new BatchRepository(db.pool),
      new SingleLookupAddresses(db.pool),
      new RetentionClock(db.pool),
      { batchTtlHours: 168 },
      createLogger('test', 'silent'),
    );

  it('erases batches after their retention period, and rows that a former leader did not finish erasing', async () => {
    const [due, left, kept] = [await finished(), await finished(), await finished()];
    await db.pool.query(`update batch set expires_at = now() - interval '1 s' where id = $1`, [due]);
    await db.pool.query(`update batch set state = 'expired' where id = $1`, [left]);
    const ended = new AbortController();
    const done = repeat(retention(), termUntil(ended), createLogger('test', 'silent'));
    await until('the batch has expired', async () => (await life.current(due))?.state === 'expired');
    const rowsOf = async (id: string) =>
      (await db.pool.query('select 1 from result where batch_id = $1', [id])).rowCount;
    await until('its rows are gone', async () => (await rowsOf(due)) === 0);
    ended.abort();
    await done;
    expect([await rowsOf(left), await rowsOf(kept)]).toEqual([0, 10]);
    expect((await life.current(kept))?.state).toBe('completed');
  });

  it('erases addresses of single requests after the same period', async () => {
    await db.pool.query(
      `insert into geocode_address (address_key, asked_by, ask_order, asked_at, street, city, state, zip, benchmark, vintage)
       select decode(md5(hours::text), 'hex'), $1, 1, now() - make_interval(hours => hours), hours, '', '', '', '', ''
       from unnest('{167,169}'::int[]) hours`,
      [SINGLE_LOOKUPS_BATCH_ID],
    );
    const ended = new AbortController();
    const done = repeat(retention(), termUntil(ended), createLogger('test', 'silent'));
    const left = async () => (await db.pool.query('select street from geocode_address')).rows;
    await until('one is erased', async () => (await left()).length < 2);
    ended.abort();
    await done;
    expect(await left()).toEqual([{ street: '167' }]);
  });
});
