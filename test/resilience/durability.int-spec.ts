import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import { ApiKeyEntity, KeyRepository, dataSourceOptions } from '@donorlens/access-keys';
import { migrate } from '@donorlens/database';
import { ImportLease, ImportRepository } from '@donorlens/imports';
import { type RunningPostgres, findPostgresBinaries, startPostgres } from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { OperatorRequests } from '@donorlens/operations';
import { type TestDatabase, testDatabase } from '../support/servers';
import { newApiKey, pipelineOn } from '../support/pipeline/pipeline';

const logger = createLogger('test', 'silent');
const CHANGED = ['batch', 'api_key', 'audit', 'ops_request', 'fec_import'];
const accept = async (pool: Pool, apiKeyId: string, more: object = {}): Promise<string> => {
  const request = { apiKeyId, type: 'contributions', format: 'csv', releaseId: 'sample.1', ...more } as const;
  const input = Readable.from([Buffer.from('first_name,last_name,date\nMary,Smith,2016-03-01\n')]);
  return (await pipelineOn(pool).intake.accept(request, input)).batch.id;
};

describe('with synchronous_commit=off as default of the server', () => {
  let db: TestDatabase;
  let dataSource: DataSource;
  let keys: KeyRepository;
  beforeAll(async () => {
    db = await testDatabase();
    dataSource = await new DataSource(dataSourceOptions(db.url)).initialize();
    keys = new KeyRepository(dataSource.getRepository(ApiKeyEntity));
    await db.pool.query(`
      create table commit_setting (changed text, setting text);
      create function note_setting() returns trigger language plpgsql as $$
      begin insert into commit_setting values (tg_table_name, current_setting('synchronous_commit')); return null; end $$`);
    for (const table of CHANGED)
      // deferred, so that it reads the setting of the commit
      await db.pool.query(`create constraint trigger noted after insert or update or delete on ${table}
        deferrable initially deferred for each row execute function note_setting()`);
  });
  afterAll(async () => {
    await dataSource.destroy();
    await db.close();
  });

  /** Values of synchronous_commit in the commits of the work, by table. */
  const settingsDuring = async (work: () => Promise<unknown>): Promise<Record<string, string>> => {
    await db.pool.query('truncate commit_setting');
    await work();
    const { rows } = await db.pool.query<{ changed: string; settings: string }>(
      `select changed, string_agg(distinct setting, ' ') as settings from commit_setting group by 1 order by 1`,
    );
    return Object.fromEntries(rows.map(({ changed, settings }) => [changed, settings]));
  };

  it('the default is off, and a statement outside of service transactions uses it', async () => {
    await newApiKey(db.pool);
    expect(await settingsDuring(() => newApiKey(db.pool))).toEqual({ api_key: 'off' });
  });

  it('accepting and deleting a batch wait for the disk', async () => {
    const apiKeyId = await newApiKey(db.pool);
    let id = '';
    expect(await settingsDuring(async () => (id = await accept(db.pool, apiKeyId)))).toEqual({ batch: 'on' });
    expect(await settingsDuring(() => pipelineOn(db.pool).batches.delete(apiKeyId, id))).toEqual({ batch: 'on' });
  });

  it('cancelling a batch waits for the disk; commits that the reconciler can repeat do not', async () => {
    const apiKeyId = await newApiKey(db.pool);
    const id = await accept(db.pool, apiKeyId);
    const { batch } = await settingsDuring(() => pipelineOn(db.pool).batches.cancel(apiKeyId, id));
    expect(batch.split(' ')).toContain('on');
  });

  it('issuing, rotating and revoking a key wait for the disk', async () => {
    const durable = { api_key: 'on', audit: 'on' };
    let prefix = '';
    const request = { name: 'newsroom', scopes: ['enrich:read'] };
    expect(await settingsDuring(async () => ({ prefix } = await keys.issue(request)))).toEqual(durable);
    expect(await settingsDuring(async () => ({ prefix } = await keys.rotate(prefix)))).toEqual(durable);
    expect(await settingsDuring(() => keys.revoke(prefix))).toEqual(durable);
    expect(await settingsDuring(() => keys.ensureBootstrap('a value'))).toEqual(durable);
    expect(await settingsDuring(() => keys.revokeBootstrap())).toEqual(durable);
  });

  it('requests of operators, their audit log and the start of an import wait for the disk', async () => {
    const requests = new OperatorRequests(db.pool);
    const submit = () => requests.submit('refresh', { source: 'fec' }, 'night shift');
    expect(await settingsDuring(submit)).toEqual({ audit: 'on', ops_request: 'on' });
    const lease = await ImportLease.take(db.pool, logger);
    const file = { kind: 'contributions', cycle: 2016, label: 'folder', source: 'x.zip', sha256: null } as const;
    const begin = () => new ImportRepository(db.pool).begin(lease.fence, file);
    expect(await settingsDuring(begin)).toEqual({ fec_import: 'on' });
    await lease.release();
  });
});

describe('a Postgres that donorlens starts', () => {
  let home: string;
  let server: RunningPostgres;
  let pool: Pool;
  const connect = (): Pool => new Pool({ connectionString: server.url }).on('error', () => undefined);
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'donorlens-durable-'));
    chmodSync(home, 0o711); // as root, Postgres runs as another user, who needs access
    const binaries = findPostgresBinaries(process.env.PATH ?? '');
    server = await startPostgres({ dataDir: join(home, 'postgres'), logFile: join(home, 'log'), binaries });
  });
  afterEach(() => pool.end());
  afterAll(async () => {
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  });

  it('has all 20 batches after kill -9 that it accepted with synchronous_commit=off', async () => {
    pool = connect();
    await pool.query('alter database donorlens set synchronous_commit = off');
    await pool.end();
    await migrate(server.url, logger);
    pool = connect();
    const apiKeyId = await newApiKey(pool);
    const exit = new Promise((resolve) => server.onExit(resolve));
    const accepted: string[] = [];
    for (let n = 0; n < 20; n++) accepted.push(await accept(pool, apiKeyId));
    process.kill(server.pid, 'SIGKILL');
    await exit;
    await pool.end();
    server = await server.restart();
    pool = connect();
    const { rows } = await pool.query<{ id: string }>('select id from batch order by id');
    expect(rows.map(({ id }) => id)).toEqual(accepted.sort());
  });

  it('is refused by migrate if it is a standby', async () => {
    await server.stop();
    writeFileSync(join(home, 'postgres', 'standby.signal'), '');
    server = await server.restart();
    pool = connect();
    await expect(migrate(server.url, logger)).rejects.toMatchObject({ code: 'standby' });
  });
});
