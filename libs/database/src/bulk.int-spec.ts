import { type Pool } from 'pg';
import { createLogger } from '@donorlens/observability';
import { TcpProxy } from '../../../test/support/installation';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import { copyIn, copyOut } from './copy';
import { createPool, inTransaction } from './pool';

describe('bulk and transactions', () => {
  let db: TestDatabase;
  let pool: Pool;
  beforeAll(async () => {
    db = await testDatabase({ migrated: false });
    pool = createPool(db.url, createLogger('test', 'silent'), { max: 2 });
  });
  beforeEach(async () => {
    await db.pool.query('drop table if exists item');
    await db.pool.query('create table item (n int primary key, text text)');
  });
  afterAll(async () => {
    await pool.end();
    await db.close();
  });
  const count = async (): Promise<number> => (await db.pool.query('select count(*)::int as n from item')).rows[0].n;
  const COPY = 'copy item (n, text) from stdin';

  it('copies a buffer, also an empty one, and returns the number of rows', async () => {
    expect(await inTransaction(pool, (client) => copyIn(client, COPY, Buffer.from('1\tone\n2\ttwo\n')))).toBe(2);
    expect(await inTransaction(pool, (client) => copyIn(client, COPY, Buffer.alloc(0)))).toBe(0);
    expect(await count()).toBe(2);
  });

  it('copies a stream whose pieces end in the middle of a row', async () => {
    async function* pieces() {
      for (const piece of ['1\to', 'ne\n2', '\ttwo\n']) yield await Promise.resolve(Buffer.from(piece));
    }
    expect(await inTransaction(pool, (client) => copyIn(client, COPY, pieces()))).toBe(2);
  });

  it('stores nothing, and stays usable, if the source fails', async () => {
    async function* failing() {
      yield await Promise.resolve('1\tone\n');
      throw new Error('line 2 is cut');
    }
    await expect(inTransaction(pool, (client) => copyIn(client, COPY, failing()))).rejects.toThrow('line 2 is cut');
    expect(await count()).toBe(0);
    for (let n = 0; n < 4; n++) await inTransaction(pool, (client) => client.query('select 1'));
  });

  it('stores nothing, and stays usable, if the database rejects a row', async () => {
    const twice = Buffer.from('1\tone\n1\tagain\n');
    await expect(inTransaction(pool, (client) => copyIn(client, COPY, twice))).rejects.toMatchObject({ code: '23505' });
    expect(await count()).toBe(0);
    for (let n = 0; n < 4; n++) await inTransaction(pool, (client) => client.query('select 1'));
  });

  it('reads 200,000 rows at the speed of a slow reader, without buffering them', async () => {
    await db.pool.query(`insert into item select n, repeat('x', 100) from generate_series(1, 200000) n`);
    const bytes = await inTransaction(pool, async (client) => {
      const stream = copyOut(client, 'copy (select n, text from item order by n) to stdout');
      let read = 0;
      let held = 0;
      for await (const piece of stream) {
        read += (piece as Buffer).length;
        held = Math.max(held, stream.readableLength);
        if (read % 7 === 0) await new Promise(setImmediate);
      }
      expect(held).toBeLessThan(2_000_000);
      return read;
    });
    expect(bytes).toBe(200_000 * 102 + 1_088_895); // text, tab and newline; digits of 1 to 200,000
  });

  it('rolls back if fn throws', async () => {
    const work = inTransaction(pool, async (client) => {
      await client.query(`insert into item values (1, 'one')`);
      throw new Error('changed my mind');
    });
    await expect(work).rejects.toThrow('changed my mind');
    expect(await count()).toBe(0);
  });

  it('discards a broken connection, and continues with a new one', async () => {
    const work = inTransaction(pool, async (client) => {
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await db.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
      await client.query('select pg_sleep(5)');
    });
    await expect(work).rejects.toThrow();
    await expect(inTransaction(pool, (client) => client.query('select 1'))).resolves.toMatchObject({ rowCount: 1 });
  });

  it('ends a statement that exceeds its timeout', async () => {
    await expect(
      inTransaction(pool, (client) => client.query('select pg_sleep(5)'), { statementTimeoutMs: 50 }),
    ).rejects.toMatchObject({ code: '57014' });
  });

  it('reads one state of the database in a repeatable read', async () => {
    await inTransaction(
      pool,
      async (client) => {
        const before = (await client.query('select count(*)::int as n from item')).rows[0].n;
        await db.pool.query(`insert into item values (1, 'one')`);
        expect((await client.query('select count(*)::int as n from item')).rows[0].n).toBe(before);
      },
      { isolation: 'repeatable read read only' },
    );
  });

  describe('on a network that dropped silently', () => {
    let proxy: TcpProxy;
    let far: Pool;
    beforeEach(async () => {
      proxy = await TcpProxy.to(Number(new URL(db.url).port));
      far = createPool(proxy.through(db.url), createLogger('test', 'silent'), { max: 1, statementTimeoutMs: 1_000 });
      await far.query('select 1');
    });
    afterEach(async () => {
      await far.end();
      await proxy.close();
    });
    const goDead = (): void => proxy.set({ kind: 'half-open' });
    /** As after a firewall that forgot what was open: only new connections get through. */
    const comeBack = (): void => proxy.set({ kind: 'normal', dropExisting: true });

    it('ends a statement without an answer, and continues with a new connection', async () => {
      goDead();
      await expect(far.query('select 1')).rejects.toThrow('Query read timeout');
      comeBack();
      await expect(far.query('select 1')).resolves.toMatchObject({ rowCount: 1 });
    });

    it('ends a transaction with it, without waiting for its rollback, and stores nothing', async () => {
      const work = inTransaction(far, async (client) => {
        await client.query(`insert into item values (1, 'one')`);
        goDead();
        await client.query('select 1');
      });
      await expect(work).rejects.toThrow('Query read timeout');
      comeBack();
      await expect(far.query('select n from item')).resolves.toMatchObject({ rowCount: 0 });
    });

    it('ends a COPY that the server does not read', async () => {
      async function* pieces() {
        yield await Promise.resolve('1\tone\n');
        goDead();
        yield '2\ttwo\n';
      }
      await expect(inTransaction(far, (client) => copyIn(client, COPY, pieces(), 1_000))).rejects.toThrow(
        'Query read timeout',
      );
      comeBack();
      await expect(far.query('select n from item')).resolves.toMatchObject({ rowCount: 0 });
    });

    it('lets a COPY take longer than a statement while its source or its reader is slow', async () => {
      const slow = () => new Promise((resolve) => setTimeout(resolve, 1_300));
      async function* pieces() {
        yield '1\tone\n';
        await slow();
        yield '2\ttwo\n';
      }
      const limits = { statementTimeoutMs: 0, onlyCopyIsSlow: true };
      expect(await inTransaction(far, (client) => copyIn(client, COPY, pieces(), 1_000), limits)).toBe(2);
      const read = inTransaction(
        far,
        async (client) => {
          const seen: string[] = [];
          for await (const piece of copyOut(client, 'copy item to stdout')) {
            await slow();
            seen.push(String(piece));
          }
          return seen.join('');
        },
        limits,
      );
      expect(await read).toBe('1\tone\n2\ttwo\n');
    });
  });

  it('survives a server that ends all connections', async () => {
    await pool.query('select 1');
    await db.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()`,
      [db.name],
    );
    await until('the pool has noticed', () => pool.totalCount === 0);
    await expect(pool.query('select 1')).resolves.toMatchObject({ rowCount: 1 });
  });
});
