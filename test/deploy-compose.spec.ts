import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '@donorlens/config';
import { findRedisServer, freePort } from '@donorlens/local-servers';
import { checkRedis } from '@donorlens/queues';
import { Redis } from 'ioredis';
import { parse } from 'yaml';
import { type TestDatabase, testDatabase } from './support/servers';
import { until } from './support/until';
import { imageEnvironment, run, settingNames, textOf } from './support/deploy/deployment';
import { ROOT } from './support/service/service';

interface ComposeService {
  readonly image: string;
  readonly build?: object;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | null>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly networks?: Readonly<Record<string, unknown>>;
  readonly [key: string]: unknown;
}

const SECRET = 'a'.repeat(64);
const ROLES = ['api', 'worker', 'aggregator'];

/** The services as docker-compose reads, completes and checks them, without a container engine or an .env file. */
async function composed(env: Record<string, string>): Promise<Record<string, ComposeService>> {
  const { stdout } = await run(
    'docker-compose',
    ['--file', join(ROOT, 'docker-compose.yml'), '--project-directory', tmpdir(), 'config'],
    {
      env: { PATH: process.env.PATH ?? '', HOME: tmpdir(), ...env },
    },
  );
  return (parse(stdout) as { services: Record<string, ComposeService> }).services;
}

/** Environment of the process in a container. */
function environmentOf({ environment = {} }: ComposeService): Record<string, string> {
  const given = Object.entries(environment).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
  return { ...imageEnvironment(), ...(Object.fromEntries(given) as Record<string, string>) };
}

