import { type TestDatabase, testDatabase } from '../../../../test/support';
import { type Context } from '../program-context';
import { rebuild } from './charts';

describe('charts rebuild', () => {
  let db: TestDatabase;
  const context: Context = { out: () => undefined, note: () => undefined, run: () => () => Promise.resolve() };
  const interruptedImport = (kind: string, source: string) =>
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

  it('waits for the command of an import that was interrupted', async () => {
    await interruptedImport('contributions', 'itcont.txt');
    await expect(rebuild(context, {})).rejects.toThrow(
      /^import \d+ \(itcont\.txt\) was interrupted: run its command again first, or wait a day$/,
    );
  });

  it('waits for the aggregator if rows are enriched under a new release, which has no command', async () => {
    await interruptedImport('reenrich', 'r-2020');
    await expect(rebuild(context, {})).rejects.toThrow(
      /^contributions of 2016 are not all enriched under release r-2020 yet .* a running aggregator continues it/,
    );
  });

  it('rebuilds them if no import was interrupted', async () => {
    await expect(rebuild(context, {})).resolves.toBe(0);
  });
});
