import { readConfig } from '@donorlens/config';
import { LeaseRepository } from '@donorlens/database';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { type ProcessHeartbeat } from './heartbeats/process-heartbeat';
import { LEADER_LEASE } from './schedules';
import { QueuePauses } from './requests/queue-pauses.repository';
import { OperatorRequests } from './requests/operator-requests.repository';
import { sampleQueues } from './status/queues.repository';
import { OperationsReader } from './status/operations.reader';

const BATCH = '0b0f6f5e-7d0c-4a41-8f5e-2f4b8f1f6a11';
const KEY = '0b0f6f5e-7d0c-4a41-8f5e-2f4b8f1f6a22';

describe('operations', () => {
  let db: TestDatabase;
  let requests: OperatorRequests;
  beforeAll(async () => {
    db = await testDatabase();
    requests = new OperatorRequests(db.pool);
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query(
      'truncate lease, ops_request, audit, batch, chunk, process, queue_minute, job_run, api_key cascade',
    );
    await db.pool.query('update queue_state set paused_at = null, paused_by = null');
  });

  const lead = async (): Promise<{ lease: string; epoch: string }> => {
    await db.pool.query(`update lease set expires_at = '-infinity'`);
    const epoch = (await new LeaseRepository(db.pool).acquire(LEADER_LEASE, 'host.1.x')) ?? '';
    return { lease: LEADER_LEASE, epoch };
  };

  describe('requests', () => {
    it('are run once each in the order of their queue, and are listed with their result', async () => {
      const fence = await lead();
      await requests.submit('refresh', { source: 'fec' }, 'night shift');
      await requests.submit('redrive', { queue: 'enrich' }, 'night shift');
      await requests.submit('cancel-batch', { batch: BATCH }, 'day shift');
      const first = await requests.claimNext(fence, 'prompt');
      expect(first).toMatchObject({ action: 'redrive', target: { queue: 'enrich' }, actor: 'night shift' });
      expect(first && (await requests.finish(first, 'done', { chunks: 3 }))).toBe(true);
      const second = await requests.claimNext(fence, 'prompt');
      expect(second).toMatchObject({ action: 'cancel-batch', target: { batch: BATCH } });
      expect(second && (await requests.finish(second, 'failed', { message: 'there is none' }))).toBe(true);
      expect(await requests.claimNext(fence, 'prompt')).toBeNull();
      expect(await requests.hasUnfinishedRequest('campaign-data')).toBe(true);
      expect(await requests.recent(2)).toMatchObject([
        { actor: 'day shift', action: 'ops.cancel-batch', state: 'failed', outcome: { message: 'there is none' } },
        { actor: 'night shift', action: 'ops.redrive', state: 'done', outcome: { chunks: 3 } },
      ]);
    });

    it('are one request if repeated while open, and two audit entries', async () => {
      const ids = [1, 2].map(() => requests.submit('refresh', { source: 'charts' }, 'x'));
      expect(await ids[0]).toBe(await ids[1]);
      expect(await requests.recent()).toHaveLength(2);
    });

    it('of a former leader are taken over, and it can neither finish nor take any', async () => {
      await requests.submit('redrive', { queue: 'geocode' }, 'x');
      const old = await lead();
      const begun = await requests.claimNext(old, 'prompt');
      const now = await lead();
      expect(begun && (await requests.finish(begun, 'failed', { message: 'it was frozen' }))).toBe(false);
      const takenOver = await requests.claimNext(now, 'prompt');
      expect(takenOver?.id).toBe(begun?.id);
      expect(begun && (await requests.finish(begun, 'done', {}))).toBe(false);
      expect(takenOver && (await requests.finish(takenOver, 'done', {}))).toBe(true);
      await requests.submit('redrive', { queue: 'geocode' }, 'x');
      expect(await requests.claimNext(old, 'prompt')).toBeNull();
    });

    it.each([
      ['pause', {}, 'the queue of a pause request must be one of enrich, geocode'],
      ['pause', { queue: 'all' }, 'the queue of a pause request'],
      [
        'refresh',
        { source: 'everything' },
        'the source of a refresh request must be one of reference-data, fec, filings, charts',
      ],
      ['cancel-batch', { batch: '17' }, 'the batch of a cancel-batch request must be the id of a batch'],
    ] as const)('to %s %j are refused', async (action, target, message) => {
      await expect(requests.submit(action, target, 'x')).rejects.toThrow(message);
      expect(await requests.recent()).toEqual([]);
    });
  });

  it('keep the first actor who paused a queue, and complete the request when the queue server has the state', async () => {
    const pauses = new QueuePauses(db.pool);
    const fence = await lead();
    await requests.submit('pause', { queue: 'enrich' }, 'first');
    await requests.submit('pause', { queue: 'enrich' }, 'second');
    const [enrich, geocode] = await pauses.wanted();
    expect([enrich.isPaused, geocode.isPaused]).toEqual([true, false]);
    const { rows } = await db.pool.query(`select paused_by from queue_state where queue = 'enrich'`);
    expect(rows).toEqual([{ paused_by: 'first' }]);
    await requests.submit('resume', { queue: 'enrich' }, 'second'); // after the server was asked, before it is noted
    await pauses.markApplied(enrich, fence);
    expect((await requests.recent()).map(({ action, state }) => [action, state])).toEqual([
      ['ops.resume', 'asked'],
      ['ops.pause', 'done'],
      ['ops.pause', 'done'],
    ]);
    expect((await pauses.wanted())[0].isPaused).toBe(false);
  });

  describe('the status', () => {
    const reader = (
      environment: Record<string, string> = {},
      beat: Pick<ProcessHeartbeat, 'lateSince'> | null = null,
    ): OperationsReader => {
      const counts = () => Promise.resolve({ waiting: 2, active: 0 });
      return new OperationsReader(db.pool, readConfig(environment), { enrich: { counts }, geocode: { counts } }, beat);
    };
    const batch = (state = 'running') =>
      db.pool.query(
        `with key as (insert into api_key (id, name, prefix, secret_hash, scopes)
                      values ($2, 'newsroom', 'p', decode(repeat('00', 32), 'hex'), '{}'))
         insert into batch (id, api_key_id, type, input_format, state, rows_total, chunks_total, chunks_done, ok_rows,
                            skipped_rows, created_at)
         values ($1, $2, 'ethnicity', 'csv', $3, 40, 4, 1, 10, 0, now() - interval '10 minutes')`,
        [BATCH, KEY, state],
      );
    const chunks = () =>
      db.pool.query(
        `insert into chunk (batch_id, seq, state, first_row, rows, not_before, lease_until, enqueued_at)
         values ($1, 0, 'done', 1, 10, null, null, null), ($1, 1, 'queued', 11, 10, null, null, now()),
                ($1, 2, 'pending', 21, 10, now() + interval '1 minute', null, null),
                ($1, 3, 'leased', 31, 10, null, now() + interval '10 seconds', null)`,
        [BATCH],
      );
    const worker = (seenSecondsAgo: number) =>
      db.pool.query(
        `insert into process (id, role, host, pid, version, queues, seen_at)
         values (gen_random_uuid(), 'worker', 'host', 7, '1.0', '{enrich}', now() - make_interval(secs => $1))`,
        [seenSecondsAgo],
      );

    it('has depth, rate, workers and retries of each queue', async () => {
      await batch();
      await chunks();
      await worker(3);
      await worker(600);
      await db.pool.query(
        `insert into queue_minute (queue, minute, done, failed)
         select 'enrich', date_trunc('minute', now()) - m * interval '1 minute', 60, 1 from generate_series(1, 30) m`,
      );
      const { queues, processes, violations, batches } = await reader().status();
      expect(queues[0]).toMatchObject({
        ...{
          queue: 'enrich',
          waiting: 1,
          inWork: 1,
          waitingForRetry: 1,
          waitingRows: 20,
          workers: 1,
          failedLastHour: 30,
        },
        ...{ jobs: { waiting: 2, active: 0 }, pausedAt: null, stallReason: null },
      });
      expect(queues[0].perMinute[60]).toBe(30);
      const { lastHour } = queues[0];
      expect(lastHour.length).toBeGreaterThan(20);
      expect(lastHour.every(({ ago, done }) => ago >= 0 && ago < 60 && done === 60)).toBe(true);
      expect(queues[0].perMinute[15]).toBeGreaterThan(50);
      expect(queues[0].perMinute[15]).toBeLessThanOrEqual(60);
      expect(processes.map(({ isAlive }) => isAlive).sort()).toEqual([false, true]);
      expect(violations).toBe(0);
      expect(batches).toMatchObject({ open: 1, rowsOpen: 40, imports: { open: 0, rows: 0 } });
      expect(batches.oldest).toMatchObject([{ id: BATCH, keyName: 'newsroom', enrichedRows: 10, locatedRows: null }]);
    });

    it('says that all jobs fail, until one is done', async () => {
      await batch();
      await chunks();
      await worker(3);
      const reasonAfter = async (done: number, failed: number) => {
        await db.pool.query(
          `insert into queue_minute (queue, minute, done, failed) values ('enrich', date_trunc('minute', now()), $1, $2)
           on conflict (queue, minute) do update set done = excluded.done, failed = excluded.failed`,
          [done, failed],
        );
        return (await reader().status()).queues[0].stallReason;
      };
      expect(await reasonAfter(0, 10)).toMatch(/^10 attempts failed/);
      expect(await reasonAfter(1, 10)).toBeNull();
    });

    it('has maximum depth and oldest age of each minute that the leader sampled, for a day', async () => {
      await batch();
      await chunks();
      await db.pool.query(
        `insert into queue_minute (queue, minute, done) values ('enrich', now() - interval '26 hours', 1)`,
      );
      await sampleQueues(db.pool);
      await db.pool.query(`delete from chunk where seq = 2`);
      await sampleQueues(db.pool);
      const [enrich, geocode] = (await reader().status()).queues;
      const [minute] = enrich.lastHour; // the samples are of two minutes if one begins meanwhile
      expect(minute).toMatchObject({ done: 0, failed: 0, waiting: 20 });
      expect(minute.oldestSeconds).toBeGreaterThanOrEqual(600);
      expect(geocode.lastHour.at(-1)).toMatchObject({ waiting: 0, oldestSeconds: null });
      const old = `select from queue_minute where minute < now() - interval '25 hours'`;
      expect((await db.pool.query(old)).rowCount).toBe(0);
    });

    it('has failed batches of the last day, and open batches with failed rows before older ones', async () => {
      await batch('failed');
      await db.pool.query(`update batch set finished_at = now() - interval '1 hour', error_code = 'chunk_failed'`);
      await db.pool.query(
        `insert into batch (id, api_key_id, type, input_format, state, rows_total, failed_rows, created_at)
         select gen_random_uuid(), $1, 'ethnicity', 'csv', 'running', 10, failed, now() - failed * interval '1 hour' - interval '1 day'
         from unnest('{0, 3}'::int[]) as failed`,
        [KEY],
      );
      const { oldest, failedLastDay } = (await reader().status()).batches;
      expect(failedLastDay).toMatchObject([{ id: BATCH, state: 'failed', errorCode: 'chunk_failed' }]);
      expect(oldest.map(({ failedRows }) => failedRows)).toEqual([3, 0]);
      await db.pool.query(`update batch set finished_at = now() - interval '2 days'`);
      expect((await reader().status()).batches.failedLastDay).toEqual([]);
    });

    it('has the failed messages, in total and of the last day', async () => {
      await batch('completed');
      await db.pool.query(
        `insert into webhook_delivery (id, batch_id, event, host, state, next_at)
         values (gen_random_uuid(), $1, 'batch.completed', 'h', 'failed', now() - interval '2 days'),
                (gen_random_uuid(), $1, 'batch.located', 'h', 'failed', now() - interval '2 hours')`,
        [BATCH],
      );
      expect((await reader().status()).webhooks).toMatchObject({ failed: 2, failedLastDay: 1, pending: 0 });
    });

    it('has the stall reason of a queue', async () => {
      await batch();
      await chunks();
      await lead();
      expect((await reader().status()).queues[0].stallReason).toContain(
        'start one whose WORKER_QUEUES includes enrich',
      );
      await worker(3);
      await requests.submit('pause', { queue: 'enrich' }, 'night shift');
      expect((await reader().status()).queues[0].stallReason).toMatch(
        /^Paused by key “night shift” since \S+ UTC: [^.]*\.$/,
      );
    });

    it('names no missing process while heartbeats are late, and since when', async () => {
      await batch();
      await chunks();
      await db.pool.query(`update chunk set state = 'pending', lease_until = null, enqueued_at = null`);
      await worker(40);
      const late = await reader().status(); // a command writes no signs of its own, and finds all of them old
      expect(late.lateSince?.getTime()).toBe(late.processes[0].seenAt.getTime());
      expect(late.queues[0]).toMatchObject({ workers: 0, stallReason: null });
      const onTime = await reader({}, { lateSince: () => null }).status();
      expect(onTime.lateSince).toBeNull();
      expect(onTime.queues[0].stallReason).toContain('start one whose WORKER_QUEUES includes enrich');
      const since = new Date();
      expect((await reader({}, { lateSince: () => since }).status()).lateSince).toBe(since);
    });

    it('has the leader until its lease expires', async () => {
      const { epoch } = await lead();
      expect((await reader().status()).leader).toEqual({ holder: 'host.1.x', epoch });
      await db.pool.query(`update lease set expires_at = now() - interval '1 second'`);
      expect((await reader().status()).leader).toBeNull();
    });

    it('has the last and next refresh of each source', async () => {
      const by = async (kind: string, environment: Record<string, string> = {}) => {
        const { at, sources } = await reader(environment).status();
        return { at, ...sources.find((source) => source.kind === kind) };
      };
      expect(await by('fec')).toMatchObject({ lastRunAt: null, lastOutcome: null, nextRunAt: null }); // no cycles
      const due = await by('fec', { FEC_CYCLES: '2024' });
      expect(due.nextRunAt!.getTime()).toBeLessThanOrEqual(due.at.getTime());
      await db.pool.query(
        `insert into job_run (kind, scheduled_for, epoch, state, finished_at, detail)
         values ('import-fec', date_trunc('hour', now()), 1, 'failed', now(), '{"message": "no such host"}')`,
      );
      const ran = await by('fec', { FEC_CYCLES: '2024' });
      expect(ran).toMatchObject({
        lastOutcome: 'no such host',
        lastSuccessAt: null,
        failingSince: expect.any(Date) as Date,
      });
      expect((await by('fec')).failingSince).toBeNull(); // it has no schedule here
      await db.pool.query(
        `insert into job_run (kind, scheduled_for, epoch, state, finished_at) values
           ('import-fec', now() + interval '1 hour', 1, 'done', now())`,
      );
      expect((await by('fec', { FEC_CYCLES: '2024' })).failingSince).toBeNull();
      expect(ran.nextRunAt!.getTime()).toBeGreaterThan(ran.at.getTime());
      await db.pool.query(
        `insert into job_run (kind, scheduled_for, epoch, state, finished_at, detail) values
           ('import-fec', now() + interval '2 hours', 1, 'done', now(),
            '{"cycles": [2024], "missing": "indiv24.zip (contributions of 2024)", "loaded": "cn24.zip, cm24.zip, ccl24.zip"}')`,
      );
      expect((await by('fec')).lastOutcome).toBe(
        'missing: indiv24.zip (contributions of 2024); loaded: cn24.zip, cm24.zip, ccl24.zip',
      );
      expect(await by('reference-data', { REFERENCE_REFRESH: 'off' })).toMatchObject({ nextRunAt: null });
    });

    it('has no leader, data, processes or stall reasons on a new service', async () => {
      const status = await reader().status();
      expect(status).toMatchObject({ leader: null, release: null, charts: null, violations: 0, processes: [] });
      expect(status.queues.map(({ stallReason }) => stallReason)).toEqual([null, null]);
    });
  });
});
