import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testDatabase } from '../../../../test/support/servers';
import { GIFT, makePartitions, storeContributions } from '../../../../test/support/fec-data/contribution-rows';

describe('the migration of signed refunds', () => {
  it('corrects stored negative refunds, and requests a count of their donors', async () => {
    const db = await testDatabase();
    await makePartitions(db.pool, [2016]);
    const refund = { ...GIFT, reason: 'refund', moneyCents: -500 } as const;
    await storeContributions(db.pool, [
      { ...refund, rowId: 1, donorKey: 1 },
      { ...refund, rowId: 2, donorKey: 2 },
      { ...refund, rowId: 3, donorKey: 3, reason: 'negative' },
    ]);
    await db.pool.query(
      `update contribution set record = repeat(chr(28), 14) || case row_id when 2 then '5' else '-5' end`,
    );
    await db.pool.query('truncate donor_touched');
    const sql = await readFile(join('libs/database/migrations', '0012_signed_refunds.sql'), 'utf8');
    await db.pool.query(sql);
    await db.pool.query(sql); // changes nothing any more
    const money = await db.pool.query('select money_cents::int as cents from contribution order by row_id');
    expect(money.rows.map(({ cents }) => cents as number)).toEqual([500, -500, -500]);
    expect((await db.pool.query('select donor_key::int from donor_touched')).rows).toEqual([{ donor_key: 1 }]);
    await db.close();
  });
});
