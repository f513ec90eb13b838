import { createHash } from 'node:crypto';
import { inTransaction } from '@donorlens/database';
import { LocationRepository } from '@donorlens/locations';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { storeManyContributions } from '../../../../test/support/fec-data/filed-contributions';
import { ContributionStore } from './contribution.store';
import { BY_INDEX, UPDATE_INCOMES } from './county-income.store';
import {
  OPEN_STAGING,
  STAGED_COUNTIES,
  UPDATE_REENRICHED,
  STORE_CHANGED,
  STORE_NEW,
} from './contribution-staging.store';

describe('partitions of contributions', () => {
  let store: ContributionStore;
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
    store = new ContributionStore(new LocationRepository(db.pool, null));
  });
  afterAll(() => db.close());

  const ensured = (cycle: number): Promise<void> =>
    inTransaction(db.pool, (client) => store.ensureCycle(client, cycle));
  const partitions = async (): Promise<string[]> => {
    const { rows } = await db.pool.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'contribution'::regclass order by 1`,
    );
    return rows.map(({ name }) => name);
  };

  it('are created once, also by concurrent transactions', async () => {
    await ensured(2012);
    await ensured(2012);
    await Promise.all([2014, 2014, 2016, 2014, 2016].map(ensured));
    expect(await partitions()).toEqual(['contribution_2012', 'contribution_2014', 'contribution_2016']);
  });

  it('disappear if the transaction that creates them is rolled back', async () => {
    const failed = inTransaction(db.pool, async (client) => {
      await store.ensureCycle(client, 2018);
      throw new Error('rolled back');
    });
    await expect(failed).rejects.toThrow('rolled back');
    expect(await partitions()).not.toContain('contribution_2018');
    await ensured(2018);
    expect(await partitions()).toContain('contribution_2018');
  });

  it('have all indexes of the parent table', async () => {
    await ensured(2020);
    const indexes = (table: string) =>
      db.pool.query<{ n: number }>(`select count(*)::int as n from pg_index where indrelid = $1::regclass`, [table]);
    expect((await indexes('contribution_2020')).rows).toEqual((await indexes('contribution')).rows);
    const { rows } = await db.pool.query(
      `select 1 from pg_index where indrelid = 'contribution'::regclass and not indisvalid`,
    );
    expect(rows).toEqual([]);
  });

  it('do not block readers and writers of other partitions during their creation', async () => {
    await ensured(2022);
    await inTransaction(db.pool, async (client) => {
      await store.ensureCycle(client, 2024);
      await inTransaction(db.pool, async (another) => {
        await another.query(`set local lock_timeout = '2s'`);
        await another.query('select count(*) from contribution where cycle = 2022');
        await another.query('delete from contribution where cycle = 2022');
      });
    });
    expect(await partitions()).toContain('contribution_2024');
  });

  it('are not scanned sequentially to store a few rows, even if the statistics suggest it', async () => {
    await ensured(2030);
    await db.pool.query(
      `insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, money_cents, counts_money,
         counts_donor, count_reason, earmark, state, tran_id, release_no, record)
       values (2030, 1, 'C99000001', 1, 1, 0, true, true, 0, 0, 'VA', 'T', 1, '')`,
    );
    await db.pool.query('analyze contribution'); // one page: a sequential scan is cheaper than any index
    await inTransaction(db.pool, async (client) => {
      await client.query(OPEN_STAGING);
      for (const statement of [STORE_NEW, STORE_CHANGED, STAGED_COUNTIES, UPDATE_REENRICHED]) {
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(
          `explain ${statement.replaceAll('$1', '1').replaceAll('$2', `'{}'`)}`,
        );
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        if (statement !== STORE_NEW) expect(plan).toMatch(/contribution_2030/);
        expect(plan).not.toMatch(/Seq Scan on contribution_\d+/);
      }
    });
  });

  it('are searched by the address index for geocoded addresses, also for many of them', async () => {
    await storeManyContributions(db.pool, { cycle: 2032, committeeId: 'C99000001', rows: 10_000 });
    await db.pool.query(
      `update contribution set address_key = decode(md5((row_id % 300)::text), 'hex') where cycle = 2032`,
    );
    await db.pool.query('vacuum analyze contribution');
    const keys = Array.from({ length: 300 }, (_, n) => createHash('md5').update(String(n)).digest());
    await inTransaction(db.pool, async (client) => {
      await client.query(BY_INDEX);
      const explained = `explain ${UPDATE_INCOMES}`;
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(explained, [keys, keys.map(() => 50_000)]);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/contribution_2032_address_key_idx/);
      expect(plan).toMatch(/contribution_2032_pkey on contribution_2032 .*\n *Index Cond/);
      expect(plan).not.toMatch(/Seq Scan|Hash Join|Merge Join/);
    });
    const told = inTransaction(db.pool, (client) =>
      store.storeLocations(
        client,
        keys.map((key) => ({ key, fips: '51059' })),
        () => 50_000,
      ),
    );
    expect(await told).toBe(10_000);
  });
});
