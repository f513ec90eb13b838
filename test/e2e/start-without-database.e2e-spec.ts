import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { readConfig } from '@donorlens/config';
import { migrate } from '@donorlens/database';
import { findPostgresBinaries, freePort, startPostgres } from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { migrateQueue } from '@donorlens/queues';
import { ReleaseRepository } from '@donorlens/reference-data';
import { withKeys } from '../../apps/cli/src/keys/open-keys';
import { AGE_GENDER, AGE_GENDER_ANSWER, CONTRIBUTIONS, ETHNICITY } from '../../apps/api/src/schemas/examples';
import { until } from '../support/until';
import { builtApp, SupervisedServer } from '../support/installation';
import { RoleProcess } from '../support/service/role-process';
import { activateSample } from '../support/service/running-api';

describe('an api that starts while Postgres is unavailable', () => {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-away-'));
  const home = join(folder, 'home');
  const copy = join(home, 'api-keys');
  let postgres: SupervisedServer;
  let environment: Record<string, string>;
  let api: RoleProcess;
  let url: string;
  let keys: { readonly key: string; readonly prefix: string }[];

  const send = (path: string, key: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { 'x-api-key': key, ...(init.headers as Record<string, string>) } });
  const post = (path: string, key: string, body: object) =>
    send(path, key, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const lookUp = (key: string) => post('/enrich/v1/age_gender', key, AGE_GENDER);
  const sendBatch = (key: string) =>
    send('/enrich/v1/batches?type=age_gender', key, {
      method: 'POST',
      headers: { 'content-type': 'text/csv' },
      body: 'first_name,date\nMary,2016-05-01\n',
    });
  const start = async (): Promise<void> => {
    const port = String(await freePort());
    url = `http://127.0.0.1:${port}`;
    api = await RoleProcess.start('api', { ...environment, PORT: port });
  };

  beforeAll(async () => {
    chmodSync(folder, 0o711); // as root, Postgres runs as another user, who needs access
    const binaries = findPostgresBinaries(process.env.PATH ?? '');
    const options = { dataDir: join(folder, 'postgres'), logFile: join(folder, 'postgres.log'), binaries };
    postgres = new SupervisedServer('postgres', await startPostgres({ ...options, tuning: 'test' }));
    environment = {
      DATABASE_URL: postgres.url,
      QUEUE_BACKEND: 'postgres',
      DONORLENS_HOME: home,
      ADDRESS_SECRET: 'secret of the tests',
    };
    await migrate(postgres.url, createLogger('test', 'silent'));
    await migrateQueue(readConfig(environment));
    const pool = new Pool({ connectionString: postgres.url });
    await activateSample(new ReleaseRepository(pool));
    await pool.end();
    const request = { name: 'newsroom', scopes: ['enrich:read', 'enrich:batch'] };
    keys = await withKeys(postgres.url, async (all) => [await all.issue(request), await all.issue(request)]);
    await start(); // writes the copy of the keys and the release into its home
    await until('the api is ready', async () => (await fetch(`${url}/health/ready`)).ok);
    await api.stop();
    await postgres.stop();
    await start();
  });

  afterAll(async () => {
    await api.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  it('answers lookups of known keys, with the data release that was active last', async () => {
    const answer = await lookUp(keys[0].key);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('data-version')).toMatch(/^sample\./);
    expect(await answer.json()).toEqual(AGE_GENDER_ANSWER);
    expect((await post('/enrich/v1/ethnicity', keys[0].key, ETHNICITY)).status).toBe(200);
  });

  it('refuses a wrong key', async () => {
    expect((await lookUp(`dl_${'a'.repeat(40)}`)).status).toBe(401);
  });

  it('answers contributions with pending addresses, like an api that loses Postgres while it runs', async () => {
    const answer = await post('/enrich/v1/contributions', keys[0].key, CONTRIBUTIONS);
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"PENDING"')]);
  });

  it('answers 503 for batches, and its readiness names the database', async () => {
    const refused = await sendBatch(keys[0].key);
    expect(refused.status).toBe(503);
    expect(refused.headers.get('content-type')).toContain('application/problem+json');
    const ready = await fetch(`${url}/health/ready`);
    expect([ready.status, await ready.json()]).toMatchObject([
      503,
      { detail: 'Waiting for: database, schema. Start Postgres, or check DATABASE_URL.' },
    ]);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
  });

  it('accepts batches without a restart when Postgres is back, and refuses a key that is revoked afterwards', async () => {
    await postgres.start();
    await until('the api is ready', async () => (await fetch(`${url}/health/ready`)).ok);
    await until('a batch is accepted', async () => (await sendBatch(keys[0].key)).status === 202);
    await withKeys(postgres.url, (all) => all.revoke(keys[1].prefix));
    await until('the revoked key is refused', async () => (await lookUp(keys[1].key)).status === 401);
    await until('the copy is without it', () => !readFileSync(copy, 'utf8').includes(keys[1].prefix));
  });

  it('answers every key with 503 if the copy of the keys is damaged', async () => {
    await api.stop();
    await postgres.stop();
    writeFileSync(copy, readFileSync(copy, 'utf8').replace('newsroom', 'newsreel'));
    await start();
    const refused = await lookUp(keys[0].key);
    expect([refused.status, await refused.json()]).toMatchObject([
      503,
      { detail: expect.stringContaining('API keys cannot be checked') as string },
    ]);
    expect(api.lines.filter(({ msg }) => String(msg).startsWith('copy of the API keys not used'))).toHaveLength(1);
  });

  it('exits if Postgres returns with addresses that were hashed with another ADDRESS_SECRET', async () => {
    await api.stop();
    environment = { ...environment, ADDRESS_SECRET: 'another secret of the tests' };
    await start();
    await postgres.start();
    await until('the api has ended', () => api.exitCode === 2);
  });
});

describe('a worker that waits for Postgres', () => {
  it('exits at once on SIGTERM, also as process 1 of a container', async () => {
    const environment = {
      PATH: process.env.PATH,
      DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`,
      ADDRESS_SECRET: 'secret of the tests',
    };
    const worker = spawn(process.execPath, [builtApp('worker')], { env: environment });
    await once(worker.stdout, 'data'); // logs that it waits
    const ended = once(worker, 'exit');
    worker.kill('SIGTERM');
    expect(await ended).toEqual([0, null]); // a handler exits; process 1 of a container ignores signals without one
  });
});
