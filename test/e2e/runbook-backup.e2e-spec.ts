import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Client } from 'pg';
import { migrate } from '@donorlens/database';
import { type RunningPostgres, findPostgresBinaries, startPostgres } from '@donorlens/local-servers';
import { createLogger } from '@donorlens/observability';
import { parse, parseAllDocuments } from 'yaml';
import { withKeys } from '../../apps/cli/src/keys/open-keys';
import { textOf } from '../support/deploy/deployment';
import { ROOT } from '../support/service/service';
import { describeWith } from '../support/tools';

const [, section] = /^## Backup and restore\n(.*?)^## /ms.exec(textOf('docs/runbook.md')) ?? [];
const [ofStart, ofCompose, ofKubernetes] = [...section.matchAll(/```bash\n(.*?)```/gs)].map(([, script]) => script);

const services = parse(textOf('docker-compose.yml'), { merge: true }) as { services: Record<string, object> };
const deployments = ['api', 'worker', 'aggregator'].flatMap((name) =>
  parseAllDocuments(textOf(`deploy/kubernetes/base/${name}.yaml`)).map(
    (document) => document.toJS() as { kind: string; metadata: { name: string } },
  ),
);

/**
 * Stubs that accept the arguments of `docker` and `kubectl` as the runbook gives them, check the names of services and
 * Deployments, and run the command of the container on this machine.
 */
const STUBS = {
  docker: `
    [ "$1" = compose ] || exit 90; shift; verb=$1; shift
    known() { case " ${Object.keys(services.services).join(' ')} " in *" $1 "*) ;; *) echo "no service $1" >&2; exit 91;; esac; }
    case $verb in
      stop|start) for name; do known "$name"; done; exit 0;;
      exec|run) while [ "\${1#-}" != "$1" ]; do shift; done; known "$1"; shift; exec "$@";;
      *) exit 92;;
    esac`,
  kubectl: `
    [ "$1 $2" = "-n donorlens" ] || exit 90; shift 2; verb=$1; shift
    known() { case " ${deployments
      .filter(({ kind }) => kind === 'Deployment')
      .map(({ metadata }) => `deploy/${metadata.name}`)
      .join(' ')} " in *" $1 "*) ;; *) echo "no Deployment $1" >&2; exit 91;; esac; }
    case $verb in
      rollout) [ "$1" = restart ] || exit 92; shift; for name; do known "$name"; done; exit 0;;
      exec) [ "$1" = -i ] && shift; known "$1"; [ "$2" = -- ] || exit 93; shift 2; exec "$@";;
      *) exit 92;;
    esac`,
  /** Runs `node bin/donorlens` as in the folder of the image. */
  node: `[ "$1" = bin/donorlens ] && { shift; set -- ${join(ROOT, 'bin/donorlens')} "$@"; }\nexec ${process.execPath} "$@"`,
};

describeWith('installed Postgres')('the commands of the runbook', () => {
  let folder: string;
  let server: RunningPostgres;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'donorlens-runbook-'));
    chmodSync(folder, 0o711); // as root, Postgres runs as another user, who needs access
    mkdirSync(join(folder, 'bin'));
    for (const [name, script] of Object.entries(STUBS))
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    server = await startPostgres({
      dataDir: join(folder, 'postgres'),
      logFile: join(folder, 'log'),
      binaries: findPostgresBinaries(process.env.PATH ?? ''),
      tuning: 'test',
    });
    await migrate(server.url, createLogger('test', 'silent'));
    await withKeys(server.url, (keys) => keys.issue({ name: 'newsroom', scopes: ['charts:read'] }));
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Runs a block of the runbook in a new folder, as a user would. Commands of containers reach this server. */
  function run(name: string, script: string, more: Record<string, string> = {}): void {
    const cwd = join(folder, name);
    mkdirSync(cwd);
    const { port, username, password } = new URL(server.url);
    const env = {
      PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter),
      HOME: folder,
      DATABASE_URL: server.url,
      ...{ PGHOST: '127.0.0.1', PGPORT: port, PGUSER: username, PGPASSWORD: password },
      ...more,
    };
    const { status, stderr } = spawnSync('bash', ['-e', '-c', script], { cwd, env, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    expect(readFileSync(join(cwd, 'donorlens.sql.gz')).length).toBeGreaterThan(1_000);
  }
  const stateOf = (url: string) =>
    withKeys(url, async (keys) => [await keys.installationState(), (await keys.list()).map(({ name }) => name)]);

  it('restore the database of npm start into a new home', async () => {
    const restored = join(folder, 'restored');
    const lines = ofStart.replaceAll('bin/donorlens', 'node bin/donorlens').trim().split('\n');
    const start = lines.findIndex((line) => line.startsWith('npm start'));
    const [save, ...load] = lines.slice(0, start);
    const file = join(folder, 'start', 'donorlens.sql.gz');
    run('start', save.replace('donorlens.sql.gz', file));
    run(
      'home',
      `cp ${file} . && mkdir .donorlens && echo secret | tee .donorlens/key > .donorlens/address-secret && unset DATABASE_URL\n` +
        load.join('\n').replace('/srv/restored', restored).replace('donorlens.sql.gz', file),
    );
    for (const name of ['address-secret', 'key']) expect(readFileSync(join(restored, name), 'utf8')).toBe('secret\n');
    const home = await startPostgres({
      dataDir: join(restored, 'postgres'),
      logFile: join(folder, 'log2'),
      binaries: findPostgresBinaries(process.env.PATH ?? ''),
    });
    expect(await stateOf(home.url)).toEqual(['restored', ['newsroom']]);
    const [{ prefix }] = await withKeys(home.url, (keys) => keys.list());
    const afterStart = lines.slice(start + 1).join('\n');
    run('keys', `cp ${file} . && ${afterStart.replace('PREFIX', prefix)}`, { DATABASE_URL: home.url });
    expect(await stateOf(home.url)).toEqual(['confirmed', ['newsroom']]);
    expect(await withKeys(home.url, (keys) => keys.count())).toBe(0);
    await home.stop();
  });

  it('restore the database of Compose in place', async () => {
    run('compose', ofCompose);
    expect(await stateOf(server.url)).toEqual(['restored', ['newsroom']]);
    await withKeys(server.url, (keys) => keys.confirm());
  });

  it('restore the database of Kubernetes into a new one', async () => {
    const client = new Client({ connectionString: server.url });
    await client.connect();
    await client.query('create database restored');
    await client.end();
    const url = new URL(server.url);
    url.pathname = '/restored';
    run('kubernetes', ofKubernetes, { NEW_DATABASE_URL: url.href });
    expect(await stateOf(url.href)).toEqual(['restored', ['newsroom']]);
    expect(await stateOf(server.url)).toEqual(['confirmed', ['newsroom']]);
  });
});
