import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith } from '../../../test/support/tools';
import { findRedisServer, startRedis } from './redis';
import { type RunningServer } from './server-process';

describe('finding a redis-server', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'donorlens-redis-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const fake = (name: string, version: string): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "Redis server v=${version} sha=0 malloc=libc bits=64"\n`);
    chmodSync(join(folder, name), 0o755);
  };

  it('finds none on an empty path, and none that is older than 6.2', () => {
    expect(findRedisServer('')).toBeNull();
    fake('redis-server', '6.0.16');
    expect(findRedisServer(folder)).toBeNull();
  });

  it('accepts 6.2 and newer, and valkey-server without a redis-server', () => {
    fake('valkey-server', '8.1.0');
    expect(findRedisServer(`/no/such/folder:${folder}`)).toEqual({
      path: join(folder, 'valkey-server'),
      version: '8.1.0',
    });
    fake('redis-server', '6.2.0');
    expect(findRedisServer(folder)).toEqual({ path: join(folder, 'redis-server'), version: '6.2.0' });
  });

  it('ignores a file that is no program', () => {
    mkdirSync(join(folder, 'redis-server'));
    expect(findRedisServer(folder)).toBeNull();
  });
});

describeWith('redis-server')('a local Redis', () => {
  let home: string;
  let running: RunningServer[];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'donorlens redis "'));
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((server) => server.stop()));
    rmSync(home, { recursive: true, force: true });
  });
  const start = async (port?: number): Promise<RunningServer> => {
    const binary = findRedisServer(process.env.PATH ?? '');
    if (binary === null) throw new Error('no redis-server on the PATH');
    const server = await startRedis({ dataDir: join(home, 'redis'), logFile: join(home, 'log'), binary, port });
    running.push(server);
    return server;
  };

  it('requires a password, evicts nothing, and appends to a file synced each second', async () => {
    const server = await start();
    const [no] = await say(server.port, ['PING']);
    expect(no).toContain('-NOAUTH');
    const answers = await say(server.port, [
      `AUTH ${new URL(server.url).password}`,
      ...['maxmemory-policy', 'appendonly', 'appendfsync', 'save', 'bind'].map((name) => `CONFIG GET ${name}`),
    ]);
    expect(answers.join(' ').replace(/\s+/g, ' ')).toMatch(/noeviction .*yes .*everysec .*save \$0 .*127\.0\.0\.1/);
  });

  it('keeps its data after a stop and a kill, at the same URL', async () => {
    const first = await start();
    const auth = `AUTH ${new URL(first.url).password}`;
    await say(first.port, [auth, 'SET kept 42']);
    await first.stop();
    const second = await first.restart();
    running.push(second);
    expect(second.url).toBe(first.url);
    expect((await say(second.port, [auth, 'GET kept'])).at(-1)).toContain('42');
    const exit = new Promise((resolve) => second.onExit(resolve));
    process.kill(second.pid, 'SIGKILL');
    expect(await exit).toMatchObject({ signal: 'SIGKILL', wanted: false });
    const third = await second.restart();
    running.push(third);
    expect((await say(third.port, [auth, 'GET kept'])).at(-1)).toContain('42');
  });

  it('rejects a port in use and a damaged append-only file, each in one line', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    await expect(start((taken.address() as { port: number }).port)).rejects.toMatchObject({ code: 'port-in-use' });
    taken.close();
    mkdirSync(join(home, 'redis', 'appendonlydir'), { recursive: true });
    writeFileSync(join(home, 'redis', 'appendonlydir', 'appendonly.aof.manifest'), 'not a manifest\n');
    await expect(start()).rejects.toMatchObject({
      code: 'start-failed',
      message: expect.not.stringContaining('\n'),
    });
  });
});

/** The answers to some inline commands on one connection. */
async function say(port: number, commands: readonly string[]): Promise<string[]> {
  const socket = connect({ host: '127.0.0.1', port });
  const answers: string[] = [];
  for (const command of commands) {
    socket.write(`${command}\r\n`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    answers.push(answer.toString());
  }
  socket.destroy();
  return answers;
}
