import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@donorlens/local-servers';
import { type TestDatabase, testDatabase } from '../support/servers';
import { CLI, ROOT } from '../support/service/service';

describe('a database that a newer release has migrated', () => {
  let db: TestDatabase;
  const DONORLENS_HOME = mkdtempSync(join(tmpdir(), 'donorlens-downgrade-'));
  beforeAll(async () => {
    db = await testDatabase();
    await db.pool.query(`insert into schema_migration select max(number) + 1, 'newer', '' from schema_migration`);
  });
  afterAll(async () => {
    await db.close();
    rmSync(DONORLENS_HOME, { recursive: true, force: true });
  });

  it.each([
    ['the api', [join(ROOT, 'dist/apps/api/src/main.js')]],
    ['donorlens migrate', [CLI, 'migrate']],
    ['donorlens start', [CLI, 'start']],
  ])('is refused by %s in one sentence with exit code 3', async (_name, args) => {
    const PORT = String(await freePort());
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: {
        ...{ PATH: process.env.PATH, DATABASE_URL: db.url, QUEUE_BACKEND: 'postgres', PORT },
        ...{ ADDRESS_SECRET: 'secret of the tests', DONORLENS_HOME },
      },
    });
    const output = stdout + stderr;
    expect([status, output.match(/newer than this code \(\d+\): run the newer release/g)?.length, output]).toEqual([
      3,
      1,
      output,
    ]);
    expect(output).not.toContain('    at ');
  });
});
