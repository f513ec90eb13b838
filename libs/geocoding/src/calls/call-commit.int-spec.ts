import { type PoolClient } from 'pg';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { faultyPool } from '../../../../test/support/pipeline/faulty-pool';
import { type CallRepository } from './call.repository';
import { type CallOptions } from './call';
import { type ClaimedCall } from './call';
import {
  addAddresses,
  callsOn,
  keyOf,
  passTime,
  geocoded,
  noRowsWait,
  numberOf,
  reset,
  resultsOf,
  taken,
} from '../../../../test/support/pipeline/geocode-calls';
import { type StoredLocation } from './call';

describe('committing the results of a call', () => {
  let db: TestDatabase;
  let calls: CallRepository;
  beforeAll(async () => {
    db = await testDatabase();
  });
  beforeEach(async () => {
    await reset(db.pool);
    calls = callsOn(db.pool);
  });
  afterAll(() => db.close());

  const geocoder = async () => (await db.pool.query('select * from geocoder')).rows[0];
  const count = async (what: string): Promise<number> =>
    (await db.pool.query(`select count(*)::int as n from ${what}`)).rows[0].n as number;
  async function claimed(addresses: number, options: Partial<CallOptions> = {}): Promise<ClaimedCall> {
    await addAddresses(db.pool, { count: addresses });
    await callsOn(db.pool, options).formCalls();
    return next();
  }
  async function next(): Promise<ClaimedCall> {
    await passTime(db.pool, 60);
    await calls.formCalls();
    return taken(calls, (await calls.findDue(1))[0]);
  }
  const numbersOf = (call: ClaimedCall): number[] => call.addresses.map(({ key }) => numberOf(key));

  it('stores locations, deletes their addresses and the call, and updates the counters', async () => {
    const call = await claimed(3);
    const seen: StoredLocation[] = [];
    const settle = (_client: PoolClient, found: readonly StoredLocation[]) => Promise.resolve(void seen.push(...found));
    expect(await calls.commit(call, resultsOf(call), settle)).toBe(true);
    const { rows } = await db.pool.query('select * from location order by address_key');
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatchObject({
      address_key: keyOf(1),
      outcome: 0,
      is_exact: true,
      fips: '06037',
      tract: '206202',
      block: '1029',
      address_id: keyOf(1),
      expires_at: null,
    });
    expect(seen.map(({ key }) => numberOf(key))).toEqual([1, 2, 3]);
    expect(await count('geocode_address')).toBe(0);
    expect(await count('geocode_call')).toBe(0);
    expect(await geocoder()).toMatchObject({
      calls: '1',
      calls_failed: '0',
      rows_sent: '3',
      rows_answered: '3',
      tie_calls: '0',
    });
    expect((await geocoder()).last_answer_at).toBeInstanceOf(Date);
    expect(await calls.commit(call, resultsOf(call), settle)).toBe(false);
    expect(seen).toHaveLength(3);
  });

  it('requests addresses without a match, with several, or without a county again after 30 days', async () => {
    const call = await claimed(4);
    const nowhere = { isExact: null, fips: null, tract: null, block: null, addressId: null };
    const found: StoredLocation[] = [
      { ...nowhere, key: keyOf(1), outcome: 'NO_MATCH' },
      { ...nowhere, key: keyOf(2), outcome: 'TIE', fips: '06037' },
      { ...geocoded(keyOf(3)), fips: null, tract: null, block: null },
      geocoded(keyOf(4)),
    ];
    await calls.commit(call, { geocoded: found, ties: [], unanswered: new Map() }, noRowsWait);
    const { rows } = await db.pool.query(
      `select outcome, fips, is_exact, round(extract(epoch from expires_at - located_at) / 86400)::int as days
       from location order by address_key`,
    );
    expect(rows).toEqual([
      { outcome: 1, fips: null, is_exact: null, days: 30 },
      { outcome: 2, fips: '06037', is_exact: null, days: 30 },
      { outcome: 0, fips: null, is_exact: true, days: 30 },
      { outcome: 0, fips: '06037', is_exact: true, days: null },
    ]);
  });

  it('overwrites an expired location', async () => {
    await db.pool.query(`insert into location values ($1, 1, null, null, null, null, null, now(), now())`, [keyOf(1)]);
    const call = await claimed(1);
    await calls.commit(call, resultsOf(call), noRowsWait);
    expect(await count('location where outcome = 0 and expires_at is null')).toBe(1);
  });

  it('lets ties wait for their candidates, and counts these separately', async () => {
    const call = await claimed(4);
    await calls.commit(call, resultsOf(call, { ties: [2, 3] }), noRowsWait);
    expect(await geocoder()).toMatchObject({ calls: '1', rows_sent: '4', rows_answered: '4' });
    const ties = await next();
    expect(ties).toMatchObject({ kind: 'tie' });
    expect(numbersOf(ties)).toEqual([2, 3]);
    await calls.commit(ties, resultsOf(ties), noRowsWait);
    expect(await geocoder()).toMatchObject({ calls: '1', rows_sent: '4', rows_answered: '4', tie_calls: '2' });
    expect(await count('location')).toBe(4);
  });

  it('retries unanswered addresses, and counts no failure of addresses that were not requested', async () => {
    const call = await claimed(5);
    await calls.commit(call, resultsOf(call, { unanswered: [2], notRequested: [4, 5] }), noRowsWait);
    const rest = await next();
    expect(rest.id).toBe(call.id);
    expect(rest.failures).toBe(0);
    expect(rest.addresses.map(({ key, failures }) => [numberOf(key), failures])).toEqual([
      [2, 1],
      [4, 0],
      [5, 0],
    ]);
    await calls.commit(rest, resultsOf(rest), noRowsWait);
    expect(await count('location')).toBe(5);
    expect(await geocoder()).toMatchObject({ rows_sent: '8', rows_answered: '5' });
  });

  it('waits longer each time an address is left out, and not for addresses that were not requested', async () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.999999);
    let call = await claimed(4);
    const waits: number[][] = [];
    const clock = async (): Promise<number> =>
      (await db.pool.query('select extract(epoch from clock_timestamp())::float8 as now')).rows[0].now;
    for (const but of [{ notRequested: [1, 2, 3] }, { unanswered: [1], notRequested: [2] }, { unanswered: [1] }]) {
      const before = await clock();
      await calls.commit(call, resultsOf(call, but), noRowsWait);
      const after = await clock();
      const { rows } = await db.pool.query(
        `select extract(epoch from not_before)::float8 as "notBefore" from geocode_call`,
      );
      waits.push([rows[0].notBefore - after, rows[0].notBefore - before]);
      call = await next();
    }
    random.mockRestore();
    for (const [at, seconds] of [0, 0.999, 1.999].entries()) {
      const [least, most] = waits[at];
      expect(least).toBeLessThanOrEqual(seconds);
      expect(most).toBeGreaterThanOrEqual(seconds);
    }
  });

  it('defers an address without an answer after five attempts, and does not delay the others', async () => {
    await addAddresses(db.pool, { count: 10 });
    let tries = 0;
    for (let n = 0; (await count('geocode_address where error_code is null')) > 0; n++) {
      await addAddresses(db.pool, { from: 100 + n, count: 1 }); // others go on being answered
      await passTime(db.pool, 60);
      await calls.formCalls();
      for (const id of await calls.findDue(10)) {
        const call = await taken(calls, id);
        const isThere = numbersOf(call).includes(7);
        tries += isThere ? 1 : 0;
        await calls.commit(call, resultsOf(call, { unanswered: isThere ? [7] : [] }), noRowsWait);
      }
      if (n === 0) expect(await count('location')).toBe(10); // the nine others, and one that came later
    }
    expect(tries).toBe(5);
    const { rows } = await db.pool.query('select address_key, error_code, call_id from geocode_address');
    expect(rows).toEqual([{ address_key: keyOf(7), error_code: 'missing', call_id: null }]);
    expect(await count('geocode_call')).toBe(0);
  });

  it('gives an address that was left out five times a call of its own, and marks an error only if that fails', async () => {
    let call = await claimed(40, { callRows: 40 });
    for (let n = 1; n <= 5; n++) {
      expect(numbersOf(call)).toContain(7);
      const notRequested = numbersOf(call).filter((number) => number > 7 + n);
      await calls.commit(call, resultsOf(call, { unanswered: [7], notRequested }), noRowsWait);
      expect(await count('geocode_address where error_code is not null')).toBe(0);
      call = await next();
    }
    expect(numbersOf(call)).not.toContain(7);
    await calls.releaseLease(call);
    const { rows } = await db.pool.query('select id from geocode_call where rows = 1');
    const alone = await taken(calls, rows[0].id);
    expect(alone.addresses).toMatchObject([{ key: keyOf(7), failures: 5 }]);
    await calls.fail(alone, { code: 'missing', retryAfterMs: null });
    expect(await count(`geocode_address where error_code = 'missing'`)).toBe(1);
  });

  it('marks no error for addresses after the end of a truncated answer', async () => {
    let call = await claimed(40, { callRows: 40 });
    for (let left = 39; left > 0; left--) {
      const [first, ...others] = call.addresses.map(({ key }) => key);
      const unanswered = new Map(others.map((key) => [key.toString('latin1'), 'truncated']));
      await calls.commit(call, { geocoded: [geocoded(first)], ties: [], unanswered }, noRowsWait);
      call = await next();
      expect(call.addresses.map(({ failures }) => failures)).toEqual(Array.from({ length: left }, () => 0));
    }
    await calls.commit(call, resultsOf(call), noRowsWait);
    expect(await count('location')).toBe(40);
  });

  it('applies a Retry-After during a tie call without counting a failure', async () => {
    await addAddresses(db.pool, { count: 4, isTie: true });
    const call = await next();
    await db.pool.query('update geocoder set calls_per_minute = 1000');
    const retryAfter = { code: 'rate_limited', retryAfterMs: 300_000 };
    await calls.commit(call, { ...resultsOf(call, { notRequested: [2, 3, 4] }), retryAfter }, noRowsWait);
    const { rows } = await db.pool.query(
      `select calls_per_minute as rate, round(extract(epoch from closed_until - clock_timestamp()) / 60)::int as minutes from geocoder`,
    );
    expect(rows).toEqual([{ rate: 500, minutes: 5 }]);
    expect(await calls.findDue(10)).toEqual([]);
    expect(await count('location')).toBe(1);
    expect(await count('geocode_address where failures = 0 and call_id is not null')).toBe(3);
  });

  it('treats an answer without any address as a failure of the call', async () => {
    const call = await claimed(2);
    await calls.commit(call, resultsOf(call, { unanswered: [1, 2] }), noRowsWait);
    expect(await geocoder()).toMatchObject({ calls: '0', calls_failed: '1', rows_sent: '0', last_error: 'missing' });
    expect((await next()).failures).toBe(1);
  });

  it('releases a call without requested addresses', async () => {
    const call = await claimed(2);
    await calls.commit(call, resultsOf(call, { notRequested: [1, 2] }), noRowsWait);
    expect(await geocoder()).toMatchObject({ calls: '0', calls_failed: '0' });
    expect((await next()).failures).toBe(0);
  });

  it('stores nothing if the waiting rows cannot be updated, and can be repeated', async () => {
    const call = await claimed(3);
    const broken = () => Promise.reject(new Error('cannot be told'));
    await expect(calls.commit(call, resultsOf(call), broken)).rejects.toThrow('cannot be told');
    expect(await count('location')).toBe(0);
    expect(await count('geocode_address')).toBe(3);
    expect(await calls.commit(call, resultsOf(call), noRowsWait)).toBe(true);
  });

  it.each([
    ['the answer to COMMIT is lost', true],
    ['the connection breaks before COMMIT', false],
  ])('%s: returns true for a stored call', async (_, isCommitted) => {
    const call = await claimed(3);
    const cut = faultyPool(db.pool, async (sql, proceed) => {
      if (sql !== 'commit') return proceed();
      if (isCommitted) await proceed();
      throw new Error('connection terminated');
    });
    const committing = callsOn(cut).commit(call, resultsOf(call), noRowsWait);
    if (isCommitted) expect(await committing).toBe(true);
    else await expect(committing).rejects.toThrow('connection terminated');
    expect(await count('location')).toBe(isCommitted ? 3 : 0);
    expect(await calls.commit(call, resultsOf(call), noRowsWait)).toBe(!isCommitted);
    expect(await geocoder()).toMatchObject({ calls: '1', rows_answered: '3' });
  });

  /** As the commit of a chunk does it: requests, reads again, and waits if there is no location. */
  async function askInTransaction(client: PoolClient, n: number): Promise<void> {
    await client.query('begin');
    await client.query(
      `insert into geocode_address (address_key, ask_order, street, city, state, zip, benchmark, vintage)
       values ($1, 1, '', '', '', '', 'b', 'v') on conflict do nothing`,
      [keyOf(n)],
    );
    await client.query('select 1 from geocode_address where address_key = $1 for key share', [keyOf(n)]);
  }
  const waits = (client: PoolClient, n: number) =>
    client.query(
      `insert into location_wait select $1, gen_random_uuid(), 1, 1
       where not exists (select from location where address_key = $1)`,
      [keyOf(n)],
    );
  const tell = async (client: PoolClient, found: readonly StoredLocation[]): Promise<void> => {
    await client.query('delete from location_wait where address_key = any($1)', [found.map(({ key }) => key)]);
  };
  const isBlocked = async (): Promise<boolean> =>
    (await count("pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()")) > 0;

  it('waits for a transaction that requests an address at the same time, and applies the outcome to it', async () => {
    const call = await claimed(3);
    const client = await db.pool.connect();
    await askInTransaction(client, 2);
    const committing = calls.commit(call, resultsOf(call), tell);
    await until('the commit waits', isBlocked);
    await waits(client, 2);
    await client.query('commit');
    client.release();
    expect(await committing).toBe(true);
    expect(await count('location_wait')).toBe(0);
    expect(await count('location')).toBe(3);
  });

  it('lets a later transaction that requests the address wait until the location is stored', async () => {
    const call = await claimed(3);
    const client = await db.pool.connect();
    let asking = Promise.resolve();
    await calls.commit(call, resultsOf(call), async (own, found) => {
      await tell(own, found);
      asking = askInTransaction(client, 2);
      await until('who asks waits', isBlocked);
    });
    await asking;
    await waits(client, 2);
    await client.query('commit');
    client.release();
    expect(await count('location_wait')).toBe(0);
  });

  it('needs as many statements for 1,000 addresses as for one', async () => {
    const statements: number[] = [];
    for (const addresses of [1, 1_000]) {
      await reset(db.pool);
      const call = await claimed(addresses, { callRows: 1_000 });
      let seen = 0;
      const counting = faultyPool(db.pool, (_sql, proceed) => {
        seen++;
        return proceed();
      });
      expect(await callsOn(counting).commit(call, resultsOf(call, { unanswered: [1_000] }), noRowsWait)).toBe(true);
      expect(await count('location')).toBe(addresses === 1 ? 1 : 999);
      statements.push(seen);
    }
    expect(statements[1]).toBeLessThanOrEqual(statements[0] + 1);
  });
});
