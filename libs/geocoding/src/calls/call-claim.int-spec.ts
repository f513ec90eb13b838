import { GeocoderError } from '../geocoder-error';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { type CallRepository } from './call.repository';
import { type ClaimedCall } from './call';
import {
  SETTINGS,
  addAddresses,
  callsOn,
  passTime,
  noRowsWait,
  numberOf,
  reset,
  resultsOf,
  taken,
} from '../../../../test/support/pipeline/geocode-calls';

const DOWN = new GeocoderError('unreachable');

describe('claiming calls', () => {
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

  const rowOf = async (id: string) =>
    (await db.pool.query('select * from geocode_call where id = $1', [id])).rows[0] as Record<string, unknown>;
  const geocoder = async () => (await db.pool.query('select * from geocoder')).rows[0];
  /** Ids of calls of so many addresses each. */
  async function gathered(count: number, rows = 10): Promise<string[]> {
    await addAddresses(db.pool, { count: count * rows });
    await callsOn(db.pool, { callsAtOnce: count, callRows: rows }).formCalls();
    const { rows: found } = await db.pool.query<{ id: string }>('select id from geocode_call order by id');
    return found.map(({ id }) => id);
  }
  /** Five calls fail in a row, and the geocoder is left alone. */
  async function open(ids: readonly string[]): Promise<void> {
    const five = callsOn(db.pool, { callsAtOnce: 5 });
    const held = [];
    for (const id of ids.slice(0, 5)) held.push(await taken(five, id));
    for (const call of held) await five.fail(call, DOWN);
    expect((await geocoder()).circuit.openedAt).toBeGreaterThan(0);
  }

  it('gives a call its addresses and its lease once', async () => {
    const [id] = await gathered(1);
    const call = await taken(calls, id);
    expect(call).toMatchObject({ id, kind: 'batch', isProbe: false, failures: 0 });
    expect(call.addresses.map(({ key }) => numberOf(key))).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    expect(call.addresses[0]).toMatchObject({ street: '1 Nowhere St', city: 'Springfield', state: 'ZZ', zip: '00000' });
    expect(await calls.claim(id)).toBeNull();
    expect(await calls.claim('999999')).toBeNull();
  });

  it('runs two calls at a time, and the next one when one ends', async () => {
    const ids = await gathered(6);
    const claims = await Promise.all(
      Array.from({ length: 4 }, () => callsOn(db.pool)).map((each, n) => each.claim(ids[n])),
    );
    const running = claims.flatMap((claim) => (claim && 'call' in claim ? [claim.call] : []));
    const waiting = claims.flatMap((claim) => (claim && 'why' in claim ? [claim.why] : []));
    expect(running).toHaveLength(2);
    expect(waiting).toEqual(['slots', 'slots']);
    await calls.markEnqueued(ids);
    expect(await calls.claim(ids[5])).toMatchObject({ why: 'slots' });
    expect((await rowOf(ids[5])).state).toBe('queued');
    await calls.commit(running[0], resultsOf(running[0]), noRowsWait);
    await taken(calls, ids[5]);
    expect(await calls.claim(ids[4])).toMatchObject({ why: 'slots' });
  });

  it('starts the next call while an answer is being stored', async () => {
    const ids = await gathered(4);
    const running = [await taken(calls, ids[0]), await taken(calls, ids[1])];
    await calls.commit(running[0], resultsOf(running[0]), async () => {
      await taken(calls, ids[2]);
      expect(await calls.claim(ids[3])).toMatchObject({ why: 'slots' });
    });
    expect(await calls.claim(ids[3])).toMatchObject({ why: 'slots' });
  });

  it('runs at most two of 40 calls of four workers at a time, and each once', async () => {
    const ids = await gathered(40, 1);
    let most = 0;
    const done: string[] = [];
    const queue = [...ids, ...ids]; // every job was added twice
    const leased = async (): Promise<number> =>
      (await db.pool.query(`select 1 from geocode_call where state = 'leased' and enqueued_at is null`)).rowCount ?? 0;
    let isFirst = true;
    const worker = async (): Promise<void> => {
      const own = callsOn(db.pool);
      for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
        const claim = await own.claim(id);
        if (claim === null) continue;
        if (!('call' in claim)) {
          queue.push(id);
          continue;
        }
        if (isFirst) {
          isFirst = false;
          await until('another runs beside it', () => most === 2);
        }
        most = Math.max(most, await leased());
        expect(await own.commit(claim.call, resultsOf(claim.call), noRowsWait)).toBe(true);
        done.push(id);
      }
    };
    await Promise.all(Array.from({ length: 4 }, worker));
    expect(most).toBe(2);
    expect(done.sort()).toEqual([...ids].sort());
    expect(await geocoder()).toMatchObject({ calls: '40', rows_sent: '40', rows_answered: '40' });
  });

  it('keeps the rate over all workers', async () => {
    const ids = await gathered(4);
    await db.pool.query('update geocoder set tokens = 0, refilled_at = now()');
    const slow = { callsPerMinute: 1, callsAtOnce: 1 };
    expect(await callsOn(db.pool, slow).claim(ids[0])).toMatchObject({ why: 'rate' });
    await passTime(db.pool, 60);
    const call = await taken(callsOn(db.pool, slow), ids[0]);
    await calls.commit(call, resultsOf(call), noRowsWait);
    const refused = await callsOn(db.pool, slow).claim(ids[1]);
    expect(refused).toMatchObject({ why: 'rate' });
    expect(refused && 'waitMs' in refused && refused.waitMs).toBeGreaterThan(50_000);
  });

  it('counts each candidate lookup of a tie call as a call', async () => {
    await addAddresses(db.pool, { count: 20, isTie: true });
    await calls.formCalls();
    const before = (await geocoder()).tokens;
    expect(before).toBe(1_000);
    await taken(calls, (await calls.findDue(1))[0]);
    expect((await geocoder()).tokens).toBe(1_000 - 20);
  });

  it('prefers batch calls to ties, which have half of the slots while batch calls wait', async () => {
    await addAddresses(db.pool, { count: 60, isTie: true });
    await calls.formCalls();
    const ties = await calls.findDue(10);
    await calls.markEnqueued(ties);
    const running = await taken(calls, ties[0]);
    const [batch] =
      (await addAddresses(db.pool, { from: 101, count: 20 }), await calls.formCalls(), await calls.findDue(10));
    expect((await rowOf(batch)).kind).toBe('batch');
    expect(await calls.claim(ties[1])).toMatchObject({ why: 'ties' });
    expect(await rowOf(ties[1])).toMatchObject({ state: 'pending', enqueued_at: null });
    expect(await calls.findDue(10)).not.toContain(ties[1]);
    await calls.commit(running, resultsOf(running), noRowsWait);
    expect((await calls.findDue(10)).at(-1)).toBe(ties[1]);
    const beside = [await taken(calls, ties[1]), await taken(calls, batch)];
    for (const call of beside) await calls.commit(call, resultsOf(call), noRowsWait);
    const rest = await taken(calls, (await calls.findDue(10))[0]);
    await calls.commit(rest, resultsOf(rest), noRowsWait);
    expect(await calls.findDue(10)).toEqual([]);
    await taken(calls, ties[2]); // no addresses wait
  });

  it('claims a call again after its worker was killed and its lease has expired, and stores nothing of the old worker', async () => {
    const [id] = await gathered(1);
    const dead = await taken(calls, id);
    expect(await calls.freeExpired()).toBe(0);
    expect(await calls.extendLease(dead, 60_000)).toBe(true);
    await passTime(db.pool, 59);
    expect(await calls.freeExpired()).toBe(0);
    await passTime(db.pool, 1);
    expect(await calls.claim(id)).toBeNull(); // before it is freed
    expect(await calls.freeExpired()).toBe(1);
    await passTime(db.pool, 1);
    expect(await calls.findDue(10)).toEqual([id]);
    const call = await taken(calls, id);
    expect(await calls.extendLease(dead, 60_000)).toBe(false);
    expect(await calls.commit(dead, resultsOf(dead), noRowsWait)).toBe(false);
    expect(await calls.fail(dead, DOWN)).toBe(false);
    expect(await calls.releaseLease(dead)).toBe(false);
    expect((await db.pool.query('select 1 from location')).rowCount).toBe(0);
    expect(call.failures).toBe(1);
    expect(await calls.commit(call, resultsOf(call), noRowsWait)).toBe(true);
    expect((await db.pool.query('select 1 from location')).rowCount).toBe(10);
  });

  it('detects whether there is any work', async () => {
    expect(await calls.isIdle()).toBe(true);
    await addAddresses(db.pool, { count: 1 });
    expect(await calls.isIdle()).toBe(false);
    await calls.formCalls();
    const call = await taken(calls, (await calls.findDue(1))[0]);
    expect(await calls.isIdle()).toBe(false);
    await calls.commit(call, resultsOf(call), noRowsWait);
    expect(await calls.isIdle()).toBe(true);
    await addAddresses(db.pool, { count: 1 });
    await db.pool.query(`update geocode_address set error_code = 'missing', retry_at = now() + interval '1 hour'`);
    expect(await calls.isIdle()).toBe(true);
    await passTime(db.pool, 3_600);
    expect(await calls.isIdle()).toBe(false);
  });

  it('releases a call for the next worker', async () => {
    const [id] = await gathered(1);
    expect(await calls.releaseLease(await taken(calls, id))).toBe(true);
    expect(await calls.findDue(10)).toEqual([id]);
    expect((await taken(calls, id)).failures).toBe(0);
  });

  it('adds jobs for due calls once, and again if the queue has lost them', async () => {
    const ids = await gathered(3);
    expect(await calls.findDue(2)).toEqual(ids.slice(0, 2));
    const call = await taken(calls, ids[0]);
    await calls.markEnqueued(ids); // the first was taken before it was marked
    expect(await calls.findDue(10)).toEqual([]);
    expect((await rowOf(call.id)).state).toBe('leased');
    expect(await calls.findLost(30, 10)).toEqual([]);
    await passTime(db.pool, 31);
    expect([...(await calls.findLost(30, 10))].sort()).toEqual(ids.slice(1).sort());
  });

  it('deletes a call whose addresses were deleted', async () => {
    const [id] = await gathered(1);
    await db.pool.query('delete from geocode_address');
    expect(await calls.claim(id)).toBeNull();
    expect((await db.pool.query('select 1 from geocode_call')).rowCount).toBe(0);
  });

  it('starts no call while the circuit is open or the settings are refused, and returns the reason', async () => {
    const ids = await gathered(8);
    await calls.markEnqueued([ids[7]]);
    await calls.setRefused(SETTINGS, 'no such benchmark');
    expect(await calls.claim(ids[7])).toMatchObject({ why: 'refused' });
    expect(await calls.findDue(10)).toEqual([]);
    expect(await rowOf(ids[7])).toMatchObject({ state: 'pending', enqueued_at: null });
    await calls.setRefused(SETTINGS, null);
    expect(await calls.findDue(10)).toHaveLength(8);
    await open(ids);
    await calls.markEnqueued([ids[7]]);
    expect(await calls.findDue(10)).toEqual([]);
    expect(await calls.claim(ids[7])).toMatchObject({ why: 'circuit_open' });
    expect(await rowOf(ids[7])).toMatchObject({ state: 'pending', enqueued_at: null });
  });

  it('delays only calls with refused settings', async () => {
    await addAddresses(db.pool, { count: 200, vintage: 'No_Such' });
    const refused = { ...SETTINGS, vintage: 'No_Such' };
    await calls.setRefused(refused, 'no such vintage');
    await addAddresses(db.pool, { from: 501, count: 20 });
    for (let n = 0; n < 10; n++) await calls.formCalls();
    const due = await calls.findDue(100);
    let geocoded = 0;
    for (const id of due) {
      const call = await taken(calls, id);
      expect(call.vintage).toBe(SETTINGS.vintage);
      geocoded += call.addresses.length;
      await calls.commit(call, resultsOf(call), noRowsWait);
    }
    expect(geocoded).toBe(20);
    await calls.setRefused(SETTINGS, null);
    expect(await calls.isRefused(refused)).toBe(true); // addresses wait that are asked under these
    expect(await calls.findDue(100)).toEqual([]);
    await calls.setRefused(refused, null);
    expect((await calls.findDue(100)).length).toBeGreaterThan(0);
  });

  it('starts one probe after 30 s: the smallest call without failures', async () => {
    const ids = await gathered(8);
    await open(ids);
    await addAddresses(db.pool, { from: 501, count: 3 });
    await calls.formCalls();
    await passTime(db.pool, 30);
    const [small, ...more] = await calls.findDue(10);
    expect(more).toEqual([]);
    expect(await rowOf(small)).toMatchObject({ rows: 3, failures: 0, probes: 0 });
    for (const id of ids) expect(await calls.claim(id)).toMatchObject({ why: 'circuit_open' });
    const probe = await taken(calls, small);
    expect(probe.isProbe).toBe(true);
    expect(await calls.findDue(10)).toEqual([]);
    await calls.commit(probe, resultsOf(probe), noRowsWait);
    expect(await calls.findDue(10)).toHaveLength(8);
    expect((await taken(calls, ids[0])).isProbe).toBe(false);
  });

  it('starts one probe at a time for many workers', async () => {
    const ids = await gathered(8);
    await open(ids);
    await passTime(db.pool, 30);
    const claims = await Promise.all(ids.map((id) => callsOn(db.pool).claim(id)));
    const probes = claims.flatMap((claim): ClaimedCall[] => (claim && 'call' in claim ? [claim.call] : []));
    expect(probes.map(({ isProbe }) => isProbe)).toEqual([true]);
    await passTime(db.pool, 29);
    expect(await calls.findDue(10)).toEqual([]);
  });

  it('sends no call during a Retry-After, and continues at half the rate', async () => {
    const ids = await gathered(3);
    const call = await taken(calls, ids[0]);
    await calls.fail(call, new GeocoderError('rate_limited', { retryAfterMs: 20_000 }));
    expect(await rowOf(ids[0])).toMatchObject({ state: 'pending', failures: 0, probes: 0, last_error: 'rate_limited' });
    expect(await calls.findDue(10)).toEqual([]);
    const claim = await calls.claim(ids[1]);
    expect(claim).toMatchObject({ why: 'retry_after' });
    expect(claim && 'waitMs' in claim && claim.waitMs).toBeGreaterThan(10_000);
    expect(await geocoder()).toMatchObject({ calls_per_minute: 30_000, calls_failed: '1', last_error: 'rate_limited' });
    await passTime(db.pool, 20);
    expect(await calls.findDue(10)).toHaveLength(3);
    await taken(calls, ids[1]);
  });
});
