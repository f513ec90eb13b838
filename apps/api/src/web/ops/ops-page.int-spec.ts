import { readFileSync } from 'node:fs';
import { readConfig } from '@donorlens/config';
import { type GeocoderStatus } from '@donorlens/locations';
import { createLogger } from '@donorlens/observability';
import {
  alertsFor,
  type BatchStatus,
  OperationsReader,
  type OperationsStatus,
  OperationsWatch,
  OperatorRequests,
  overallStatus,
  type QueueStatus,
  type SourceStatus,
} from '@donorlens/operations';
import { testDatabase } from '../../../../../test/support/servers';
import { renderOpsPage } from './ops-page';
import { OpsSnapshots } from '../../ops/ops-snapshot';
import { opsJson } from '../../ops/ops-json';

const logger = createLogger('test', 'silent');
const away = { counts: () => Promise.resolve(null) };
const closed = { user: null, requestId: null };

describe('the operations console while the database is unavailable', () => {
  it('shows the last known state and the start of the outage', async () => {
    const db = await testDatabase();
    const config = readConfig({ DATABASE_URL: 'postgres://u:s3cret@db.example.org/d' });
    const reader = new OperationsReader(db.pool, config, { enrich: away, geocode: away });
    const watch = new OpsSnapshots(new OperationsWatch(reader, logger), new OperatorRequests(db.pool));
    const before = await watch.current();
    expect(before.issue).toBeNull();
    await db.close();
    watch.invalidate();
    const since = await watch.current();
    expect(since).toMatchObject({ status: before.status, issue: { kind: 'away', since: expect.any(Date) } });
    expect((await watch.current()).issue).toEqual(since.issue);
    const page = renderOpsPage({ snapshot: since, now: new Date(), ...closed });
    expect(page).toContain('As last known at');
    expect(page).not.toContain('s3cret');
    expect(page.match(/The database does not answer at db.example.org:5432 \(DATABASE_URL\) since/g)).toHaveLength(1);
    const words = expect.stringContaining('The database does not answer at') as string;
    expect(opsJson(since, new Date())).toMatchObject({ queues: [{ standstill: words }, { standstill: words }] });
  });

  it('shows the last known state if the database is slow, and does not report stopped queues', async () => {
    const db = await testDatabase();
    const status = await new OperationsReader(db.pool, readConfig({}), { enrich: away, geocode: away }).status();
    await db.close();
    const now = new Date('2026-11-04T12:00:00Z');
    const seen = { status, entries: [], issue: { kind: 'slow', since: now, at: 'DATABASE_URL' } } as const;
    const page = renderOpsPage({ snapshot: seen, now, ...closed });
    expect(page.match(/The database answers, but the state of the service could not be read/g)).toHaveLength(1);
    expect(page).not.toContain('The database does not answer');
    expect(opsJson(seen, now)).toMatchObject({
      ...{ database_away_since: null, database_slow_since: now },
      queues: [{ standstill: null }, { standstill: null }],
    });
  });

  it('reports the outage also if no state is known yet', () => {
    const now = new Date('2026-11-04T12:00:00Z');
    const page = renderOpsPage({
      snapshot: { status: null, entries: [], issue: { kind: 'away', since: now, at: 'DATABASE_URL' } },
      now,
      ...closed,
    });
    expect(page).toContain('The database does not answer at DATABASE_URL since 12:00:00 UTC');
    expect(page).toContain('The state of the service is unknown');
  });
});

