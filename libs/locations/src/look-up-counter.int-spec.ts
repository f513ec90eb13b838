import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import { LookUpCounter } from './location.repository';

describe('the count of lookups', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());

  it('is stored periodically, in one statement for many lookups', async () => {
    const query = jest.spyOn(db.pool, 'query');
    const counter = new LookUpCounter(db.pool, 50);
    for (let i = 0; i < 100; i++) counter.count(2, 1);
    expect(query).not.toHaveBeenCalled();
    await until('written', () => query.mock.results.length === 1);
    await query.mock.results[0].value;
    query.mockRestore();
    expect((await db.pool.query('select hits, misses from geocoder')).rows[0]).toEqual({ hits: '200', misses: '100' });
  });

  it('may be lost without harm', async () => {
    const away = { query: () => Promise.reject(new Error('database away')) };
    const counter = new LookUpCounter(away as never);
    counter.count(1, 1);
    await expect(counter.flush()).resolves.toBeUndefined();
  });
});
