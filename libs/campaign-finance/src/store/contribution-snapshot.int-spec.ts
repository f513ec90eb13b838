import { type Pool } from 'pg';
import { inTransaction } from '@donorlens/database';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { until } from '../../../../test/support/until';
import { faultyPool } from '../../../../test/support/pipeline/faulty-pool';
import { linkCommittees } from '../../../../test/support/fec-data/itcont';
import { ContributionsRepository } from '../reading/contributions.repository';
import { addPartition } from './contribution-partition.store';
import { ContributionSnapshot } from './contribution-snapshot.store';
import { STAGING_COLUMNS } from './contribution-staging.store';

const CMTE = 'C00001000';
type Cells = Partial<Record<(typeof STAGING_COLUMNS)[number], string | number>>;

/** Line of COPY text as workers write it: a gift of a separate donor. */
const line = (rowId: number, cells: Cells = {}): string => {
  const row: Cells = {
    ...{ row_no: rowId, cycle: 2016, row_id: rowId, committee_id: CMTE, donor_key: rowId, donor_key_v2: 1 },
    ...{ money_cents: 100, counts_money: 't', counts_donor: 't', count_reason: 0, earmark: 0, state: 'IL' },
    ...{ tran_id: '', file_cycle: 2016, record: Array(21).fill('x').join('\x1c') },
    ...cells,
  };
  return `${STAGING_COLUMNS.map((column) => row[column] ?? '\\N').join('\t')}\n`;
};
const lines = (first: number, count: number, cells?: Cells): string[] =>
  Array.from({ length: count }, (_, i) => line(first + i, cells));

