import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { CLI } from '../../../../test/support/service/service';
import { withKeys } from '../keys/open-keys';
import { type Context } from '../program-context';
import { backup, restore } from './backup';

describe('donorlens backup and restore', () => {
  let source: TestDatabase;
  let folder: string;
  let written: string;
  const write = (line: string): void => void (written += `${line}\n`);
  const context: Context = { out: write, note: write, run: () => () => Promise.resolve() };
  const on = (url: string): void => {
    jest.replaceProperty(process, 'env', { DATABASE_URL: url, DONORLENS_HOME: join(folder, 'home') });
    written = '';
  };

  beforeAll(async () => {
    source = await testDatabase();
    folder = mkdtempSync(join(tmpdir(), 'donorlens-backup-'));
    await withKeys(source.url, (keys) => keys.issue({ name: 'newsroom', scopes: ['charts:read'] }));
  });
  afterAll(async () => {
    await source.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(() => jest.restoreAllMocks());

  it('copy the API keys to another database, where the operator must confirm them', async () => {
    const file = join(folder, 'all.sql.gz');
    const target = await testDatabase({ migrated: false });
    on(source.url);
    await backup(context, file, {});
    expect(written).toMatch(/^\d+ rows of \d+ tables written to .*all\.sql\.gz, \d\.\d MB, in \d/);
    expect(statSync(file).mode & 0o777).toBe(0o600); // the file contains hashes of API keys and rows of donors
    on(target.url);
    await restore(context, file, {});
    expect(written).toContain('no API key is valid yet');
    await withKeys(target.url, async (keys) => {
      expect((await keys.list()).map(({ name }) => name)).toEqual(['newsroom']);
      expect(await keys.installationState()).toBe('restored');
    });
    const queue = `select to_regclass('bullmq.migration') is not null as "hasQueue"`;
    expect((await target.pool.query(queue)).rows).toEqual([{ hasQueue: true }]); // without a Redis
    await target.close();
  });

  it('report a backup as failed if the reader of standard output closes it', async () => {
    const env = { DATABASE_URL: source.url, DONORLENS_HOME: join(folder, 'home') };
    const child = spawn(process.execPath, [CLI, 'backup', '-'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    const [lines, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(lines).toBe('the backup is incomplete: standard output could not be written: write EPIPE\n');
    expect(code).toBe(1);
  });

  it('do not overwrite a file, and leave no incomplete file behind', async () => {
    const file = join(folder, 'there');
    writeFileSync(file, 'another text');
    on(source.url);
    await expect(backup(context, file, {})).rejects.toMatchObject({ exitCode: 2 });
    expect(readFileSync(file, 'utf8')).toBe('another text');
    on('postgres://127.0.0.1:9/none');
    await expect(backup(context, join(folder, 'new'), {})).rejects.toThrow();
    expect(() => statSync(join(folder, 'new'))).toThrow();
  });

  it('reject a missing file and a file that is not a backup', async () => {
    const target = await testDatabase({ migrated: false });
    on(target.url);
    await expect(restore(context, join(folder, 'missing'), {})).rejects.toMatchObject({ exitCode: 2 });
    await expect(restore(context, join(folder, 'there'), {})).rejects.toThrow('not a file of bin/donorlens backup');
    await target.close();
  });
});
