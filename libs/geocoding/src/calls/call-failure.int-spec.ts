import { GeocoderError } from '../geocoder-error';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { faultyPool } from '../../../../test/support/pipeline/faulty-pool';
import { type CallRepository } from './call.repository';
import { type ClaimedCall } from './call';
import {
  addAddresses,
  callsOn,
  keyOf,
  passTime,
  noRowsWait,
  numberOf,
  reset,
  resultsOf,
  waitFor,
} from '../../../../test/support/pipeline/geocode-calls';

const FAULT = new GeocoderError('server_error', { reason: 500 });

describe('a call that fails', () => {
  let db: TestDatabase;
  let calls: CallRepository;
  beforeAll(async () => {
    db = await testDatabase();
  });
  beforeEach(async () => {
    await reset(db.pool);
    calls = callsOn(db.pool, { callRows: 100 });
  });
  afterAll(() => db.close());

  const geocoder = async () => (await db.pool.query('select * from geocoder')).rows[0];
  const openCalls = async () =>
    (await db.pool.query('select rows, failures, probes, state, last_error from geocode_call order by id')).rows;
  const count = async (what: string): Promise<number> =>
    (await db.pool.query(`select count(*)::int as n from ${what}`)).rows[0].n as number;
  const isOpen = async (): Promise<boolean> => typeof (await geocoder()).circuit?.openedAt === 'number';
  const answer = async (call: ClaimedCall) => expect(await calls.commit(call, resultsOf(call), noRowsWait)).toBe(true);

  /** One round of the pipeline without a queue: all that is due is claimed and requested. @returns calls started */
  async function round(request: (call: ClaimedCall) => Promise<unknown>): Promise<number> {
    await calls.formCalls();
    await calls.freeExpired();
    let started = 0;
    for (const id of await calls.findDue(100)) {
      const claim = await calls.claim(id);
      if (claim === null || !('call' in claim)) continue;
      started++;
      await request(claim.call);
    }
    return started;
  }
  const has = (call: ClaimedCall, ...poison: number[]): boolean =>
    call.addresses.some(({ key }) => poison.includes(numberOf(key)));

  it('is tried three times before it is split in halves, which start without failures', async () => {
    await addAddresses(db.pool, { count: 15 });
    for (const failures of [1, 2]) {
      await round((call) => calls.fail(call, FAULT));
      expect(await openCalls()).toEqual([
        { rows: 15, failures, probes: 0, state: 'pending', last_error: 'server_error' },
      ]);
      await passTime(db.pool, 60);
    }
    await round((call) => calls.fail(call, FAULT));
    const half = { failures: 0, probes: 0, state: 'pending', last_error: 'server_error' };
    expect(await openCalls()).toEqual([
      { rows: 8, ...half },
      { rows: 7, ...half },
    ]);
    const sizes: number[] = [];
    await round((call) => Promise.resolve(sizes.push(call.addresses.length)));
    expect(sizes).toEqual([8, 7]);
  });

  it.each([
    ['after', true],
    ['before', false],
  ])('counts once if its worker ends %s COMMIT', async (_, isCommitted) => {
    await addAddresses(db.pool, { count: 3 });
    const dying = faultyPool(db.pool, async (sql, proceed) => {
      if (sql !== 'commit') return proceed();
      if (isCommitted) await proceed();
      throw new Error('connection terminated');
    });
    await round((call) => expect(callsOn(dying).fail(call, FAULT)).rejects.toThrow('connection terminated'));
    const counted = { rows: 3, failures: 1, probes: 0, state: 'pending' };
    const stored = { ...counted, last_error: 'server_error' };
    expect(await openCalls()).toEqual([
      isCommitted ? stored : { ...stored, ...{ failures: 0, state: 'leased' }, last_error: null },
    ]);
    expect(await geocoder()).toMatchObject({ calls_failed: isCommitted ? '1' : '0' });
    await passTime(db.pool, 60);
    await calls.freeExpired();
    expect(await openCalls()).toEqual([isCommitted ? stored : { ...counted, last_error: 'worker_lost' }]);
  });

  it('waits before it is retried', async () => {
    await addAddresses(db.pool, { count: 1 });
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.99);
    await round((call) => calls.fail(call, FAULT));
    random.mockRestore();
    const [id] = (await db.pool.query('select id from geocode_call')).rows.map((row) => row.id);
    const { rows } = await db.pool.query(
      `update geocode_call set not_before = not_before + interval '1 minute'
       returning not_before - interval '1 minute' <= clock_timestamp() + interval '1 second' as "isSoon"`,
    );
    expect(rows).toEqual([{ isSoon: true }]);
    expect(await calls.findDue(10)).toEqual([]);
    expect(await calls.claim(id)).toBeNull();
    await passTime(db.pool, 61);
    expect(await calls.findDue(10)).toEqual([id]);
  });

  it('is reduced to the address that makes it fail, which becomes an error; the others are geocoded', async () => {
    await addAddresses(db.pool, { count: 100 });
    let tries = 0;
    while ((await count('geocode_call')) > 0 || tries === 0) {
      await round((call) => {
        if (++tries > 200) throw new Error('this takes too long');
        return has(call, 77) ? calls.fail(call, FAULT) : answer(call);
      });
      await passTime(db.pool, 60);
    }
    expect(await count('location')).toBe(99);
    const { rows } = await db.pool.query(
      "select address_key, error_code, call_id, failures, retry_at > now() + interval '5 h' as later from geocode_address",
    );
    expect(rows).toEqual([
      { address_key: keyOf(77), error_code: 'server_error', call_id: null, failures: 5, later: true },
    ]);
    expect(await geocoder()).toMatchObject({ rows_sent: '99', rows_answered: '99' });
    expect(await isOpen()).toBe(false);
  });

  it('fails once if an error is requested again, and geocodes it when it is answered', async () => {
    await addAddresses(db.pool, { count: 1 });
    await db.pool.query(`update geocode_address set failures = 5, error_code = 'missing', retry_at = now()`);
    await waitFor(db.pool, 1);
    await round((call) => calls.fail(call, FAULT));
    expect(await count(`geocode_address where error_code = 'server_error' and call_id is null`)).toBe(1);
    expect(await count('geocode_call')).toBe(0);
    await passTime(db.pool, 6 * 3600);
    await round(answer);
    expect(await count('location')).toBe(1);
    expect(await count('geocode_address')).toBe(0);
  });

  it('counts no failures of calls and addresses in an outage of 20 minutes with one probe every 30 s, and resumes automatically', async () => {
    await addAddresses(db.pool, { count: 1_000 });
    await addAddresses(db.pool, { from: 5_001, count: 1 });
    const started: number[] = [];
    for (let seconds = 0; seconds < 1_200; seconds += 10) {
      started.push(await round((call) => calls.fail(call, new GeocoderError('unreachable'))));
      await passTime(db.pool, 10);
    }
    const probes = started.slice(6);
    expect(Math.max(...probes)).toBe(1);
    for (let n = 0; n + 3 <= probes.length; n++)
      expect(probes[n] + probes[n + 1] + probes[n + 2]).toBeLessThanOrEqual(1);
    expect(probes.reduce((sum, n) => sum + n, 0)).toBeGreaterThan(30);
    expect(await count('geocode_address where error_code is not null or failures > 0')).toBe(0);
    expect(await count('geocode_call where failures > 0')).toBe(0);
    expect(await count('geocode_address')).toBe(1_001);
    for (let n = 0; n < 40 && (await count('geocode_address')) > 0; n++) {
      await round(answer);
      await passTime(db.pool, 10);
    }
    expect(await count('location')).toBe(1_001);
    expect(await geocoder()).toMatchObject({ rows_sent: '1001', rows_answered: '1001' });
  });

  it('resets failures that opened the circuit, so that no address becomes an error by an outage', async () => {
    await addAddresses(db.pool, { count: 1 });
    for (let n = 0; n < 5; n++) {
      expect(await isOpen()).toBe(false);
      await round((call) => calls.fail(call, FAULT));
      await passTime(db.pool, 20);
    }
    expect(await isOpen()).toBe(true);
    expect(await openCalls()).toMatchObject([{ failures: 3, probes: 0 }]);
    expect(await count('geocode_address where failures = 3 and error_code is null')).toBe(1);
    for (let n = 0; n < 20; n++) {
      await passTime(db.pool, 30);
      expect(await round((call) => calls.fail(call, FAULT))).toBe(1);
    }
    expect(await count('geocode_address where error_code is null')).toBe(1);
    await passTime(db.pool, 30);
    await round(answer);
    expect([await count('location'), await isOpen()]).toEqual([1, false]);
  });

  it('becomes an error if its address alone opened the circuit and others are answered', async () => {
    await addAddresses(db.pool, { count: 1 });
    const poisoned = (call: ClaimedCall) => (has(call, 1) ? calls.fail(call, FAULT) : answer(call));
    for (let n = 0; n < 5; n++) {
      await round(poisoned);
      await passTime(db.pool, 20);
    }
    expect(await isOpen()).toBe(true);
    await addAddresses(db.pool, { from: 101, count: 3 });
    await passTime(db.pool, 30);
    await round(poisoned);
    expect([await count('location'), await isOpen()]).toEqual([3, false]);
    for (let n = 0; n < 2; n++) {
      await passTime(db.pool, 60);
      await round(poisoned);
    }
    expect([await count('geocode_address where error_code is not null'), await isOpen()]).toEqual([1, false]);
  });

  it('keeps failures between answers of others: after five, the address is an error', async () => {
    await addAddresses(db.pool, { count: 1 });
    await calls.formCalls();
    for (let n = 1; n <= 5; n++) {
      expect(await count('geocode_address where error_code is not null')).toBe(0);
      await addAddresses(db.pool, { from: 100 + n, count: 1 });
      expect(await round((call) => (has(call, 1) ? calls.fail(call, FAULT) : answer(call)))).toBe(2);
      await passTime(db.pool, 60);
    }
    expect(await count(`geocode_address where error_code = 'server_error'`)).toBe(1);
    expect(await isOpen()).toBe(false);
  });

  it('does not block newer addresses while it keeps the circuit open: they are the next probe', async () => {
    await addAddresses(db.pool, { count: 1 });
    for (let n = 0; n < 8; n++) {
      await round((call) => calls.fail(call, FAULT));
      await passTime(db.pool, 30);
    }
    expect(await isOpen()).toBe(true);
    expect((await openCalls())[0].probes).toBeGreaterThanOrEqual(2);
    await addAddresses(db.pool, { from: 101, count: 3 });
    const asked: number[][] = [];
    await round((call) => {
      asked.push(call.addresses.map(({ key }) => numberOf(key)));
      return has(call, 1) ? calls.fail(call, FAULT) : answer(call);
    });
    expect(asked).toEqual([[101, 102, 103]]);
    expect(await isOpen()).toBe(false);
  });

  it('splits a probe in halves after three failures, so that one address does not block the rest', async () => {
    await addAddresses(db.pool, { count: 4 });
    for (let n = 0; n < 5; n++) {
      await db.pool.query('update geocode_call set failures = 0, not_before = null');
      await round((call) => calls.fail(call, FAULT));
    }
    expect(await isOpen()).toBe(true);
    for (let n = 0; n < 3; n++) {
      expect(await openCalls()).toMatchObject([{ rows: 4, probes: n }]);
      await passTime(db.pool, 30);
      await round((call) => calls.fail(call, FAULT));
    }
    expect(await openCalls()).toMatchObject([
      { rows: 2, failures: 0, probes: 0 },
      { rows: 2, failures: 0, probes: 0 },
    ]);
  });

  it('is reduced to the address that crashes workers', async () => {
    await addAddresses(db.pool, { count: 8 });
    for (let tries = 0; (await count('geocode_address where error_code is null')) > 0 || tries === 0; tries++) {
      expect(tries).toBeLessThan(40);
      await round((call) => (has(call, 3) ? Promise.resolve() : answer(call)));
      await passTime(db.pool, 31);
    }
    expect(await count('location')).toBe(7);
    expect(await count(`geocode_address where error_code = 'worker_lost' and failures = 5`)).toBe(1);
    expect(await isOpen()).toBe(false);
  });

  it('counts a killed worker during a probe as a failed probe', async () => {
    await addAddresses(db.pool, { count: 1 });
    for (let n = 0; n < 5; n++) {
      await round((call) => calls.fail(call, FAULT));
      await passTime(db.pool, 20);
    }
    await passTime(db.pool, 10);
    expect(await round((call) => Promise.resolve(expect(call.isProbe).toBe(true)))).toBe(1);
    await passTime(db.pool, 31);
    expect(await calls.freeExpired()).toBe(1);
    expect(await openCalls()).toMatchObject([{ failures: 3, probes: 1, state: 'pending', last_error: 'worker_lost' }]);
    expect(await count('geocode_address where failures = 3 and error_code is null')).toBe(1);
  });

  it('counts no failure for any number of Retry-After answers', async () => {
    await addAddresses(db.pool, { count: 1 });
    for (let n = 0; n < 12; n++) {
      await round((call) => calls.fail(call, new GeocoderError('server_error', { reason: 503, retryAfterMs: 5_000 })));
      await passTime(db.pool, 60);
    }
    expect(await openCalls()).toMatchObject([{ failures: 0, probes: 0, state: 'pending' }]);
    expect(await geocoder()).toMatchObject({ calls_failed: '12', calls: '0', rows_sent: '0' });
    expect(await isOpen()).toBe(false);
  });
});
