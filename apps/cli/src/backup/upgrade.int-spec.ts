import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '@donorlens/database';
import { type PostgresBinaries, findPostgresBinaries, majorOfData, startPostgres } from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { describeWith } from '../../../../test/support/tools';
import { withKeys } from '../keys/open-keys';
import { type Context } from '../program-context';
import { searchPath } from '../start/layers';
import { upgrade } from './upgrade';

const found = findPostgresBinaries(searchPath());
const [preferred] = found;
const old = found.find(({ major }) => major !== preferred.major);

describeWith('installed Postgres')('donorlens upgrade', () => {
  let home: string;
  let dataDir: string;
  let written: string;
  const write = (text: string): void => void (written += `${text}\n`);
  const context: Context = { out: write, note: write, run: () => () => Promise.resolve() };

  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'donorlens-upgrade-'));
    chmodSync(home, 0o711); // if root runs the test, Postgres runs as another user, which must enter
    dataDir = join(home, 'postgres');
  });
  beforeEach(() => {
    jest.replaceProperty(process, 'env', { DONORLENS_HOME: home });
    written = '';
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Runs work on the database of the home. */
  async function onDatabase(binaries: readonly PostgresBinaries[], work: (url: string) => Promise<void>) {
    const server = await startPostgres({ dataDir, logFile: join(home, 'log'), binaries, tuning: 'test' });
    try {
      await work(server.url);
    } finally {
      await server.stop();
    }
  }

  it('upgrades a home of another major version, even after an interruption, and keeps the old data', async () => {
    if (old === undefined) throw new Error('there is no Postgres of another major version than the embedded one');
    await onDatabase([old], async (url) => {
      await migrate(url, createLogger('test', 'silent'));
      await withKeys(url, (keys) => keys.issue({ name: 'newsroom', scopes: ['charts:read'] }));
    });
    mkdirSync(join(home, 'postgres.upgrading')); // left behind by a killed upgrade
    expect(await upgrade(context, {}, found)).toBe(0);
    expect(written).toMatch(`copied from Postgres ${old.major} to embedded PostgreSQL ${preferred.version}`);
    expect(majorOfData(dataDir)).toBe(preferred.major);
    const entries = readdirSync(home).filter((name) => name.startsWith('postgres'));
    const kept = entries.find((name) => name.startsWith(`postgres-${old.major}-`)) ?? '';
    expect(entries.sort()).toEqual([kept, `${kept}.password`, 'postgres', 'postgres.password'].sort());
    expect(majorOfData(join(home, kept))).toBe(old.major);
    await onDatabase([preferred], async (url) => {
      await withKeys(url, async (keys) => {
        expect((await keys.list()).map(({ name }) => name)).toEqual(['newsroom']);
        expect(await keys.installationState()).toBe('confirmed'); // the keys need no new confirmation
      });
    });
    expect(await upgrade(context, {}, found)).toBe(0);
    expect(written).toContain('needs no upgrade');
  });

  it('names the package to install if the Postgres of the old version is missing', async () => {
    const others = found.filter(({ major }) => major !== preferred.major);
    await expect(upgrade(context, {}, others)).rejects.toThrow(
      `install the package postgresql-${preferred.major} (Debian, Ubuntu; elsewhere Postgres ${preferred.major}), then run "bin/donorlens upgrade"`,
    );
  });

  it('refuses a database of DATABASE_URL and a home without one', async () => {
    jest.replaceProperty(process, 'env', { DONORLENS_HOME: join(home, 'empty') });
    await expect(upgrade(context, {}, found)).rejects.toMatchObject({ exitCode: 2 });
    jest.replaceProperty(process, 'env', { DONORLENS_HOME: home, DATABASE_URL: 'postgres://127.0.0.1:9/none' });
    await expect(upgrade(context, {}, found)).rejects.toMatchObject({ exitCode: 2 });
  });
});