describe('docker-compose.yml', () => {
  let services: Record<string, ComposeService>;
  let ours: [string, ComposeService][];
  beforeAll(async () => {
    services = await composed({ DONORLENS_SECRET: SECRET });
    ours = Object.entries(services).filter(([, { image }]) => image === 'donorlens');
  });

  it('requires one secret, and the error says how to create it', async () => {
    expect(Object.keys(services)).toEqual(expect.arrayContaining([...ROLES, 'migrate', 'postgres', 'redis']));
    await expect(composed({})).rejects.toMatchObject({ stderr: expect.stringContaining('openssl rand -hex 32') });
    await expect(composed({ DONORLENS_SECRET: '' })).rejects.toMatchObject({ code: 1 });
  });

  it('sets only variables that the role reads', () => {
    for (const [, service] of ours) {
      const config = readConfig(environmentOf(service));
      expect(config).toMatchObject({ addressSecret: SECRET, queueBackend: 'redis', host: '0.0.0.0', port: 3000 });
      expect(new URL(config.databaseUrl ?? '').password).toBe(SECRET);
      expect(config.metricsPort).toBe(9464);
    }
    expect(services.postgres.environment?.POSTGRES_PASSWORD).toBe(SECRET);
  });

  it('passes every variable of the configuration, and no other', async () => {
    const own = ['DATABASE_URL', 'REDIS_URL', 'QUEUE_BACKEND', 'ADDRESS_SECRET'];
    const ofRuntime = ['NODE_ENV', 'MALLOC_ARENA_MAX']; // read by Node and glibc, not by the configuration
    const image = Object.keys(imageEnvironment()).filter((name) => !ofRuntime.includes(name));
    const given = [...Object.keys(services.api.environment ?? {}), ...image];
    expect(given.sort()).toEqual(
      settingNames()
        .filter((name) => !name.endsWith('BOOTSTRAP_KEY'))
        .sort(),
    ); // only for a demo
    expect(given).toEqual(expect.arrayContaining(own));
    const set = await composed({ DONORLENS_SECRET: SECRET, FEC_CYCLES: '2020,2024', LOG_LEVEL: 'debug' });
    for (const role of ROLES)
      expect(readConfig(environmentOf(set[role]))).toMatchObject({ fecCycles: [2020, 2024], logLevel: 'debug' });
  });

  it('creates a key only in the profile demo, with a random secret', () => {
    expect(services['demo-key']).toMatchObject({ profiles: ['demo'], restart: 'no' });
    expect(services['demo-key'].command?.slice(0, 4)).toEqual(['node', 'bin/donorlens', 'keys', 'issue']);
    for (const [, service] of ours) expect(environmentOf(service)).not.toHaveProperty('BOOTSTRAP_KEY');
  });

  it('runs Prometheus only in the profile monitoring, with existing files', () => {
    const { profiles, volumes } = services.prometheus as { profiles?: string[]; volumes?: string[] };
    expect(profiles).toEqual(['monitoring']);
    const files = (volumes ?? []).flatMap((volume) => /\/(deploy\/[^:]+):\S+:ro$/.exec(volume)?.[1] ?? []);
    const [key, ...kept] = files.sort();
    expect(kept).toEqual(['deploy/prometheus/prometheus.yml', 'deploy/prometheus/rules.yml']);
    for (const file of kept) expect(existsSync(join(ROOT, file))).toBe(true);
    expect(textOf('.gitignore').split('\n')).toEqual(expect.arrayContaining([key, '.env'])); // both contain secrets
    expect(textOf(kept[0])).toContain('credentials_file: /etc/prometheus/donorlens-key');
  });

  it('starts a service after its dependencies are healthy', () => {
    for (const role of ROLES)
      expect(services[role].depends_on).toEqual({
        migrate: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      });
    expect(services.migrate.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const { depends_on = {} } of Object.values(services))
      for (const [name, { condition }] of Object.entries(depends_on))
        if (condition === 'service_healthy' && name !== 'api')
          expect(services[name].healthcheck?.test?.[0]).toBe('CMD');
  });

  it('checks each role with the doctor', () => {
    expect(services.api.healthcheck).toBeUndefined(); // the image defines it
    for (const role of ['worker', 'aggregator'])
      expect(services[role].healthcheck?.test).toEqual(['CMD', 'node', 'bin/donorlens', 'doctor', '--role', role]);
  });

  it('runs containers with minimal privileges', () => {
    for (const [name, service] of Object.entries(services)) {
      const { read_only, cap_drop, security_opt, deploy } = service;
      expect({ name, read_only, cap_drop, security_opt }).toEqual({
        ...{ name, read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      });
      expect(deploy).toMatchObject({ resources: { limits: { memory: expect.anything(), cpus: expect.anything() } } });
    }
    for (const [, { stop_grace_period }] of ours) expect(stop_grace_period).toBe('30s');
  });

  it('publishes ports only on the loopback interface', () => {
    const published = Object.values(services).flatMap(({ ports = [] }) => ports as string[]);
    expect(published.length).toBeGreaterThan(0);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:/);
    for (const server of ['postgres', 'redis'])
      expect(Object.keys(services[server].networks ?? {})).toEqual(['inside']);
  });

  describe('its servers', () => {
    let db: TestDatabase;
    let folder: string;
    beforeAll(async () => {
      db = await testDatabase();
      folder = mkdtempSync(join(tmpdir(), 'donorlens-compose-'));
    });
    afterAll(async () => {
      await db.close();
      rmSync(folder, { recursive: true, force: true });
    });

    it('include a Redis that persists and never evicts', async () => {
      const [, ...args] = services.redis.command ?? [];
      const binary = findRedisServer(process.env.PATH ?? '');
      const port = await freePort();
      const child = spawn(binary?.path ?? 'redis-server', [...args, '--port', String(port), '--dir', folder], {
        stdio: 'ignore',
      });
      const ended = once(child, 'exit');
      try {
        const url = `redis://127.0.0.1:${port}`;
        await until('Redis answers', () => checkRedis(url)); // throws if Redis could evict jobs
        const client = new Redis(url);
        expect(await client.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
        client.disconnect();
      } finally {
        child.kill();
        await ended;
      }
    });

    it('include a Postgres with valid settings', async () => {
      const set = (services.postgres.command ?? []).filter((word) => word.includes('='));
      const names = set.map((word) => word.split('=')[0]);
      const { rows } = await db.pool.query('select name from pg_settings where name = any($1)', [names]);
      expect(rows.map(({ name }: { name: string }) => name).sort()).toEqual(names.sort());
    });
  });
});
