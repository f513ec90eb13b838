import { type QueueFacts, stallReason } from './stall-reason';
import { databaseDownMessage, heartbeatsLateMessage } from './service-health';

const NOW = new Date('2026-11-04T12:00:00Z');
const before = (seconds: number): Date => new Date(NOW.getTime() - 1000 * seconds);
/** Ten chunks wait since a minute, two workers process them. */
const facts = (more: Partial<QueueFacts> = {}): QueueFacts => ({
  ...{ queue: 'enrich', now: NOW, hasLeader: true, areHeartbeatsLate: false, geocoder: null },
  ...{ server: 'Redis', serverAt: '127.0.0.1:6379 (REDIS_URL)' },
  ...{
    pausedAt: null,
    pausedBy: null,
    resumedAt: null,
    isPauseApplied: true,
    workers: 2,
    jobs: { waiting: 8, active: 2 },
  },
  ...{ waiting: 10, waitingRows: 9_500, inWork: 2, waitingForRetry: 0, nextRetryAt: null },
  ...{ oldestWaitingAt: before(60), doneRecently: 40, failedRecently: 3 },
  ...more,
});
const idle = { inWork: 0, doneRecently: 0, failedRecently: 0, jobs: { waiting: 10, active: 0 } };

describe('the stall reason of a queue', () => {
  it('is null if the queue makes progress, is empty, or has only new work', () => {
    expect(stallReason(facts())).toBeNull();
    expect(stallReason(facts({ waiting: 0, waitingRows: 0, inWork: 0, workers: 0, hasLeader: false }))).toBeNull();
    expect(stallReason(facts({ ...idle, oldestWaitingAt: before(5) }))).toBeNull();
  });

  it('names a missing worker, and which one to start', () => {
    expect(stallReason(facts({ ...idle, workers: 0 }))).toBe(
      'No worker is running for it: start one whose WORKER_QUEUES includes enrich.',
    );
    expect(stallReason(facts({ workers: 0 }))).toContain('2 chunks in progress will be retried within 30 seconds');
  });

  it('sends the operator to the aggregator if a leader adds no jobs, and to a worker if none takes them', () => {
    expect(stallReason(facts({ ...idle, jobs: { waiting: 0, active: 0 }, oldestWaitingAt: before(150) }))).toBe(
      'A leader is running but no job was added for 2 minutes: check the log of the aggregator.',
    );
    expect(stallReason(facts({ ...idle, oldestWaitingAt: before(150) }))).toContain('check the log of a worker');
  });

  it('sends the operator to a worker if all jobs fail, but not for a few, new or resumed work', () => {
    const failing = { doneRecently: 0, failedRecently: 10 };
    const text = '10 attempts failed in the last minutes and none succeeded. The log of a worker has the error.';
    expect(stallReason(facts(failing))).toBe(text);
    expect(stallReason(facts({ ...failing, failedRecently: 9, inWork: 0 }))).toBeNull();
    expect(stallReason(facts({ doneRecently: 1, failedRecently: 500 }))).toBeNull();
    expect(stallReason(facts({ ...failing, oldestWaitingAt: before(5) }))).toBeNull();
    expect(stallReason(facts({ ...failing, resumedAt: before(5) }))).toBeNull();
    expect(stallReason(facts({ ...failing, areHeartbeatsLate: true }))).toBeNull();
    expect(stallReason(facts({ ...failing, workers: 0 }))).toMatch(/^No worker is running/);
    const retries = { waiting: 0, waitingRows: 0, inWork: 0, waitingForRetry: 3 };
    expect(stallReason(facts({ ...failing, ...retries }))).toBe(
      'All remaining work failed and waits for a retry: 3 chunks. The log of a worker has the error. An operator can retry it now.',
    );
  });

  it('gives a queue that was just resumed as much time as new work', () => {
    const resumed = (seconds: number) => facts({ ...idle, oldestWaitingAt: before(300), resumedAt: before(seconds) });
    expect(stallReason(resumed(5))).toBeNull();
    expect(stallReason(resumed(40))).toContain('No job was taken');
  });

  it('names work that waits since before the clock was set back', () => {
    expect(stallReason(facts({ ...idle, oldestWaitingAt: before(-3_600) }))).toContain('No job was taken');
    expect(stallReason(facts({ ...idle, oldestWaitingAt: before(-1) }))).toBeNull();
  });

  it('names who paused the queue, and when', () => {
    expect(stallReason(facts({ ...idle, pausedAt: before(600), pausedBy: 'night shift' }))).toBe(
      'Paused by key “night shift” since 11:50:00 UTC: no job is taken until the queue is resumed.',
    );
    expect(stallReason(facts({ pausedAt: NOW, pausedBy: 'operator' }))).toMatch(/^Paused by an operator since /);
    expect(stallReason(facts({ pausedAt: before(86_400), pausedBy: 'x' }))).toContain('since 2026-11-03 12:00:00 UTC');
    const untold = { pausedAt: NOW, pausedBy: 'x', isPauseApplied: false };
    expect(stallReason(facts(untold))).toContain('not in effect yet, workers take jobs until a leader applies it.');
  });

  it('names a queue server that does not answer, and that nothing is lost', () => {
    expect(stallReason(facts({ jobs: null }))).toBe(
      'Redis, which holds its jobs, does not answer at 127.0.0.1:6379 (REDIS_URL): start it, or check the connection. ' +
        'No job is lost, jobs are added again once it answers.',
    );
    expect(stallReason(facts({ jobs: null, server: 'The database' }))).toMatch(/^The database, which holds its jobs/);
  });

  it('names a missing leader, unless earlier jobs are left', () => {
    expect(stallReason(facts({ hasLeader: false }))).toBeNull();
    expect(stallReason(facts({ hasLeader: false, inWork: 0, jobs: { waiting: 0, active: 0 } }))).toMatch(
      /^No aggregator is the leader, so no jobs are added/,
    );
  });

  it.each(['refused', 'open', 'probing', 'paused', 'errors'] as const)(
    'repeats why the geocoder is blocked: %s',
    (activity) => {
      const geocoder = { activity, reason: 'the geocoder fails (last error: timeout)' };
      expect(stallReason(facts({ queue: 'geocode', geocoder }))).toBe('The geocoder fails (last error: timeout).');
    },
  );

  it('is null if geocoder calls go out, or only the rate limits them', () => {
    const geocoder = { activity: 'sending', reason: '10 addresses pending' } as const;
    expect(stallReason(facts({ queue: 'geocode', geocoder }))).toBeNull();
  });

  it('says that all remaining work waits for a retry, and until when', () => {
    const waitingForRetry = {
      waiting: 0,
      waitingRows: 3_000,
      inWork: 0,
      waitingForRetry: 3,
      nextRetryAt: before(-300),
    };
    expect(stallReason(facts({ ...waitingForRetry, jobs: { waiting: 0, active: 0 } }))).toBe(
      'All remaining work failed and waits for a retry: 3 chunks, the first at 12:05:00 UTC. An operator can retry it now.',
    );
  });

  it('names all obstacles at once', () => {
    const words = stallReason(
      facts({ ...idle, workers: 0, jobs: null, hasLeader: false, pausedAt: NOW, pausedBy: 'x' }),
    );
    for (const part of [
      'Paused by key “x”',
      'No worker is running',
      'Redis, which holds',
      'No aggregator is the leader',
    ])
      expect(words).toContain(part);
  });

  it('points to the log of a worker if nothing explains it', () => {
    expect(stallReason(facts(idle))).toMatch(/^No job was taken for 2 minutes, although 2 workers are running/);
  });

  it('names no missing process while heartbeats are late', () => {
    const missing = { ...idle, workers: 0, hasLeader: false };
    expect(stallReason(facts({ ...missing, areHeartbeatsLate: true }))).toBeNull();
    expect(stallReason(facts({ ...missing, areHeartbeatsLate: true, jobs: null }))).toMatch(
      /^Redis, which holds its jobs.*answers\.$/,
    );
    expect(heartbeatsLateMessage(before(60), NOW)).toMatch(
      /^Heartbeats are late: no process could write one since 11:59:00 UTC.* within 20 seconds/,
    );
  });

  it('is the database for every queue if the database does not answer', () => {
    expect(databaseDownMessage({ since: before(60), at: 'db:5432 (DATABASE_URL)' }, NOW)).toMatch(
      /^The database does not answer at db:5432 \(DATABASE_URL\) since 11:59:00 UTC: start it, or check the connection\./,
    );
  });
});
