import { type QueueFacts, standstill } from './standstill';
import { databaseAway, signsLate } from './trouble';

const NOW = new Date('2026-11-04T12:00:00Z');
const before = (seconds: number): Date => new Date(NOW.getTime() - 1000 * seconds);
/** Ten chunks wait since a minute, two workers are at it. */
const facts = (more: Partial<QueueFacts> = {}): QueueFacts => ({
  ...{ queue: 'enrich', now: NOW, isLed: true, isLate: false, geocoder: null },
  ...{ server: 'Redis', serverAt: '127.0.0.1:6379 (REDIS_URL)' },
  ...{ pausedAt: null, pausedBy: null, isPauseTold: true, workers: 2, jobs: { waiting: 8, active: 2 } },
  ...{ waiting: 10, waitingRows: 9_500, inWork: 2, parked: 0, parkedUntil: null },
  ...{ oldestWaitingAt: before(60), endedLately: 40 },
  ...more,
});
const nobodyAtWork = { inWork: 0, endedLately: 0, jobs: { waiting: 10, active: 0 } };

describe('why a queue stands still', () => {
  it('is nothing where it moves, has nothing to do, or was just given something', () => {
    expect(standstill(facts())).toBeNull();
    expect(standstill(facts({ waiting: 0, waitingRows: 0, inWork: 0, workers: 0, isLed: false }))).toBeNull();
    expect(standstill(facts({ ...nobodyAtWork, oldestWaitingAt: before(5) }))).toBeNull();
  });

  it('is that no worker is alive, and which one to start', () => {
    expect(standstill(facts({ ...nobodyAtWork, workers: 0 }))).toBe(
      'No worker is alive that takes jobs from it: start one whose WORKER_QUEUES has enrich.',
    );
    expect(standstill(facts({ workers: 0 }))).toContain('2 chunks in work will be free again within 30 seconds');
  });

  it('is that somebody paused it, by name and moment', () => {
    expect(standstill(facts({ ...nobodyAtWork, pausedAt: before(600), pausedBy: 'night shift' }))).toBe(
      'Paused by night shift since 11:50:00 UTC: nothing is taken until it is resumed.',
    );
    expect(standstill(facts({ pausedAt: before(86_400), pausedBy: 'x' }))).toContain('since 2026-11-03 12:00:00 UTC');
    const untold = { pausedAt: NOW, pausedBy: 'x', isPauseTold: false };
    expect(standstill(facts(untold))).toContain('not in force yet, workers take jobs until a leader has told them.');
  });

  it("is that the queue's server does not answer, and that nothing is lost", () => {
    expect(standstill(facts({ jobs: null }))).toBe(
      'Redis, which holds its jobs, does not answer at 127.0.0.1:6379 (REDIS_URL): start it, or mend the way to it. ' +
        'Nothing is lost, jobs are added again once it answers.',
    );
    expect(standstill(facts({ jobs: null, server: 'The database' }))).toMatch(/^The database, which holds its jobs/);
  });

  it('is that nobody leads, unless jobs are there that were added before', () => {
    expect(standstill(facts({ isLed: false }))).toBeNull();
    expect(standstill(facts({ isLed: false, inWork: 0, jobs: { waiting: 0, active: 0 } }))).toMatch(
      /^No aggregator leads, so nobody adds jobs/,
    );
  });

  it.each(['refused', 'open', 'probing', 'paused', 'errors'] as const)(
    'is what holds the geocoder back in its own words: %s',
    (activity) => {
      const geocoder = { activity, reason: 'the geocoder fails (last error: timeout)' };
      expect(standstill(facts({ queue: 'geocode', geocoder }))).toBe('The geocoder fails (last error: timeout).');
    },
  );

  it('is nothing of the geocoder where its calls go out, or only the rate holds them', () => {
    const geocoder = { activity: 'sending', reason: '10 addresses in line' } as const;
    expect(standstill(facts({ queue: 'geocode', geocoder }))).toBeNull();
  });

  it('is that all that is left waits for its next try, and until when', () => {
    const parked = { waiting: 0, waitingRows: 3_000, inWork: 0, parked: 3, parkedUntil: before(-300) };
    expect(standstill(facts({ ...parked, jobs: { waiting: 0, active: 0 } }))).toBe(
      'All that is left, 3 chunks, failed and waits for its next try, the first until 12:05:00 UTC, or until it is driven again.',
    );
  });

  it('is all that stands in its way at once', () => {
    const words = standstill(
      facts({ ...nobodyAtWork, workers: 0, jobs: null, isLed: false, pausedAt: NOW, pausedBy: 'x' }),
    );
    for (const part of ['Paused by x', 'No worker is alive', 'Redis, which holds', 'No aggregator leads'])
      expect(words).toContain(part);
  });

  it('is not made up where nothing explains it', () => {
    expect(standstill(facts(nobodyAtWork))).toMatch(/^Nothing was taken for two minutes, although 2 workers are alive/);
  });

  it('is nobody who is missing while signs of life are late: they may well be at work', () => {
    const missing = { ...nobodyAtWork, workers: 0, isLed: false };
    expect(standstill(facts({ ...missing, isLate: true }))).toBeNull();
    expect(standstill(facts({ ...missing, isLate: true, jobs: null }))).toMatch(
      /^Redis, which holds its jobs.*answers\.$/,
    );
    expect(signsLate(before(60), NOW)).toMatch(/^Signs of life are late: since 11:59:00 UTC none .* within 20 seconds/);
  });

  it('is the database for every queue where that is away', () => {
    expect(databaseAway({ since: before(60), at: 'db:5432 (DATABASE_URL)' }, NOW)).toMatch(
      /^The database does not answer at db:5432 \(DATABASE_URL\) since 11:59:00 UTC: start it, or mend the way to it\./,
    );
  });
});
