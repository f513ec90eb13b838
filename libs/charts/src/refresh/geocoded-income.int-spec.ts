import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import {
  GIFT,
  makePartitions,
  replaceLinkages,
  storeContributions,
} from '../../../../test/support/fec-data/contribution-rows';
import { locateContributions } from '../../../../test/support/reference-data/known-addresses';
import { ChartRepository } from '../reading/chart.repository';
import { refreshCharts } from './refresh-charts';

const CANDIDATE = 'P00000001';
const [HOME, ELSEWHERE] = ['home', 'elsewhere'].map((name) => Buffer.from(name));
const INCOMES = new Map([
  ['51059', 124_831],
  ['39049', 61_305],
]);

describe('donors by income', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
    await makePartitions(db.pool, [2016]);
    await replaceLinkages(db.pool, [
      { candidateId: CANDIDATE, committeeId: GIFT.committeeId, cycle: 2016, designation: 'P' },
    ]);
  });
  afterAll(() => db.close());

  const byIncome = async (): Promise<unknown[][]> => {
    const reader = new ChartRepository(db.pool);
    const rows = await reader.breakdown((await reader.current())!, { candidateIds: [CANDIDATE], by: ['income'] });
    return [...rows].map((row) => [row.value, row.donors, row.contributions, row.amountCents]);
  };
  const geocoded = async (key: Buffer, fips: string): Promise<void> => {
    await locateContributions(db.pool, [{ key, fips }], (county) => INCOMES.get(county) ?? null);
    await refreshCharts(db.pool);
  };

  it('have unknown income until their addresses are geocoded, and then move to their band', async () => {
    await storeContributions(
      db.pool,
      [1, 2, 3].map((donor) => ({ ...GIFT, rowId: donor, donorKey: donor, income: null })),
    );
    await db.pool.query('update contribution set address_key = case when row_id < 3 then $1::bytea else $2 end', [
      HOME,
      ELSEWHERE,
    ]);
    await refreshCharts(db.pool);
    expect(await byIncome()).toEqual([[null, 3, 3, 7500]]);
    await geocoded(HOME, '51059');
    expect(await byIncome()).toEqual([
      ['120000-129999', 2, 2, 5000],
      [null, 1, 1, 2500],
    ]);
    await geocoded(ELSEWHERE, '39049');
    expect(await byIncome()).toEqual([
      ['60000-69999', 1, 1, 2500],
      ['120000-129999', 2, 2, 5000],
    ]);
  });
});