describe('a snapshot of a bulk file', () => {
  let db: TestDatabase;
  beforeEach(async () => {
    db = await testDatabase();
    await db.pool.query('create table done (step text primary key)');
    await linkCommittees(db.pool, 2016, CMTE);
    await inTransaction(db.pool, (client) => addPartition(client, 2016));
    await db.pool.query(FILED);
  });
  afterEach(() => db.close());

  /** Loads a file as an import does. Repeated calls run each step only once. */
  async function load(pool: Pool, name: string, chunks: readonly (readonly string[])[]): Promise<void> {
    const snapshot = new ContributionSnapshot(2016);
    const once = (step: string, work: Parameters<typeof inTransaction<void>>[1]): Promise<void> =>
      inTransaction(pool, async (client) => {
        const key = [`${name} ${step}`];
        const { rowCount } = await client.query('insert into done values ($1) on conflict do nothing', key);
        if (rowCount === 1) await work(client);
      });
    await once('create', (client) => snapshot.create(client, 'r.1'));
    for (const [at, chunk] of chunks.entries())
      await once(`chunk ${at}`, async (client) => void (await snapshot.append(client, Buffer.from(chunk.join('')))));
    if (!(await snapshot.isUsable(pool))) return;
    const { isFirst } = await snapshot.complete(pool);
    await once('finish', async (client) => {
      const apply = async (cycles: readonly number[]): Promise<void> => {
        await snapshot.compare(client, cycles, ['P']);
        await snapshot.apply(client, cycles);
      };
      await apply(isFirst ? [2014] : [2014, 2016]);
      if (isFirst) await snapshot.swap(client, { waitMs: 1_000, pauseMs: 10, attempts: 20 });
      await snapshot.remove(client);
    });
  }
  const one = async <T>(sql: string): Promise<T> => (await db.pool.query<{ value: T }>(sql)).rows[0].value;
  const digest = (): Promise<string> =>
    one(`select (select md5(string_agg(c::text, ';' order by cycle, row_id)) from contribution c) || ' '
      || (select md5(string_agg(t::text, ';' order by t::text)) from (select distinct * from donor_touched) t) as value`);
  const leftovers = (): Promise<number> =>
    one(`select count(*)::int as value from pg_class where relname ~ '_next|_difference'`);

  const FILED = `insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, money_cents, counts_money,
      counts_donor, count_reason, earmark, state, tran_id, release_no, record)
    values (2016, -5, '${CMTE}', 77, 1, 900, true, true, 0, 0, 'IL', 'X1', 1, repeat('x' || chr(28), 20))`;
  const first = [
    [...lines(1, 30), line(3, { row_no: 31, money_cents: 500 })],
    [...lines(31, 20), line(60, { cycle: 2014 })],
  ];
  const next = [[...lines(4, 46), line(50, { money_cents: 7 })], lines(70, 3)];

  it('replaces a cycle without rows of its files, including indexes, and keeps rows of filings', async () => {
    await load(db.pool, 'first', first);
    expect(await one('select count(*)::int as value from contribution where cycle = 2016')).toBe(51);
    expect(await one('select money_cents::int as value from contribution where row_id = 3')).toBe(500);
    expect(await one('select cycle as value from contribution where row_id = 60')).toBe(2014);
    expect(await one('select record as value from contribution where row_id = -5')).toHaveLength(40);
    const indexes = (table: string): Promise<number> =>
      one(`select count(*)::int as value from pg_index where indrelid = '${table}'::regclass and indisvalid`);
    expect(await indexes('contribution_2016')).toBe(await indexes('contribution'));
    expect(await leftovers()).toBe(0);
  });

  it('marks the rows of conduits whose gift is in the file', async () => {
    const gift = { donor_key: 7, earmark: 1, received_on: '2016-03-01' };
    const copy = { donor_key: 7, earmark: 2, received_on: '2016-03-04' };
    await load(db.pool, 'first', [[line(7, gift), line(8, copy)], [line(9, { ...copy, money_cents: 900 })]]);
    expect(await one(`select json_agg(row_id) as value from contribution where is_copy`)).toEqual([8]);
  });

  it('updates, inserts and deletes only the rows that differ if the cycle has rows of its files', async () => {
    await load(db.pool, 'first', first);
    await db.pool.query(`truncate donor_touched; update contribution set is_copy = true, address_key = 'a'`);
    const kept = `select string_agg(ctid || xmin::text, ',' order by row_id) as value from contribution
      where row_id between 4 and 49 or row_id < 0`;
    const before = await one(kept);
    await load(db.pool, 'next', next);
    expect(await one(kept)).toBe(before);
    const rows = `select string_agg(row_id || ' ' || money_cents || ' ' || is_copy, ',' order by row_id) as value
      from contribution where row_id > 49`;
    expect(await one(rows)).toBe('50 7 true,70 100 false,71 100 false,72 100 false');
    const touched = `select string_agg(donor_key::text, ',' order by donor_key) as value from donor_touched`;
    expect(await one(touched)).toBe('1,2,3,50,60,70,71,72');
    expect(await leftovers()).toBe(0);
  });

  it.each(['first', 'next'])('%s: leads to the same rows after a crash at every fourth statement', async (which) => {
    if (which === 'next') await load(db.pool, 'first', first);
    const start = await digest();
    await db.pool.query(
      `create table saved as select * from contribution; create table touched as table donor_touched`,
    );
    let statements = 0;
    let expected = '';
    let crashed = 0;
    for (let crashAt = 0, crashes = -1; crashAt === 0 || crashAt <= crashes; crashAt += 4) {
      const name = `load ${crashAt}`;
      statements = 0;
      const dying = faultyPool(db.pool, (sql, proceed, pid) => {
        if (sql.startsWith('copy ') || ++statements !== crashAt) return proceed();
        return db.pool.query('select pg_terminate_backend($1)', [pid]).then(proceed);
      });
      const chunks = which === 'first' ? first : next;
      const end = load(dying, name, chunks);
      if (crashAt > 0) {
        const hasEnded = await end.then(
          () => true, // the transaction ended before the connection closed
          () => false,
        );
        if (!hasEnded) expect([crashAt, await digest()]).toEqual([crashAt, start]);
        if (!hasEnded) await load(db.pool, name, chunks);
        crashed += Number(!hasEnded);
        expect([crashAt, await digest(), await leftovers()]).toEqual([crashAt, expected, 0]);
      } else {
        await end;
        expected = await digest();
        crashes = statements;
      }
      await db.pool.query(`drop table contribution_2014, contribution_2016; truncate donor_touched`);
      await inTransaction(db.pool, async (client) => {
        for (const cycle of [2014, 2016]) await addPartition(client, cycle);
        await client.query('insert into contribution select * from saved; insert into donor_touched table touched');
      });
    }
    expect(crashed).toBeGreaterThanOrEqual(5);
  });

  describe('that replaces a partition', () => {
    const read = async (): Promise<number> => {
      const nothing = { candidateIds: [], committeeIds: [], cycles: [2016], from: null, to: null, after: null };
      const file = await new ContributionsRepository(db.pool).open({ ...nothing, limit: null });
      const pieces: Buffer[] = [];
      for await (const piece of file.pieces({
        raw: true,
        detail: false,
        countyOf: () => null,
        zipCountyOf: () => null,
      }))
        pieces.push(piece);
      return Buffer.concat(pieces).toString().split('\n').length - 2;
    };
    const prepared = async (): Promise<ContributionSnapshot> => {
      const snapshot = new ContributionSnapshot(2016);
      await inTransaction(db.pool, async (client) => {
        await snapshot.create(client, 'r.1');
        await snapshot.append(client, Buffer.from(lines(1, 20).join('')));
      });
      await snapshot.complete(db.pool);
      return snapshot;
    };
    const waiting = (): Promise<boolean> =>
      one('select exists (select from pg_locks where not granted and mode ~ $$Access$$) as value');

    it('shows all rows, including those of filings, to a reader that waited for the swap', async () => {
      const snapshot = await prepared();
      expect(await read()).toBe(1);
      let late: Promise<number> = Promise.resolve(0);
      await inTransaction(db.pool, async (client) => {
        expect(await snapshot.swap(client)).toBe(true);
        late = read();
        await until('the reader waits', waiting);
      });
      expect(await late).toBe(21);
    });

    it('waits for readers, and is applied instead if a reader holds its lock for too long', async () => {
      const snapshot = await prepared();
      await inTransaction(db.pool, async (reader) => {
        await reader.query('select from contribution');
        await inTransaction(db.pool, async (client) => {
          expect(await snapshot.swap(client, { waitMs: 5, pauseMs: 5, attempts: 3 })).toBe(false);
          await snapshot.compare(client, [2016], ['P']);
          await snapshot.apply(client, [2016]);
          await snapshot.remove(client);
        });
      });
      expect([await read(), await leftovers()]).toEqual([21, 0]);
    });
  });

  it('is removed by the next import if its own import has ended', async () => {
    await inTransaction(db.pool, (client) => new ContributionSnapshot(2012).create(client, 'r.1'));
    await inTransaction(db.pool, (client) => new ContributionSnapshot(2016).create(client, 'r.1'));
    expect(await one(`select string_agg(relname, ',') as value from pg_class where relname ~ '_next$'`)).toBe(
      'contribution_2016_next',
    );
  });
});
