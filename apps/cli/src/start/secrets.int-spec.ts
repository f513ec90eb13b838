import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@donorlens/config';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { EXIT, exitCodeOf, linesOf } from '../exit-code';
import { Home, readPrivate } from '../home/home';
import { claimAddressSecret } from './secrets';

describe('the address secret of a start', () => {
  let db: TestDatabase;
  let home: Home;
  beforeEach(async () => {
    db = await testDatabase();
    home = newHome();
  });
  afterEach(async () => {
    rmSync(home.root, { recursive: true, force: true });
    await db.close();
  });

  const newHome = () => new Home(mkdtempSync(join(tmpdir(), 'donorlens-secret-')));
  const start = (env: NodeJS.ProcessEnv = {}, at = home) => claimAddressSecret(readConfig(env), db.url, at);
  const failure = (starting: Promise<unknown>): Promise<unknown> =>
    starting.then(
      () => null,
      (error: unknown) => error,
    );

  it('is created once from 32 random bytes, in a file that only the owner can read', async () => {
    const secret = await start();
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(readPrivate(home.addressSecret)).toBe(secret);
    expect(statSync(home.addressSecret).mode & 0o777).toBe(0o600);
    expect(await start()).toBe(secret);
  });

  it('is ADDRESS_SECRET if that is set, and is then not stored', async () => {
    expect(await start({ ADDRESS_SECRET: 'a secret for tests only' })).toBe('a secret for tests only');
    expect(existsSync(home.addressSecret)).toBe(false);
  });

  it('ends the start with exit code 2 and one line of advice if the database has another one', async () => {
    const secret = await start();
    const error = await failure(start({ ADDRESS_SECRET: 'another secret for tests' }));
    expect(exitCodeOf(error)).toBe(EXIT.usage);
    expect(linesOf(error)).toEqual([expect.stringMatching(/ADDRESS_SECRET .*address-secret/)]);
    expect(linesOf(error).join()).not.toMatch(new RegExp(`another secret|${secret}`));
    expect(await start()).toBe(secret);
  });

  it('is not created again for a database that was used from another home', async () => {
    await start();
    const elsewhere = newHome();
    expect(exitCodeOf(await failure(start({}, elsewhere)))).toBe(EXIT.usage);
    expect(existsSync(elsewhere.addressSecret)).toBe(false);
    rmSync(elsewhere.root, { recursive: true });
  });

  it('is not replaced if its file is damaged', async () => {
    writeFileSync(home.addressSecret, '\n');
    const error = await failure(start());
    expect(exitCodeOf(error)).toBe(EXIT.usage);
    expect(linesOf(error)[0]).toContain(home.addressSecret);
    expect(readPrivate(home.addressSecret)).toBe('');
    expect(await start({ ADDRESS_SECRET: 'a secret for tests only' })).toBe('a secret for tests only');
  });
});
