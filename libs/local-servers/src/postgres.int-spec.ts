import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { freePort } from './server-process';
import { type RunningPostgres, startPostgres } from './postgres';
import {
  type PostgresBinaries,
  binariesIn,
  findPostgresBinaries,
  packagedFolder,
  postgresFor,
} from './postgres-binaries';

const isRoot = process.getuid?.() === 0;
const binaries = findPostgresBinaries(process.env.PATH ?? '');

describe('an embedded Postgres', () => {
  let home: string;
  let running: RunningPostgres[];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'donorlens-pg-'));
    chmodSync(home, 0o711);
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((server) => server.stop()));
    rmSync(home, { recursive: true, force: true });
  });

  const start = async (options: Partial<Parameters<typeof startPostgres>[0]> = {}): Promise<RunningPostgres> => {
    const dataDir = join(home, 'postgres');
    const server = await startPostgres({ dataDir, logFile: join(home, 'log'), binaries, tuning: 'test', ...options });
    running.push(server);
    return server;
  };
  const ask = async <T extends object>(url: string, sql: string): Promise<T> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<T>(sql)).rows[0];
    } finally {
      await client.end();
    }
  };

  it('listens on loopback only, with a password, and syncs every commit when durable', async () => {
    const server = await start({ tuning: 'durable' });
    const settings = await ask<Record<string, string>>(
      server.url,
      `select current_setting('listen_addresses') as listen, current_setting('unix_socket_directories') as sockets,
        current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit,
        current_setting('full_page_writes') as pages, current_setting('max_connections') as connections,
        current_setting('server_encoding') as encoding`,
    );
    expect(settings).toEqual({
      ...{ listen: '127.0.0.1', sockets: '', fsync: 'on', commit: 'on', pages: 'on' },
      ...{ connections: '200', encoding: 'UTF8' },
    });
    const wrong = new URL(server.url);
    wrong.password = 'wrong';
    await expect(ask(wrong.href, 'select 1')).rejects.toMatchObject({ code: '28P01' });
    const secret = join(home, 'postgres.password');
    expect(statSync(secret).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(home, 'log'), 'utf8')).not.toContain(readFileSync(secret, 'utf8'));
    expect(readdirSync(home).sort()).toEqual(['log', 'postgres', 'postgres.password']);
  });

  it('finds its data again after a stop, at the same URL after a restart', async () => {
    const first = await start();
    await ask(first.url, 'create table kept as select 42 as answer');
    const exit = new Promise((resolve) => first.onExit(resolve));
    await first.stop();
    expect(await exit).toEqual({ code: 0, signal: null, wanted: true });
    const second = await first.restart();
    running.push(second);
    expect(second.url).toBe(first.url);
    expect(await ask(second.url, 'select answer from kept')).toEqual({ answer: 42 });
  });

  it('recovers after kill -9 while its backends may still be ending', async () => {
    const first = await start({ tuning: 'durable' });
    await ask(first.url, 'create table kept as select 42 as answer');
    const exit = new Promise((resolve) => first.onExit(resolve));
    process.kill(first.pid, 'SIGKILL');
    expect(await exit).toMatchObject({ signal: 'SIGKILL', wanted: false });
    const second = await first.restart();
    running.push(second);
    expect(await ask(second.url, 'select answer from kept')).toEqual({ answer: 42 });
  });

  it('rejects a half-initialized directory, in one line', async () => {
    mkdirSync(join(home, 'postgres'));
    writeFileSync(join(home, 'postgres', 'PG_VERSION'), '18\n');
    await expect(start()).rejects.toMatchObject({
      code: 'half-initialised',
      message: expect.not.stringContaining('\n'),
    });
  });

  it('uses an empty directory, and removes leftovers of a killed first start', async () => {
    mkdirSync(join(home, 'postgres'));
    mkdirSync(join(home, 'postgres.new-4194305')); // above the largest process number
    const server = await start();
    expect(await ask(server.url, 'select 1 as one')).toEqual({ one: 1 });
    expect(readdirSync(home).filter((name) => name.includes('.new-'))).toEqual([]);
  });

  it('rejects a directory whose password was lost', async () => {
    await (await start()).stop();
    rmSync(join(home, 'postgres.password'));
    await expect(start()).rejects.toMatchObject({ code: 'half-initialised' });
    writeFileSync(join(home, 'postgres.password'), 'another');
    await expect(start()).rejects.toMatchObject({ code: 'half-initialised' });
  });

  it('rejects a directory of another major version, and names both', async () => {
    await (await start()).stop();
    writeFileSync(join(home, 'postgres', 'PG_VERSION'), '9\n');
    await expect(start()).rejects.toMatchObject({
      code: 'other-version',
      message: expect.stringMatching(/Postgres 9, .*18/),
    });
  });

  it('rejects a directory on which a Postgres is running', async () => {
    await start();
    await expect(start()).rejects.toMatchObject({ code: 'already-running' });
  });

  it('ignores a pid file whose process id belongs to another program', async () => {
    await (await start()).stop();
    writeFileSync(join(home, 'postgres', 'postmaster.pid'), `${process.pid}\n${join(home, 'postgres')}\n`);
    expect(await ask((await start()).url, 'select 1 as one')).toEqual({ one: 1 });
  });

  it('rejects a port that is in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    await expect(start({ port })).rejects.toMatchObject({ code: 'port-in-use' });
    taken.close();
    await expect(start({ port: await freePort(), binaries: [] })).rejects.toMatchObject({ code: 'no-binaries' });
  });

  it.each([
    ['18.99', 'system'],
    ['17.99', 'embedded'],
    ['19.1', 'embedded'],
  ])('prefers an installed %s to the embedded one only if its major version is the same', (version, kind) => {
    const folder = join(home, version);
    mkdirSync(folder);
    for (const name of ['initdb', 'postgres'])
      writeFileSync(join(folder, name), `#!/bin/sh\necho "postgres (PostgreSQL) ${version}"\n`, { mode: 0o755 });
    const found = findPostgresBinaries(folder);
    expect(found[0].kind).toBe(kind);
    expect(found).toContainEqual({ kind: 'system', folder, version, major: Math.trunc(Number(version)) });
    writeFileSync(join(home, 'PG_VERSION'), `${Math.trunc(Number(version))}\n`);
    expect(postgresFor(home, found)).toMatchObject({ kind: 'system', folder });
  });

  it('completes an upgrade that was interrupted while the directories were exchanged', async () => {
    const first = await start();
    await ask(first.url, 'create table kept as select 42 as answer');
    await first.stop();
    renameSync(join(home, 'postgres'), join(home, 'postgres.upgraded'));
    expect(await ask((await start()).url, 'select answer from kept')).toEqual({ answer: 42 });
  });

  describe('below a folder that only its owner can enter', () => {
    let closed: string;
    beforeEach(() => {
      closed = join(home, 'closed');
      mkdirSync(closed, { mode: 0o700 });
    });

    it('runs as root with the binaries in it, and without install scripts', async () => {
      const installed = dirname(dirname(binaries[0].folder));
      const copy = join(closed, 'package');
      cpSync(installed, copy, { recursive: true, filter: (file) => !lstatSync(file).isSymbolicLink() });
      expect(existsSync(join(copy, 'native', 'lib', 'libicuuc.so.60'))).toBe(false);
      const copied = binariesIn('embedded', packagedFolder(copy)) as PostgresBinaries;
      expect(copied).toMatchObject({ version: binaries[0].version });
      const server = await start({ dataDir: join(closed, 'postgres'), binaries: [copied] });
      expect(await ask(server.url, 'select 1 as one')).toEqual({ one: 1 });
      expect(server.runs).toBe(isRoot ? 'another user with capabilities' : 'this user');
    });

    it('runs on files of root in a user namespace, or fails with one line', async () => {
      const dataDir = join(closed, 'postgres');
      await (await start({ dataDir })).stop();
      if (isRoot) for (const file of [dataDir, ...allBelow(dataDir)]) chownSync(file, 0, 0);
      const canMap = !isRoot || spawnSync('unshare', ['--user', '--map-user=65534', 'true']).status === 0;
      const again = start({ dataDir });
      if (!canMap) return expect(again).rejects.toMatchObject({ code: 'cannot-run-as-root' });
      expect((await again).runs).toBe(isRoot ? 'a user namespace' : 'this user');
      return expect(await ask((await again).url, 'select 1 as one')).toEqual({ one: 1 });
    });
  });
});

const allBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)));
