import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrateQueue } from '@donorlens/queues';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { BatchLife } from '../../../../test/support/pipeline/batch-life';
import { exitCodeOf } from '../exit-code';
import { type Context } from '../program-context';
import { Home, writeRunInfo } from '../home/home';
import { identityOf } from '../home/process-identity';
import { submitOperatorRequest, audit, queues, status } from './ops';
import { wordsOf } from './ops-text';

/** Milliseconds that a command waits without --wait. The test simulates the clock. */
const PROMPT_MS = 10_000;

describe('the operator commands', () => {
  let db: TestDatabase;
  let home: string;
  let written: string[];
  const write = (text: string): void => void written.push(text);
  const context: Context = { out: write, note: write, run: () => () => Promise.resolve() };

  beforeAll(async () => {
    db = await testDatabase();
    await migrateQueue({ queueBackend: 'postgres', databaseUrl: db.url });
    home = mkdtempSync(join(tmpdir(), 'donorlens-ops-'));
  });
  afterAll(async () => {
    await db.close();
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(async () => {
    written = [];
    await db.pool.query(`truncate ops_request, audit; update queue_state set paused_at = null, paused_by = null`);
    jest.replaceProperty(process, 'env', { DATABASE_URL: db.url, DONORLENS_HOME: home });
  });
  afterEach(() => jest.restoreAllMocks());

  /** Completes the next request as a leader does. */
  const led = async (state: 'done' | 'failed', detail: object): Promise<void> => {
    await until('something is asked', async () => {
      const { rowCount } = await db.pool.query(
        `update ops_request set state = $1, detail = $2, finished_at = now() where state = 'asked'`,
        [state, JSON.stringify(detail)],
      );
      return rowCount === 1;
    });
  };

  it('show the stall reason of a queue, as text and as JSON', async () => {
    const life = await BatchLife.on(db.pool);
    await life.accepted(25);
    await db.pool.query(`update batch set created_at = now() - interval '5 minutes'`);
    expect(await queues(context, {})).toBe(0);
    expect(written[0]).toMatch(/QUEUE +STATE +WAITING/);
    expect(written[0]).toMatch(/enrich +stopped +3 /);
    expect(written[0]).toContain('enrich: No worker is running');
    expect(await queues(context, { json: true })).toBe(0);
    expect(JSON.parse(written[1])).toMatchObject([{ queue: 'enrich', waiting: 3, workers: 0 }, { queue: 'geocode' }]);
  });

  it('show the status of the service on one screen, even if nothing runs', async () => {
    expect(await status(context, {})).toBe(0);
    expect(written[0]).toMatch(/^\d+ alerts\. Enrichment stopped, geocoding idle\.\n- No aggregator is the leader/);
    expect(written[0]).toContain('Start an aggregator. See docs/runbook.md#donorlensnoleader\n');
    expect(written[0]).toMatch(/\n- Enrichment has stopped\. .*See docs\/runbook\.md#donorlensnoworkers\n/);
    for (const part of ['processes  none is alive', 'leader     none', 'webhooks   0 pending', 'reference-data'])
      expect(written[0]).toContain(part);
  });

  it('show the next runs by the settings of the running service', async () => {
    const nextRun = async (schedule: object): Promise<string> => {
      const run = { pid: process.pid, identity: identityOf(process.pid), url: '', databaseUrl: db.url, redisUrl: null };
      writeRunInfo(new Home(home), { ...run, queue: 'postgres', startedAt: '', processes: {}, schedule });
      jest.replaceProperty(process, 'env', { DONORLENS_HOME: home, FEC_CYCLES: '2024' });
      await status(context, { json: true });
      const { sources } = JSON.parse(written.pop()!) as { sources: { kind: string; nextRunAt: string | null }[] };
      return String(sources.find(({ kind }) => kind === 'fec')?.nextRunAt);
    };
    expect(await nextRun({ dataSource: home })).toMatch(/^\d{4}-/);
    expect(await nextRun({})).toBe('null');
    rmSync(new Home(home).run);
  });

  it('report that the API keys of a restored database need keys confirm', async () => {
    await db.pool.query('update installation set server_id = server_id + 1');
    expect(await status(context, {})).toBe(0);
    expect(written[0]).toMatch(
      /^\d alerts\. .*\n- The database was restored from a dump: .*"bin\/donorlens keys confirm"\./,
    );
    await db.pool.query('update installation set server_id = server_id - 1');
  });

  it('pause a queue, wait for the leader to apply it, and record an audit entry', async () => {
    const [code] = await Promise.all([
      submitOperatorRequest(context, 'pause', { queue: 'enrich' }, {}),
      led('done', { paused: true }),
    ]);
    expect([code, written]).toEqual([0, ['completed, paused']]);
    const { rows } = await db.pool.query(`select paused_by from queue_state where paused_at is not null`);
    expect(rows).toEqual([{ paused_by: 'operator' }]);
    await queues(context, {});
    expect(written[1]).toMatch(/\nenrich: to resume it, run bin\/donorlens queues resume enrich$/);
    written = [];
    await audit(context, { limit: 10 }, true);
    expect(written[0]).toMatch(/operator +pause +queue enrich, request \d+ +done: paused$/m);
  });

  it('end with exit code 1 and the reason if the request of the leader failed', async () => {
    const asked = submitOperatorRequest(context, 'refresh', { source: 'fec' }, { wait: true }).catch(
      (error: unknown) => error,
    );
    const [error] = await Promise.all([asked, led('failed', { message: 'the site is away' })]);
    expect(exitCodeOf(error)).toBe(1);
    expect(String(error)).toContain('the site is away');
  });

  it('show results in words', () => {
    expect(wordsOf({ calls: 2, isProbed: true, pausedUntil: null })).toBe('calls 2, the next call is a test');
    expect(wordsOf({ isProbed: false, pausedUntil: '12:00' })).toBe('no test call, paused until 12:00');
  });

  it('end with exit code 4 without a leader; the request is recorded', async () => {
    const clock = jest.spyOn(performance, 'now');
    const begun = performance.now();
    let looks = 0;
    clock.mockImplementation(() => begun + PROMPT_MS * looks++);
    expect(await submitOperatorRequest(context, 'redrive', { queue: 'geocode' }, { json: true })).toBe(4);
    expect(JSON.parse(written[0])).toMatchObject({ state: 'asked', outcome: null });
  });
});
