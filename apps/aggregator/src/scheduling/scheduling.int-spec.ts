import { createLogger } from '@donorlens/observability';
import { ReleaseRepository, openRelease } from '@donorlens/reference-data';
import { type TestDatabase, testDatabase, until } from '../../../../test/support';
import { sampleBinary } from '../../../../test/support/sample-tables';
import { JobRunRepository } from './job-run.repository';
import { LEASE, Leadership, type Term } from './leadership';
import { LeaseRepository, StaleFenceError } from '@donorlens/database';

const TICK = new Date('2026-11-04T06:00:00Z');

describe('one leader of many', () => {
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
    const terms: Term[] = [];
    return { leadership, terms, start: () => leadership.start((term) => terms.push(term)) };
  };
  const runOut = () => db.pool.query(`update lease set expires_at = clock_timestamp() - interval '1 second'`);

  it('leads; the other stands by, and follows at once when the leader is closed', async () => {
    const [first, second] = [aggregator(), aggregator()];
    await first.start();
    await second.start();
    expect([first.terms.length, second.terms.length]).toEqual([1, 0]);
    expect(first.terms[0].isCurrent()).toBe(true);

    await first.leadership.beforeApplicationShutdown();
    expect(first.terms[0].isCurrent()).toBe(false);
    expect(first.terms[0].signal.aborted).toBe(true);
    await until('the second leads', () => second.terms.length === 1);
    expect(Number(second.terms[0].epoch)).toBe(Number(first.terms[0].epoch) + 1);
    await second.leadership.beforeApplicationShutdown();
  });

  it('is followed when it falls silent, and sees that its term is over when it comes back', async () => {
    const [frozen, second] = [aggregator(), aggregator()];
    await frozen.start();
    await runOut(); // as after 15 s of silence
    await second.start();
    expect(second.terms).toHaveLength(1);
    await until('the frozen one noticed', () => frozen.terms[0].signal.aborted);
    expect(second.terms[0].isCurrent()).toBe(true);
    await frozen.leadership.beforeApplicationShutdown();
    expect(second.terms[0].isCurrent()).toBe(true);
    await second.leadership.beforeApplicationShutdown();
  });

  it('is one, however many ask at the same moment', async () => {
    const epochs = await Promise.all(Array.from({ length: 8 }, (_, i) => leases.acquire(LEASE, `holder ${i}`)));
    expect(epochs.filter((epoch) => epoch !== null)).toHaveLength(1);
  });

  it('keeps a lease that ran out but that nobody took', async () => {
    const epoch = (await leases.acquire(LEASE, 'a')) ?? '';
    await runOut();
    expect(await leases.renew(LEASE, epoch)).toBe(true);
    expect(await leases.acquire(LEASE, 'b')).toBeNull();
  });

  it('cannot activate a release, renew, begin or end a run once another one leads', async () => {
    const releases = new ReleaseRepository(db.pool);
    const binary = await sampleBinary();
    const release = openRelease(binary);
    await releases.store(release, binary);

    const old = (await leases.acquire(LEASE, 'frozen')) ?? '';
    const run = await runs.claim('refresh', TICK, old);
    await runOut();
    const now = (await leases.acquire(LEASE, 'next')) ?? '';

    await expect(releases.activate(release.id, { lease: LEASE, epoch: old })).rejects.toThrow(StaleFenceError);
    expect(await releases.activeId()).toBeNull();
    expect(await leases.renew(LEASE, old)).toBe(false);
    expect(await runs.claim('import', TICK, old)).toBeNull();
    expect(run && (await runs.finish(run, 'failed', { message: 'it was frozen' }))).toBe(false);
    const takenOver = await runs.claim('refresh', TICK, now);
    expect(takenOver?.id).toBe(run?.id);
    expect(run && (await runs.finish(run, 'done', {}))).toBe(false);

    await releases.activate(release.id, { lease: LEASE, epoch: now });
    expect(await releases.activeId()).toBe(release.id);
    expect(takenOver && (await runs.finish(takenOver, 'done', {}))).toBe(true);
  });

  it('runs each tick once', async () => {
    const first = (await leases.acquire(LEASE, 'first')) ?? '';
    const claims = await Promise.all([1, 2, 3].map(() => runs.claim('refresh', TICK, first)));
    const [run] = claims.filter((claim) => claim !== null);
    expect(claims.filter((claim) => claim !== null)).toHaveLength(1);
    expect(await runs.claim('refresh', TICK, first)).toBeNull();
    expect(await runs.finish(run, 'failed', { message: 'offline' })).toBe(true);
    await runOut();
    const second = (await leases.acquire(LEASE, 'second')) ?? '';
    expect(await runs.claim('refresh', TICK, second)).toBeNull();
    expect(await runs.claim('refresh', new Date(TICK.getTime() + 3_600_000), second)).not.toBeNull();
  });
});
