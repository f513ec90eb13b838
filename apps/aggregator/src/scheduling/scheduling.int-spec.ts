import { LeaseRepository, StaleFenceError } from '@donorlens/database';
import { createLogger } from '@donorlens/observability';
import { LEADER_LEASE } from '@donorlens/operations';
import { ReleaseRepository, openRelease } from '@donorlens/reference-data';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { sampleBinary } from '../../../../test/support/reference-data/sample-tables';
import { JobRunRepository } from './job-run.repository';
import { JobRunner } from './job-runner';
import { Leadership, type LeadershipTerm } from './leadership';

const TICK = new Date('2026-11-04T06:00:00Z');

describe('leader election', () => {
  let db: TestDatabase;
  let leases: LeaseRepository;
  let runs: JobRunRepository;
  beforeAll(async () => {
    db = await testDatabase();
    leases = new LeaseRepository(db.pool);
    runs = new JobRunRepository(db.pool);
  });
  afterAll(() => db.close());
  beforeEach(() => db.pool.query('truncate lease, job_run'));

  const aggregator = () => {
    const leadership = new Leadership(leases, createLogger('test', 'silent'));
    const terms: LeadershipTerm[] = [];
    return { leadership, terms, start: () => leadership.start((term) => terms.push(term)) };
  };
  const runOut = () => db.pool.query(`update lease set expires_at = clock_timestamp() - interval '1 second'`);

  it('elects one leader; the standby takes over when the leader shuts down', async () => {
    const [first, second] = [aggregator(), aggregator()];
    await first.start();
    await second.start();
    expect([first.terms.length, second.terms.length]).toEqual([1, 0]);
    expect(first.terms[0].isCurrent()).toBe(true);

    await first.leadership.beforeApplicationShutdown();
    expect(first.terms[0].isCurrent()).toBe(false);
    expect(first.terms[0].signal.aborted).toBe(true);
    await until('the second leads', () => second.terms.length === 1);
    expect(Number(second.terms[0].fence.epoch)).toBe(Number(first.terms[0].fence.epoch) + 1);
    await second.leadership.beforeApplicationShutdown();
  });

  it('releases a lease that it acquires during its shutdown', async () => {
    const { leadership, terms, start } = aggregator();
    let answer = (): void => undefined;
    const isAnswered = new Promise<void>((resolve) => (answer = resolve));
    const acquire = leases.acquire.bind(leases);
    const slow = jest.spyOn(leases, 'acquire').mockImplementationOnce(async (...args) => {
      const epoch = await acquire(...args);
      await isAnswered;
      return epoch;
    });
    const starting = start();
    await until('the lease is acquired', () => leases.isHeld(LEADER_LEASE));
    const closing = leadership.beforeApplicationShutdown();
    answer();
    await closing;
    expect([await leases.isHeld(LEADER_LEASE), terms]).toEqual([false, []]);
    await starting;
    slow.mockRestore();
  });

  it('elects another leader if one is frozen, which detects the end of its term when it resumes', async () => {
    const [frozen, second] = [aggregator(), aggregator()];
    await frozen.start();
    await runOut(); // as after 15 s without a renewal
    await second.start();
    expect(second.terms).toHaveLength(1);
    await until('the frozen leader has noticed', () => frozen.terms[0].signal.aborted);
    expect(second.terms[0].isCurrent()).toBe(true);
    await frozen.leadership.beforeApplicationShutdown();
    expect(second.terms[0].isCurrent()).toBe(true);
    await second.leadership.beforeApplicationShutdown();
  });

  it('elects one of several aggregators that try at the same moment', async () => {
    const epochs = await Promise.all(Array.from({ length: 8 }, (_, i) => leases.acquire(LEADER_LEASE, `holder ${i}`)));
    expect(epochs.filter((epoch) => epoch !== null)).toHaveLength(1);
  });

  it('renews an expired lease that no other aggregator has acquired', async () => {
    const epoch = (await leases.acquire(LEADER_LEASE, 'a')) ?? '';
    await runOut();
    expect(await leases.renew(LEADER_LEASE, epoch)).toBe(true);
    expect(await leases.acquire(LEADER_LEASE, 'b')).toBeNull();
  });

  it('does not let a former leader activate a release, renew the lease, or start or end a run', async () => {
    const releases = new ReleaseRepository(db.pool);
    const binary = await sampleBinary();
    const release = openRelease(binary);
    await releases.store(release, binary);

    const old = (await leases.acquire(LEADER_LEASE, 'frozen')) ?? '';
    const run = await runs.claim('refresh', TICK, old);
    await runOut();
    const now = (await leases.acquire(LEADER_LEASE, 'next')) ?? '';

    await expect(releases.activate(release.id, { lease: LEADER_LEASE, epoch: old })).rejects.toThrow(StaleFenceError);
    expect(await releases.activeId()).toBeNull();
    expect(await leases.renew(LEADER_LEASE, old)).toBe(false);
    expect(await runs.claim('import', TICK, old)).toBeNull();
    expect(run && (await runs.finish(run, 'failed', { message: 'it was frozen' }))).toBe(false);
    const takenOver = await runs.claim('refresh', TICK, now);
    expect(takenOver?.id).toBe(run?.id);
    expect(run && (await runs.finish(run, 'done', {}))).toBe(false);

    await releases.activate(release.id, { lease: LEADER_LEASE, epoch: now });
    expect(await releases.activeId()).toBe(release.id);
    expect(takenOver && (await runs.finish(takenOver, 'done', {}))).toBe(true);
  });

  describe('a run whose result cannot be recorded', () => {
    const away = new Error('Connection terminated unexpectedly');
    const logger = createLogger('test', 'silent');
    const runOf = async (work: () => Promise<object>, signal = new AbortController().signal) => {
      const epoch = (await leases.acquire(LEADER_LEASE, 'leader')) ?? '';
      const term = { fence: { lease: LEADER_LEASE, epoch }, signal, isCurrent: () => true };
      return new JobRunner(runs, logger).runNow('import', term, work);
    };
    const stored = async () => (await db.pool.query<object>('select state, detail from job_run')).rows;
    afterEach(() => jest.restoreAllMocks());

    it('is recorded when the database is back, with the error of its work', async () => {
      const warn = jest.spyOn(logger, 'warn');
      jest.spyOn(runs, 'finish').mockRejectedValueOnce(away);
      await expect(runOf(() => Promise.reject(new Error('a damaged file')))).rejects.toThrow('a damaged file');
      expect(await stored()).toEqual([{ state: 'failed', detail: { message: 'a damaged file' } }]);
      expect(warn.mock.calls).toMatchObject([[{ err: away, state: 'failed', message: 'a damaged file' }, {}]]);
    });

    it('is recorded as done if its work was done', async () => {
      jest.spyOn(runs, 'finish').mockRejectedValueOnce(away);
      expect(await runOf(() => Promise.resolve({ filings: 3 }))).toEqual({ filings: 3 });
      expect(await stored()).toEqual([{ state: 'done', detail: { filings: 3 } }]);
    });

    it('stays open after the end of the term, and reports the error of its work', async () => {
      const stop = new AbortController();
      jest.spyOn(runs, 'finish').mockImplementationOnce(() => {
        stop.abort();
        return Promise.reject(away);
      });
      const failing = runOf(() => Promise.reject(new Error('a damaged file')), stop.signal);
      await expect(failing).rejects.toThrow('a damaged file');
      expect(await stored()).toEqual([{ state: 'running', detail: null }]);
    });
  });

  it('runs each scheduled time once', async () => {
    const first = (await leases.acquire(LEADER_LEASE, 'first')) ?? '';
    const claims = await Promise.all([1, 2, 3].map(() => runs.claim('refresh', TICK, first)));
    const [run] = claims.filter((claim) => claim !== null);
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    expect(await runs.claim('refresh', TICK, first)).toBeNull();
    expect(await runs.finish(run, 'failed', { message: 'offline' })).toBe(true);
    await runOut();
    const second = (await leases.acquire(LEADER_LEASE, 'second')) ?? '';
    expect(await runs.claim('refresh', TICK, second)).toBeNull();
    expect(await runs.claim('refresh', new Date(TICK.getTime() + 3_600_000), second)).not.toBeNull();
  });
});
