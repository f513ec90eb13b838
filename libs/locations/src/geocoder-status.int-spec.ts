import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { type GeocoderStatus, countOutcomes, readGeocoderStatus, waitingSettings } from './geocoder-status.repository';

describe('the status of the geocoder', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());
  beforeEach(() =>
    db.pool.query(
      'truncate location, geocode_address, geocode_call, geocoder; insert into geocoder (tokens) values (100)',
    ),
  );

  const status = (): Promise<GeocoderStatus> => readGeocoderStatus(db.pool, { callsPerMinute: 600 });
  const set = (columns: string, ...values: unknown[]) => db.pool.query(`update geocoder set ${columns}`, values);
  const waits = (number: number, more = 'null, false, null, null', askedAt = '2026-03-04T12:00:00Z') =>
    db.pool.query(
      `insert into geocode_address (address_key, ask_order, street, city, state, zip, benchmark, vintage, asked_at,
                                    call_id, is_tie, error_code, retry_at)
       values ($1, 1, '12 Elm St', 'Springfield', 'IL', '62701', 'b', 'v', $2, ${more})`,
      [Buffer.alloc(16, number), askedAt],
    );

  it('is all zeros and no reason on a new database', async () => {
    expect(await status()).toEqual({
      ...{ activity: 'nothing', circuit: 'closed', closedUntil: null, reason: null, oldestPendingAt: null },
      ...{ running: 0, refusedReason: null },
      ...{ lastAnswerAt: null, lastFailureAt: null, lastError: null },
      ...{ calls: 0, callsFailed: 0, rowsSent: 0, rowsAnswered: 0, tieCalls: 0, hits: 0, misses: 0 },
      ...{ callsPerMinute: 600, waiting: 0, inCalls: 0, ties: 0, errors: 0 },
    });
  });

  it('counts the addresses that wait, and shows the counters', async () => {
    const call = `insert into geocode_call (kind, benchmark, vintage, rows) values ('batch', 'b', 'v', 1) returning id`;
    const { id } = (await db.pool.query<{ id: string }>(call)).rows[0];
    await waits(1);
    await waits(2, `${id}, true, null, null`, '2026-03-04T11:00:00Z');
    await waits(3, `null, false, 'timeout', '2026-03-04T18:00:00Z'`);
    await set(
      'calls = 1, calls_failed = 2, rows_sent = 3, rows_answered = 4, tie_calls = 5, hits = 6, misses = 9007199254740',
    );
    expect(await status()).toMatchObject({
      ...{ waiting: 3, inCalls: 1, ties: 1, errors: 1, oldestPendingAt: new Date('2026-03-04T11:00:00Z') },
      ...{ calls: 1, callsFailed: 2, rowsSent: 3, rowsAnswered: 4, tieCalls: 5, hits: 6, misses: 9007199254740 },
    });
  });

  const out = (kind: string, leaseSeconds: number, enqueuedAt: string | null = null) =>
    db.pool.query(
      `insert into geocode_call (kind, benchmark, vintage, rows, state, lease_until, enqueued_at)
       values ($1, 'b', 'v', 1, 'leased', now() + make_interval(secs => $2), $3)`,
      [kind, leaseSeconds, enqueuedAt],
    );

  it('counts running calls: leased, not expired, and not being stored', async () => {
    await waits(1);
    await out('batch', 30);
    await out('tie', 29);
    await out('batch', 30, '2026-03-04T12:00:00Z');
    await out('batch', -1);
    expect(await status()).toMatchObject({
      ...{ activity: 'sending', running: 2 },
      reason: '1 address pending, 2 calls in progress',
    });
  });

  it('distinguishes calls whose worker sends no heartbeat', async () => {
    await waits(1);
    await out('batch', 9);
    expect((await status()).reason).toMatch(/the worker of the call in progress sends no heartbeat.* from .* UTC$/);
    await out('batch', 29);
    expect((await status()).reason).toBe('1 address pending, 2 calls in progress');
  });

  it('names the rate if a call waits for it', async () => {
    const call = `insert into geocode_call (kind, benchmark, vintage, rows) values ('batch', 'b', 'v', 1) returning id`;
    await waits(1, `${(await db.pool.query<{ id: string }>(call)).rows[0].id}, false, null, null`);
    await set(`tokens = -1000, refilled_at = now(), calls_per_minute = 478.6912`);
    expect((await status()).reason).toContain('limited to 478.7 calls a minute');
    await set(`refilled_at = now() - interval '1 hour'`);
    expect((await status()).reason).not.toContain('a minute');
  });

  it('is unattended after two minutes in which a call could have been made', async () => {
    const activity = async () => (await status()).activity;
    await waits(1, `null, false, 'timeout', now() + interval '1 hour'`);
    expect(await activity()).toBe('errors');
    const now = new Date().toISOString();
    await waits(2, undefined, now);
    expect(await activity()).toBe('sending');
    await waits(3);
    expect(await activity()).toBe('unattended');
    for (const heard of ['last_answer_at', 'last_failure_at', 'closed_until', 'probed_at']) {
      await set(`${heard} = now() - interval '1 minute'`);
      expect(await activity()).toBe('sending');
      await set(`${heard} = null`);
    }
    await set(`refused_reason = 'no'`);
    expect(await status()).toMatchObject({ activity: 'refused', refusedReason: 'no' });
  });

  it('names refused settings only as the reason of addresses with these settings', async () => {
    await waits(1);
    await waits(2);
    await db.pool.query(`update geocode_address set vintage = 'older' where address_key = $1`, [Buffer.alloc(16, 1)]);
    await set(
      `refused_reason = 'no such vintage', refused_benchmark = 'b', refused_vintage = 'older', last_answer_at = now()`,
    );
    expect(await status()).toMatchObject({
      activity: 'sending',
      reason: '1 address pending; 1 more is not sent: no such vintage',
    });
    await db.pool.query(`update geocode_address set vintage = 'older'`);
    expect(await status()).toMatchObject({
      activity: 'refused',
      reason: expect.stringContaining('no call is made') as string,
    });
  });

  it('lists the settings of waiting addresses', async () => {
    expect(await waitingSettings(db.pool)).toEqual([]);
    for (const number of [1, 2, 3]) await waits(number);
    await db.pool.query(`update geocode_address set vintage = 'older' where address_key = $1`, [Buffer.alloc(16, 1)]);
    expect(await waitingSettings(db.pool)).toEqual([
      { benchmark: 'b', vintage: 'v', waiting: 2 },
      { benchmark: 'b', vintage: 'older', waiting: 1 },
    ]);
  });

  it('reports that it has never answered, with the error', async () => {
    await waits(1);
    await set(`last_error = 'unreachable', last_failure_at = now()`);
    expect((await status()).reason).toContain('has never answered (last error: unreachable)');
  });

  it('reports until when no call is sent: the later of next probe and Retry-After', async () => {
    await waits(1);
    const openedAt = Date.now();
    const circuit = JSON.stringify({ version: 1, openedAt, failedCalls: [] });
    await set(`last_answer_at = now(), last_error = 'timeout', circuit = $1`, circuit);
    expect(await status()).toMatchObject({ circuit: 'open', closedUntil: new Date(openedAt + 30_000) });
    const told = new Date(Date.now() + 300_000);
    await set('closed_until = $1', told);
    expect(await status()).toMatchObject({ circuit: 'open', closedUntil: told });
    await set('closed_until = $1', new Date(openedAt - 1000));
    expect((await status()).closedUntil).toEqual(new Date(openedAt + 30_000));
    await set('probed_at = $1', new Date(openedAt + 1));
    expect((await status()).circuit).toBe('probing');
  });

  it('reports the current rate, at most the configured one', async () => {
    await set('calls_per_minute = 150');
    expect((await status()).callsPerMinute).toBe(150);
    await set('calls_per_minute = 1200');
    expect((await status()).callsPerMinute).toBe(600);
  });

  it('contains no part of an address', async () => {
    await waits(1);
    expect(JSON.stringify(await status())).not.toMatch(/elm|springfield|62701/i);
  });

  it('counts locations by outcome', async () => {
    await db.pool.query(
      `insert into location (address_key, outcome) select decode(md5(i::text), 'hex'), i % 2 from generate_series(1, 5) i`,
    );
    expect(await countOutcomes(db.pool)).toEqual({ MATCH: 2, NO_MATCH: 3, TIE: 0 });
  });
});