describe('the operations console', () => {
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
  const alerts = (more: Partial<OperationsStatus> = {}): string[] =>
    alertsFor({ ...status, ...more }, null, now).map(({ message }) => message);
  const enrich = (more: Partial<QueueStatus>): Pick<OperationsStatus, 'queues'> => ({
    queues: [{ ...status.queues[0], ...more }, status.queues[1]],
  });
  const source = (more: Partial<SourceStatus>): Pick<OperationsStatus, 'sources'> => ({
    sources: [{ ...status.sources[0], failingSince: now, nextRunAt: new Date('2026-12-01T06:00:00Z'), ...more }],
  });

  it('links alerts to sections of the runbook', () => {
    const runbook = readFileSync('docs/runbook.md', 'utf8');
    const sections = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title]) => title.toLowerCase().replaceAll(' ', '-'));
    const source = readFileSync('libs/operations/src/status/alerts.ts', 'utf8');
    const named = [...source.matchAll(/alerts\('\w+', '([\w-]+)'/g)].map(([, section]) => section);
    expect(named.length).toBeGreaterThan(10);
    const stalled = (
      at: 0 | 1,
      more: Partial<QueueStatus>,
      activity: GeocoderStatus['activity'] = 'sending',
      others: Partial<OperationsStatus> = {},
    ) => {
      const queue = { ...status.queues[at], stallReason: 'x.', ...more };
      const seen = { ...status, ...others, queues: [queue], geocoder: { ...status.geocoder, activity } };
      return alertsFor(seen, null, now).find(({ section }) => section === 'queues')?.runbook;
    };
    const noJobs = { ...status.queues[0].jobs!, waiting: 0, active: 0 };
    const ofQueues = [
      ...[stalled(0, { pausedAt: now, workers: 0 }), stalled(0, { workers: 0 }), stalled(0, { jobs: null })],
      ...[stalled(0, {}, 'open'), stalled(1, {}), stalled(1, {}, 'open'), stalled(1, {}, 'probing')],
      ...[stalled(1, {}, 'refused'), stalled(1, {}, 'errors'), stalled(1, {}, 'paused')],
      ...[stalled(0, { jobs: noJobs }, 'sending', { leader: null }), stalled(0, { jobs: noJobs })],
      stalled(0, { jobs: { ...noJobs, waiting: 1 } }, 'sending', { leader: null }),
    ];
    expect(ofQueues).toEqual([
      ...['donorlensqueuepausedlong', 'donorlensnoworkers', 'donorlensqueueserverdown'],
      ...['donorlensqueuestandsstill', 'donorlensqueuestandsstill', 'donorlenscircuitopen', 'donorlenscircuitopen'],
      ...['donorlensgeocoderrefused', 'geocoding', 'geocoding'],
      ...['donorlensnoleader', 'donorlensqueuestandsstill', 'donorlensqueuestandsstill'],
    ]);
    named.push(...ofQueues.filter((section) => section !== undefined));
    expect(named.filter((section) => !sections.includes(section))).toEqual([]);
    const seen = { status: { ...status, isNewTimeline: true }, entries: [], issue: null };
    const page = renderOpsPage({ snapshot: seen, now, ...closed });
    expect(page).toContain('<p class="lede overall">1 alert. Enrichment idle, geocoding idle.</p>');
    expect(page).toContain('<a href="/guide/runbook#backup-and-restore"');
  });

  it('has no alerts for an idle service', () => {
    expect(alerts()).toEqual([]);
  });

  it('reports a source whose refresh fails, with start, reason and next attempt', () => {
    expect(alerts(source({ lastOutcome: 'getaddrinfo ENOTFOUND' }))).toEqual([
      'Reference data (names, life tables, surnames, incomes): refresh failing since ' +
        '2026-11-04 12:00:00 UTC: getaddrinfo ENOTFOUND. The next scheduled try is at 2026-12-01 06:00:00 UTC; or refresh it now.',
    ]);
    expect(alerts(source({ lastOutcome: 'running' }))[0]).toMatch(/UTC\. A retry is running\.$/);
  });

  it('reports a queue without a worker, also if no job waits', () => {
    expect(alerts(enrich({ workers: 0 }))).toEqual([
      'No worker processes chunks of the queue enrich. Start a worker whose WORKER_QUEUES includes enrich.',
    ]);
  });

  it('reports a queue server that does not answer, also if no job waits', () => {
    expect(alerts({ ...enrich({ jobs: null }), queueServer: 'r:6379 (REDIS_URL)' })).toEqual([
      'The queue server does not answer at r:6379 (REDIS_URL): start it, or check the connection. The next batch would wait for it.',
    ]);
  });

  it('reports a clock that differs from that of Postgres, and expired results that are not erased', () => {
    const worker = { id: 'x', role: 'worker', host: 'h', pid: 7, version: '1', queues: [], inWork: 0 } as const;
    const seen = { ...worker, startedAt: now, seenAt: now, isAlive: true };
    const processes = [2, -3.5, 7_200, null].map((seconds) => ({ ...seen, clockDifferenceSeconds: seconds }));
    expect(alerts({ processes, oldestExpiredAt: new Date('2026-11-04T11:55:00Z') })).toEqual([
      'The clock of Postgres is 3 s behind that of the worker h:7. Synchronize both hosts with NTP.',
      'The clock of Postgres is 2 h ahead of that of the worker h:7. Synchronize both hosts with NTP.',
    ]);
    expect(alerts({ oldestExpiredAt: new Date('2026-11-03T11:00:00Z') })).toEqual([
      'Results that expired 25 h ago are not erased: the clock of Postgres has jumped forward, or no leader ran. Correct a wrong clock within an hour.',
    ]);
  });

  it('reports a new timeline of Postgres, because revoked keys may be valid again', () => {
    expect(alerts({ isNewTimeline: true })).toEqual([
      expect.stringMatching(/new timeline.*bin\/donorlens keys confirm/),
    ]);
    expect(alerts({ isRestored: true })).toEqual([
      expect.stringMatching(/restored from a dump: no API key is valid\..*bin\/donorlens keys confirm/),
    ]);
  });

  it('reports late heartbeats instead of missing processes', () => {
    const dead = {
      id: 'x',
      role: 'worker',
      host: 'h',
      pid: 7,
      version: '1',
      queues: [],
      inWork: 0,
      isAlive: false,
      clockDifferenceSeconds: null,
    } as const;
    const missing = { leader: null, ...enrich({ workers: 0 }), processes: [{ ...dead, startedAt: now, seenAt: now }] };
    expect(alerts(missing)).toHaveLength(3);
    const late = { lateSince: new Date('2026-11-04T11:59:00Z') };
    expect(alerts({ ...missing, ...late })).toEqual([
      expect.stringMatching(/^Heartbeats are late: no process could write one since 11:59:00 UTC/),
    ]);
    expect(alerts(late)).toEqual([]); // no process is missing
  });

  const pageOf = (more: Partial<OperationsStatus>): string =>
    renderOpsPage({ snapshot: { status: { ...status, ...more }, entries: [], issue: null }, now, ...closed });
  const stateOf = (more: Partial<QueueStatus>): string | undefined =>
    /<p class="moves">(.*?)<\/p>/.exec(pageOf(enrich(more)).split('id="queues"')[1])?.[1].replace(/<[^>]+>/g, '');

  it('shows the last hour of a queue by minute: depth, rate with failures, and oldest age', () => {
    const lastHour = [
      { ago: 59, done: 3, failed: 0, waiting: 5_000, oldestSeconds: 120 },
      { ago: 1, done: 0, failed: 0, waiting: 0, oldestSeconds: null },
      { ago: 0, done: 1, failed: 1, waiting: 2_500, oldestSeconds: 30 },
    ];
    const waits = { waitingRows: 2_500, oldestWaitingAt: new Date('2026-11-04T11:59:30Z') };
    const page = pageOf(enrich({ lastHour, ...waits, perMinute: { 1: 2, 15: 0.5, 60: 0.1 } }));
    expect([...page.matchAll(/<figcaption>(.*?)<\/figcaption>/g)].map(([, text]) => text)).toEqual([
      'Waiting rows: 2,500, maximum 5,000',
      'Chunks per minute, without failed ones: 2 over 1 min, 0.5 over 15 min, 0.1 over 60 min, maximum 3',
      'Oldest waiting: 30 s, maximum 2 min',
      'Waiting addresses: 0',
      'Calls per minute, without failed ones: 0 over 1 min, 0 over 15 min, 0 over 60 min',
      'Oldest waiting: none',
    ]);
    const rates = { 1: 1, 15: 0.5, 60: 0.1 };
    const failing = pageOf(enrich({ lastHour: [{ ...lastHour[0], done: 2, failed: 9 }], perMinute: rates }));
    expect(failing).toContain('0.1 over 60 min, maximum 2<');
    const grown = pageOf(enrich({ lastHour, waitingRows: 6_000, oldestWaitingAt: new Date('2026-11-04T11:55:00Z') }));
    expect(grown).toContain('Waiting rows: 6,000, maximum 6,000');
    expect(grown).toContain('Oldest waiting: 5 min, maximum 5 min');
    const bars = (height: number, width = 3): string => `v-${height}h${width}V36z`;
    expect(page).toContain(`<path class="all" d="M0 36${bars(36)}M236 36${bars(18)}"`);
    expect(page).toContain(`<path class="failed" d="M236 36${bars(12)}"`);
  });

  it('shows whether a queue is idle, starting or running', () => {
    const pace = { 1: 0, 15: 3, 60: 3 };
    expect(stateOf({})).toBe('Idle.');
    expect(stateOf({ waiting: 5, waitingRows: 5000, perMinute: pace })).toBe('Starting: 5 chunks waiting.');
    expect(stateOf({ waiting: 5, waitingRows: 5000, inWork: 1 })).toBe('Running: 1 chunk active.');
  });

  it('begins with a summary of alerts and queue states', () => {
    expect(overallStatus(status, null, now)).toBe('All systems operational. Enrichment idle, geocoding idle.');
    const stopped = { ...status, ...enrich({ waiting: 1, stallReason: 'No worker.' }) };
    expect(overallStatus(stopped, null, now)).toBe('1 alert. Enrichment stopped, geocoding idle.');
    const paused = { ...status, ...enrich({ pausedAt: now }) };
    expect(overallStatus(paused, null, now)).toBe('1 alert. Enrichment paused, geocoding idle.');
    expect(overallStatus(status, { kind: 'away', since: now, at: 'x' }, now)).toBe(
      '1 alert. Enrichment stopped, geocoding stopped.',
    );
  });

  it('lists failed batches before open ones, with their error', () => {
    const open: BatchStatus = {
      ...{ id: 'a'.repeat(36), type: 'ethnicity', state: 'running', keyName: 'k', createdAt: now, startedAt: now },
      ...{ rows: 40, enrichedRows: 10, failedRows: 0, errorCode: null, locatedRows: null },
      ...{ rowsPerSecond: null, etaSeconds: null },
    };
    const failed: BatchStatus = {
      ...open,
      id: 'f'.repeat(36),
      state: 'failed',
      errorCode: 'release_unknown',
      failedRows: 2,
    };
    const batches = { ...status.batches, open: 1, oldest: [{ ...open, rowsPerSecond: 3, etaSeconds: 91 }] };
    expect(pageOf({ batches })).toContain('<td>3</td><td>91 seconds</td>');
    expect(pageOf({ batches, ...enrich({ pausedAt: now }) })).toContain('<td>–</td><td>unknown</td>');
    const page = pageOf({ batches: { ...status.batches, open: 1, oldest: [open], failedLastDay: [failed] } });
    expect(page.indexOf('ffffffff</code>')).toBeLessThan(page.indexOf('aaaaaaaa</code>'));
    expect(page).toContain('failed: <a href="/guide/runbook#troubleshooting">release_unknown</a>, 2 failed rows');
  });
});
