import { type TestDatabase, testDatabase } from '../../../../test/support';
import { type Context } from '../program-context';
import { rebuild } from './charts';

describe('charts rebuild', () => {
  let db: TestDatabase;
  const context: Context = { out: () => undefined, note: () => undefined, run: () => () => Promise.resolve() };
  const cutShort = (kind: string, source: string) =>
    db.pool.query(
      `insert into fec_import (kind, cycle, label, source, state, epoch) values ($1, 2016, 'folder', $2, 'loading', 1)`,
      [kind, source],
    );

  beforeAll(async () => void (db = await testDatabase()));
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query('truncate fec_import cascade');
    jest.replaceProperty(process, 'env', { DATABASE_URL: db.url });
  });
  afterEach(() => jest.restoreAllMocks());

  it('waits for the command of an import that was cut short', async () => {
    await cutShort('contributions', 'itcont.txt');
    await expect(rebuild(context, {})).rejects.toThrow(
      /^import \d+ \(itcont\.txt\) was cut short: give its command again first, or wait a day$/,
    );
  });

  it('waits for the aggregator where rows follow a release, for which there is no command', async () => {
    await cutShort('reenrich', 'r-2020');
    await expect(rebuild(context, {})).rejects.toThrow(
      /^contributions of 2016 do not all follow release r-2020 yet .* a running aggregator goes on by itself/,
    );
  });

  it('makes them where nothing was cut short', async () => {
    await expect(rebuild(context, {})).resolves.toBe(0);
  });
});
