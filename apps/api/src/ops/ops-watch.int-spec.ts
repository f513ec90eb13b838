import { readConfig } from '@donorlens/config';
import { createLogger } from '@donorlens/observability';
import {
  OperationsReader,
  type OperationsStatus,
  OperationsWatch,
  OpsRequests,
  type QueueStatus,
  type SourceStatus,
} from '@donorlens/operations';
import { testDatabase } from '../../../../test/support';
import { attentionFor } from './attention';
import { renderOpsPage } from './ops-page';
import { OpsWatch } from './ops-watch';
import { opsWire } from './ops-wire';

const logger = createLogger('test', 'silent');
const away = { counts: () => Promise.resolve(null) };
const asked = { visitor: null, asked: null };

describe('what operators see while the database is away', () => {
  it('is what was last known, since when nothing is known, and that nothing is lost', async () => {
    const db = await testDatabase();
    const config = readConfig({ DATABASE_URL: 'postgres://u:s3cret@db.example.org/d' });
    const reader = new OperationsReader(db.pool, config, { enrich: away, geocode: away });
    const watch = new OpsWatch(new OperationsWatch(reader, logger), new OpsRequests(db.pool));
    const before = await watch.look();
    expect(before.trouble).toBeNull();
    await db.close();
    watch.forget();
    const since = await watch.look();
    expect(since).toMatchObject({ status: before.status, trouble: { kind: 'away', since: expect.any(Date) } });
    expect((await watch.look()).trouble).toEqual(since.trouble);
    const page = renderOpsPage({ seen: since, now: new Date(), ...asked });
    expect(page).toContain('As last known at');
    expect(page).not.toContain('s3cret');
    expect(page.match(/The database does not answer at db.example.org:5432 \(DATABASE_URL\) since/g)).toHaveLength(3); // above all, and at each queue
    const words = expect.stringContaining('The database does not answer at') as string;
    expect(opsWire(since, new Date())).toMatchObject({ queues: [{ standstill: words }, { standstill: words }] });
  });

  it('is what was last known of queues that may well move where it is only slow', async () => {
    const db = await testDatabase();
    const status = await new OperationsReader(db.pool, readConfig({}), { enrich: away, geocode: away }).status();
    await db.close();
    const now = new Date('2026-11-04T12:00:00Z');
    const seen = { status, entries: [], trouble: { kind: 'slow', since: now, at: 'DATABASE_URL' } } as const;
    const page = renderOpsPage({ seen, now, ...asked });
    expect(page.match(/The database answers, but has not told/g)).toHaveLength(1);
    expect(page).not.toContain('The database does not answer');
    expect(opsWire(seen, now)).toMatchObject({
      ...{ database_away_since: null, database_slow_since: now },
      queues: [{ standstill: null }, { standstill: null }],
    });
  });

  it('is said also where nothing has been known yet', () => {
    const now = new Date('2026-11-04T12:00:00Z');
    const page = renderOpsPage({
      seen: { status: null, entries: [], trouble: { kind: 'away', since: now, at: 'DATABASE_URL' } },
      now,
      ...asked,
    });
    expect(page).toContain('The database does not answer at DATABASE_URL since 12:00:00 UTC');
    expect(page).toContain('Nothing is known of the service');
  });
});

describe('what operators are told to look at', () => {
  const now = new Date('2026-11-04T12:00:00Z');
  let status: OperationsStatus;
  beforeAll(async () => {
    const db = await testDatabase();
    const counts = () => Promise.resolve({ waiting: 0, active: 0 });
    const read = await new OperationsReader(db.pool, readConfig({}), {
      enrich: { counts },
      geocode: { counts },
    }).status();
    status = {
      ...read,
      leader: { holder: 'h', epoch: '1' },
      queues: read.queues.map((queue) => ({ ...queue, workers: 1 })),
    };
    await db.close();
  });
  const told = (more: Partial<OperationsStatus> = {}): string[] =>
    attentionFor({ ...status, ...more }, null, now).map(({ words }) => words);
  const enrich = (more: Partial<QueueStatus>): Pick<OperationsStatus, 'queues'> => ({
    queues: [{ ...status.queues[0], ...more }, status.queues[1]],
  });
  const source = (more: Partial<SourceStatus>): Pick<OperationsStatus, 'sources'> => ({
    sources: [{ ...status.sources[0], failingSince: now, nextRunAt: new Date('2026-12-01T06:00:00Z'), ...more }],
  });

  it('is nothing of a service that is well and has nothing to do', () => {
    expect(told()).toEqual([]);
  });

  it('is a source that cannot be brought up to date: since when, why, and when it is tried again', () => {
    expect(told(source({ lastOutcome: 'getaddrinfo ENOTFOUND' }))).toEqual([
      'Reference data (names, life tables, surnames, incomes) could not be brought up to date since ' +
        '2026-11-04 12:00:00 UTC: getaddrinfo ENOTFOUND. The next try is on schedule, 2026-12-01 06:00:00 UTC; or ask for it now.',
    ]);
    expect(told(source({ lastOutcome: 'running' }))[0]).toMatch(/UTC\. It is being tried again now\.$/);
  });

  it('is a queue that no worker takes from, though nothing waits', () => {
    expect(told(enrich({ workers: 0 }))).toEqual([
      'No worker takes chunks from enrich: the next batch would stand still. Start one whose WORKER_QUEUES has enrich.',
    ]);
  });

  it("is a queues' server that does not answer, though nothing waits", () => {
    expect(told({ ...enrich({ jobs: null }), queueServer: 'r:6379 (REDIS_URL)' })).toEqual([
      'The server that holds the jobs does not answer at r:6379 (REDIS_URL): start it, or mend the way to it. The next batch would wait for it.',
    ]);
  });

  it('is that signs of life are late, in place of who is missing', () => {
    const dead = {
      id: 'x',
      role: 'worker',
      host: 'h',
      pid: 7,
      version: '1',
      queues: [],
      inWork: 0,
      isAlive: false,
    } as const;
    const missing = { leader: null, ...enrich({ workers: 0 }), processes: [{ ...dead, startedAt: now, seenAt: now }] };
    expect(told(missing)).toHaveLength(3);
    const late = { lateSince: new Date('2026-11-04T11:59:00Z') };
    expect(told({ ...missing, ...late })).toEqual([
      expect.stringMatching(/^Signs of life are late: since 11:59:00 UTC/),
    ]);
    expect(told(late)).toEqual([]); // nobody is missing
  });

  const stateOf = (more: Partial<QueueStatus>): string | undefined => {
    const seen = { status: { ...status, ...enrich(more) }, entries: [], trouble: null };
    return /<p class="moves">([^<]*)</.exec(renderOpsPage({ seen, now, ...asked }).split('id="queues"')[1])?.[1];
  };

  it('is of a queue whether it moves, or is about to', () => {
    const pace = { 1: 0, 15: 3, 60: 3 };
    expect(stateOf({})).toBe('Nothing to do.');
    expect(stateOf({ waiting: 5, waitingRows: 5000, perMinute: pace })).toBe('About to begin: 5 chunks wait.');
    expect(stateOf({ waiting: 5, waitingRows: 5000, inWork: 1 })).toBe('Moves: 1 chunk in work.');
  });
});
