import { Pool } from 'pg';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { GIFT, makePartitions, storeContributions } from '../../../../test/support/fec-data/contribution-rows';
import {
  SETTINGS,
  addAddresses,
  callsOn,
  keyOf,
  passTime,
  noRowsWait,
  numberOf,
  reset,
  resultsOf,
  taken,
  waitFor,
} from '../../../../test/support/pipeline/geocode-calls';

describe('forming calls of addresses', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  beforeEach(() => reset(db.pool));
  afterAll(() => db.close());

  /** Addresses of each call by number, in the order in which the calls were formed. */
  async function formed(): Promise<{ kind: string; numbers: number[] }[]> {
    const { rows } = await db.pool.query(
      `select c.id, c.kind, c.rows, array_agg(a.address_key order by a.ask_order, a.address_key) as keys
       from geocode_call c join geocode_address a on a.call_id = c.id group by c.id order by c.id`,
    );
    for (const { rows: said, keys } of rows) expect(keys).toHaveLength(said);
    return rows.map(({ kind, keys }) => ({ kind, numbers: keys.map(numberOf) }));
  }
  const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, n) => from + n);

  it('forms full calls at once, and one of the rest after its oldest address has waited for a second', async () => {
    const calls = callsOn(db.pool);
    const atOnce = await until('the machine lets all of it be done within a second', async () => {
      await reset(db.pool);
      await addAddresses(db.pool, { count: 23, waitedSeconds: 0 });
      const made = [
        await calls.formCalls(),
        (await formed()).map((call) => call.numbers.length),
        await calls.formCalls(),
      ];
      const { rows } = await db.pool.query(
        `select min(asked_at) > clock_timestamp() - interval '1 second' as "isWithin" from geocode_address`,
      );
      return rows[0].isWithin ? made : null;
    });
    expect(atOnce).toEqual([2, [10, 10], 0]);
    await passTime(db.pool, 1);
    expect(await calls.formCalls()).toBe(1);
    expect((await formed())[2]).toEqual({ kind: 'batch', numbers: [21, 22, 23] });
    expect(await calls.formCalls()).toBe(0);
  });

  it('prefers the n-th addresses of all batches to the next ones', async () => {
    await addAddresses(db.pool, { count: 100 });
    await addAddresses(db.pool, { from: 1001, count: 3 });
    await callsOn(db.pool).formCalls();
    expect((await formed())[0].numbers).toEqual([1, 1001, 2, 1002, 3, 1003, 4, 5, 6, 7]);
  });

  it('forms only a few calls in advance, so that five addresses do not wait for 100,000', async () => {
    await addAddresses(db.pool, { count: 100_000 });
    const calls = callsOn(db.pool, { callRows: 1_000 });
    expect(await calls.formCalls()).toBe(8);
    expect(await calls.formCalls()).toBe(0);
    await addAddresses(db.pool, { from: 500_001, count: 5 });
    const [first] = await calls.findDue(1);
    await taken(calls, first);
    expect(await calls.formCalls()).toBe(1);
    expect((await formed())[8].numbers).toEqual(expect.arrayContaining(numbers(500_001, 5)));
  });

  it('forms new calls if the existing ones have failed', async () => {
    await addAddresses(db.pool, { count: 200 });
    const calls = callsOn(db.pool);
    expect(await calls.formCalls()).toBe(8);
    await db.pool.query('update geocode_call set probes = 1');
    expect(await calls.formCalls()).toBe(8);
  });

  it('requests the candidates of ties in separate calls of twenty', async () => {
    await addAddresses(db.pool, { count: 25, isTie: true });
    await addAddresses(db.pool, { from: 101, count: 3 });
    await callsOn(db.pool).formCalls();
    expect(await formed()).toEqual([
      { kind: 'batch', numbers: [101, 102, 103] },
      { kind: 'tie', numbers: numbers(1, 20) },
      { kind: 'tie', numbers: numbers(21, 5) },
    ]);
  });

  it('deletes an address that has been geocoded, unless rows wait for it', async () => {
    await addAddresses(db.pool, { count: 4 });
    await db.pool.query(
      `insert into location (address_key, outcome, expires_at)
       values ($1, 0, null), ($2, 1, now() + interval '1 day'), ($3, 1, now() - interval '1 day'), ($4, 0, null)`,
      [1, 2, 3, 4].map(keyOf),
    );
    await db.pool.query(`insert into location_wait values ($1, gen_random_uuid(), 1, 1)`, [keyOf(4)]);
    expect(await callsOn(db.pool).formCalls()).toBe(1);
    expect(await formed()).toEqual([{ kind: 'batch', numbers: [3, 4] }]);
    expect((await db.pool.query('select 1 from geocode_address')).rowCount).toBe(2);
  });

  it('forms no empty call', async () => {
    await addAddresses(db.pool, { count: 1 });
    await db.pool.query(`insert into location (address_key, outcome) values ($1, 0)`, [keyOf(1)]);
    expect(await callsOn(db.pool).formCalls()).toBe(0);
    expect((await db.pool.query('select 1 from geocode_call')).rowCount).toBe(0);
  });

  it('puts each address into one call, for any number of processes', async () => {
    await addAddresses(db.pool, { count: 500 });
    const calls = callsOn(db.pool, { callsAtOnce: 20 });
    const gathered = await Promise.all(Array.from({ length: 6 }, () => calls.formCalls()));
    const all = (await formed()).flatMap((call) => call.numbers);
    expect(gathered.reduce((sum, n) => sum + n, 0)).toBe((await formed()).length);
    expect(new Set(all).size).toBe(all.length);
    expect(all).toHaveLength(500);
  });

  it('requests an error again after its wait, in a call of its own', async () => {
    await addAddresses(db.pool, { count: 3 });
    await db.pool.query(
      `update geocode_address set error_code = 'missing', failures = 5, retry_at = now() + interval '6 hours', is_tie = (ask_order = 2)
       where ask_order < 3`,
    );
    await waitFor(db.pool, 1, 2);
    const calls = callsOn(db.pool);
    await calls.formCalls();
    expect(await formed()).toEqual([{ kind: 'batch', numbers: [3] }]);
    await passTime(db.pool, 6 * 3600);
    expect(await calls.formCalls()).toBe(2);
    expect((await formed()).slice(1)).toEqual([
      { kind: 'batch', numbers: [1] },
      { kind: 'tie', numbers: [2] },
    ]);
  });

  it('deletes an error if no batch, filing or current request waits for it', async () => {
    await addAddresses(db.pool, { count: 4 });
    await db.pool.query(`update geocode_address set error_code = 'missing', failures = 5, retry_at = now()`);
    await waitFor(db.pool, 1);
    await makePartitions(db.pool, [GIFT.cycle]);
    await storeContributions(db.pool, [GIFT]);
    await db.pool.query('update contribution set address_key = $1', [keyOf(2)]);
    const client = await db.pool.connect();
    await client.query('begin');
    await client.query('select from geocode_address where address_key = $1 for key share', [keyOf(3)]);
    const calls = callsOn(db.pool, { callsAtOnce: 4 });
    await calls.formCalls();
    await client.query('commit');
    client.release();
    expect((await formed()).map(({ numbers: of }) => of)).toEqual([[1], [2]]);
    const { rows } = await db.pool.query('select address_key from geocode_address order by address_key');
    expect(rows.map((row) => numberOf(row.address_key))).toEqual([1, 2, 3]);
    await db.pool.query('truncate contribution cascade');
  });

  it('does not mix addresses of two vintages in a call', async () => {
    await addAddresses(db.pool, { count: 12, vintage: 'Old' });
    await addAddresses(db.pool, { from: 101, count: 5, vintage: 'New' });
    const calls = callsOn(db.pool);
    expect(await calls.formCalls()).toBe(3);
    expect((await formed()).map(({ numbers: of }) => of).sort()).toEqual([
      [1, 2, 3, 4, 5],
      [101, 102, 103, 104, 105],
      [6, 7, 8, 9, 10, 11, 12],
    ]);
    for (const id of await calls.findDue(10)) {
      const call = await taken(calls, id);
      expect(call).toMatchObject({ ...SETTINGS, vintage: numberOf(call.addresses[0].key) > 100 ? 'New' : 'Old' });
      await calls.releaseLease(call);
    }
  });

  it('requests all errors at once on request of an operator', async () => {
    await addAddresses(db.pool, { count: 5 });
    await db.pool.query(
      `update geocode_address set error_code = 'missing', failures = 5, retry_at = now() + interval '6 hours'`,
    );
    const calls = callsOn(db.pool);
    expect(await calls.retryErrors()).toBe(5);
    expect(await calls.retryErrors()).toBe(0);
    await calls.formCalls();
    const [id] = await calls.findDue(10);
    const call = await taken(calls, id);
    expect(call.addresses.map(({ key, failures }) => [numberOf(key), failures])).toEqual(
      numbers(1, 5).map((n) => [n, 0]),
    );
    expect(await calls.commit(call, resultsOf(call), noRowsWait)).toBe(true);
  });

  it.each(['never analysed', 'analysed'])(
    'reads only the addresses of the call, with 100,000 waiting (%s)',
    async (stats) => {
      await addAddresses(db.pool, { count: 100_000 });
      if (stats === 'analysed') await db.pool.query('analyze');
      const plans: string[] = [];
      const one = new Pool({ connectionString: db.url, max: 1 });
      one.on('connect', (client) => client.on('notice', ({ message }) => plans.push(message ?? '')));
      await one.query(`load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_analyze = on;
                     set auto_explain.log_timing = off; set auto_explain.log_level = notice`);
      expect(await callsOn(one, { callRows: 1_000, callsAtOnce: 1 }).formCalls()).toBe(4);
      await one.end();
      const forming = plans.filter((plan) =>
        plan.includes('insert into geocode_call (kind, benchmark, vintage, rows)'),
      );
      expect(forming).toHaveLength(5); // the last finds no ties
      for (const plan of forming) {
        expect(plan).toMatch(/Index Scan using geocode_address_waiting/);
        expect(plan).not.toMatch(/Seq Scan/);
        expect(plan).not.toMatch(/actual rows=\d{5}/);
      }
    },
  );
});
