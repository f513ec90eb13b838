import fc from 'fast-check';
import { createLogger } from '@donorlens/observability';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { type RowCounts, writeBackup } from './backup';
import { LineReader, restoreBackup } from './restore';

const logger = createLogger('test', 'silent');

async function textOf(db: TestDatabase): Promise<string> {
  const client = await db.pool.connect();
  try {
    const pieces: Buffer[] = [];
    for await (const piece of writeBackup(client)) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces).toString();
  } finally {
    client.release();
  }
}

async function* cut(text: string, length = 7): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += length) yield await Promise.resolve(bytes.subarray(at, at + length));
}

describe('a backup', () => {
  let source: TestDatabase;
  let text: string;
  beforeAll(async () => {
    source = await testDatabase();
    await source.pool.query(
      `insert into api_key (id, name, prefix, secret_hash, scopes) select gen_random_uuid(), 'key ' || n, 'dl_' || n,
         sha256(n::text::bytea), '{charts:read}' from generate_series(1, 3) n;
       insert into audit (actor, action, detail) values ('operator', E'a line\\n\\\\.\\nand a tab\\t', '{"a": "\\\\."}');
       insert into fec_import (id, kind, cycle, label, source, epoch, state, detail) overriding system value
         values (7, 'contributions', 2016, 'folder', 'indiv16.zip', 1, 'done', '{}');
       insert into batch (id, type, input_format, state, import_id) values (gen_random_uuid(), 'contributions', 'csv', 'accepted', 7);
       create table contribution_2016 partition of contribution for values in (2016);
       insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, money_cents, counts_money,
         counts_donor, count_reason, earmark, state, tran_id, release_no, record)
       select 2016, n, 'C99000001', 1, 1, 2500, true, true, 0, 0, 'VA', 'T', 1, 'AN|INVENTED|RECORD' from generate_series(1, 2000) n`,
    );
    text = await textOf(source);
  });
  afterAll(() => source.close());

  const emptyDatabase = (): Promise<TestDatabase> => testDatabase({ migrated: false });
  const restored = async (sql: string): Promise<{ db: TestDatabase; rows: RowCounts }> => {
    const db = await emptyDatabase();
    return { db, rows: await restoreBackup(db.url, cut(sql, 4096), logger) };
  };

  it('restores every row, partition and sequence', async () => {
    const { db, rows } = await restored(text);
    expect(rows).toMatchObject({ api_key: 3, audit: 1, contribution_2016: 2000 });
    const withoutTime = (sql: string): string => sql.slice(sql.indexOf('\n'));
    expect(withoutTime(await textOf(db))).toBe(withoutTime(text));
    const { rows: next } = await db.pool.query(`insert into audit (actor, action) values ('a', 'b') returning id`);
    expect(next).toEqual([{ id: '2' }]);
    await db.close();
  });

  it('is rejected by a database with API keys, which does not change', async () => {
    await expect(restoreBackup(source.url, cut(text, 4096), logger)).rejects.toMatchObject({ code: 'database-in-use' });
    expect(await textOf(source)).toHaveLength(text.length);
  });

  it.each([
    ['cut in the middle of a table', () => text.slice(0, text.indexOf('AN|INVENTED') + 30_000), 'truncated-backup'],
    ['without its last line', () => text.replace(/commit;\n$/, ''), 'truncated-backup'],
    ['without one row', () => text.replace(/.*dl_2.*\n/, ''), 'different-rows'],
    ['of a newer release', () => text.replace(/"schema":\d+/, '"schema":999'), 'newer-backup'],
    ['that is another file', () => 'select 1;\n', 'not-a-backup'],
  ])('%s is refused, and nothing is restored', async (_what, damaged, code) => {
    const db = await emptyDatabase();
    await expect(restoreBackup(db.url, cut(damaged(), 4096), logger)).rejects.toMatchObject({ code });
    const { rows } = await db.pool.query(`select to_regclass('api_key') is not null as migrated`);
    if ((rows as { migrated: boolean }[])[0].migrated)
      expect((await db.pool.query('select from api_key')).rowCount).toBe(0);
    await expect(restoreBackup(db.url, cut(text, 4096), logger)).resolves.toMatchObject({ api_key: 3 });
    await db.close();
  });
});

describe('reading the lines of a backup', () => {
  it('finds the data of a COPY for any pieces', async () => {
    const dataLine = fc.stringMatching(/^[a-z\t\\]{0,6}$/).filter((line) => line !== '\\.');
    await fc.assert(
      fc.asyncProperty(fc.array(dataLine), fc.integer({ min: 1, max: 9 }), async (lines, length) => {
        const data = lines.map((line) => `${line}\n`).join('');
        const reader = new LineReader(cut(`copy t;\n${data}\\.\ncommit;\n`, length));
        expect(await reader.next()).toBe('copy t;');
        const pieces: Buffer[] = [];
        for await (const piece of reader.copyData()) pieces.push(piece);
        expect(Buffer.concat(pieces).toString()).toBe(data);
        expect([await reader.next(), await reader.next()]).toEqual(['commit;', null]);
      }),
    );
  });
});
