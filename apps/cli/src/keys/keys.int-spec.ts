import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { Home } from '../home/home';
import { type Context } from '../program-context';
import { buildProgram } from '../program';
import { createFirstKey } from '../start/secrets';

// The command imports the name of the compiled file.
jest.mock('./open-keys.js', () => jest.requireActual<object>('./open-keys'), { virtual: true });

describe('bin/donorlens keys', () => {
  let db: TestDatabase;
  let home: string;
  beforeAll(async () => {
    db = await testDatabase();
    home = mkdtempSync(join(tmpdir(), 'donorlens-keys-'));
  });
  afterAll(async () => {
    await db.close();
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(() => {
    jest.replaceProperty(process, 'env', { DATABASE_URL: db.url, DONORLENS_HOME: home });
  });
  afterEach(() => jest.restoreAllMocks());

  async function keys(...args: string[]): Promise<string> {
    let text = '';
    const write = (line: string): void => void (text += `${line}\n`);
    const run: Context['run'] =
      (work) =>
      (...given) =>
        work(...given).then(() => undefined);
    await buildProgram({ out: write, note: write, run }).parseAsync(['keys', ...args], { from: 'user' });
    return text;
  }

  it('issue prints the key with prefix and scopes', async () => {
    expect(await keys('issue', '--name', 'x', '--scopes', 'ops,charts:read')).toMatch(
      /^(dl_\w{8})\S+\nprefix \1, scopes ops,charts:read; the key is shown only once\n$/,
    );
  });

  it('revoke names the command that lists the keys if no key has this prefix', async () => {
    await expect(keys('revoke', 'dl_00000000')).rejects.toThrow(/^no API key has .* bin\/donorlens keys list$/);
  });

  it('list reports after a restore that no key is valid until keys confirm, as does the banner', async () => {
    const first = (confirmsTimeline = false) => createFirstKey(db.url, undefined, new Home(home), confirmsTimeline);
    expect(await keys('list')).toContain('  valid  ');
    expect(await first(true)).toMatchObject({ isUnconfirmed: false });
    await db.pool.query('update installation set timeline = timeline - 1');
    expect([await first(), await first(true)]).toMatchObject([{ isUnconfirmed: false }, { isUnconfirmed: true }]);
    expect(await keys('list')).toContain('  valid  ');
    jest.replaceProperty(process, 'env', { DATABASE_URL: db.url, DONORLENS_HOME: home, CONFIRM_NEW_TIMELINE: 'true' });
    expect(await keys('list')).toMatch(/  unconfirmed  .*\nPostgres has begun a new timeline/s);
    await db.pool.query('update installation set server_id = server_id + 1');
    expect(await first()).toMatchObject({ isUnconfirmed: true });
    const listed = await keys('list');
    expect(listed).toMatch(/  unconfirmed  .*\nThe database was restored from a dump: no API key is valid\./s);
    expect(await keys('confirm')).toBe('1 key is valid within 5 s\n');
    expect(await keys('list')).toMatch(/  valid  [^\n]*\n$/);
  });
});
