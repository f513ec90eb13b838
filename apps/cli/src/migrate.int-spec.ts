import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { withKeys } from './keys/open-keys';
import { migrate } from './migrate';
import { type Context } from './program-context';

describe('donorlens migrate', () => {
  let db: TestDatabase;
  let home: string;
  let written: string;
  const write = (text: string): void => void (written += text);
  const context: Context = { out: write, note: write, run: () => () => Promise.resolve() };
  const run = (environment: Record<string, string>): Promise<number> => {
    const DONORLENS_HOME = home;
    jest.replaceProperty(process, 'env', {
      ...{ DATABASE_URL: db.url, QUEUE_BACKEND: 'postgres', DONORLENS_HOME },
      ...environment,
    });
    written = '';
    return migrate(context, {});
  };
  const names = () => withKeys(db.url, async (keys) => (await keys.listUnrevoked()).map(({ name }) => name));

  beforeAll(async () => {
    db = await testDatabase({ migrated: false });
    home = mkdtempSync(join(tmpdir(), 'donorlens-migrate-'));
  });
  afterAll(async () => {
    await db.close();
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(() => jest.restoreAllMocks());

  it('creates the schema, and once the key of BOOTSTRAP_KEY if that is set, without printing it', async () => {
    await run({});
    expect(written).toMatch(/^schema \d+: applied foundation, .*operations/);
    expect(written).toContain('database: fsync=off'); // a setting of the test server
    expect(await names()).toEqual([]);
    await run({ BOOTSTRAP_KEY: 'a key of the tests' });
    expect(written).toMatch(/: already up to date; key: the value of BOOTSTRAP_KEY/);
    expect(written).not.toContain('a key of the tests');
    await run({ BOOTSTRAP_KEY: 'a key of the tests' });
    expect(await names()).toEqual(['bootstrap']);
    await run({});
    expect(await names()).toEqual(['bootstrap']);
  });
});
