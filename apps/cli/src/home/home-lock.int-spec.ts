import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Home, readPrivate, writePrivate, readRunInfo, writeRunInfo } from './home';
import { lockHome } from './home-lock';
import { identityOf, isAlive } from './process-identity';

describe('a home', () => {
  let home: Home;
  beforeEach(() => {
    home = new Home(join(mkdtempSync(join(tmpdir(), 'donorlens-home-')), 'inner'));
    home.create();
  });
  afterEach(() => rmSync(join(home.root, '..'), { recursive: true, force: true }));

  it('can be locked by one start at a time', () => {
    const unlock = lockHome(home);
    expect(() => lockHome(home)).toThrow(`another donorlens (pid ${process.pid}) runs on ${home.root}`);
    unlock();
    lockHome(home)();
    expect(existsSync(home.lock)).toBe(false);
  });

  it('can be locked after the holder of the lock was killed', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    writeFileSync(home.lock, JSON.stringify({ pid: child.pid, identity: 'of a process that is gone' }));
    lockHome(home)();
  });

  it('can be locked if the pid of the holder now belongs to another process', () => {
    writeFileSync(home.lock, JSON.stringify({ pid: process.pid, identity: 'an earlier boot/1' }));
    lockHome(home)();
  });

  it('can be locked if a crash left an incomplete lock file', () => {
    writeFileSync(home.lock, '{"pid":');
    lockHome(home)();
  });

  it('stores secrets that only the owner can read', () => {
    writePrivate(home.key, 'a key');
    expect(statSync(home.key).mode & 0o777).toBe(0o600);
    expect(readPrivate(home.key)).toBe('a key');
  });

  it('provides the information about a running start only while that process runs', () => {
    const info = {
      ...{ pid: process.pid, url: 'http://127.0.0.1:1', databaseUrl: 'postgres://x/y', redisUrl: null },
      ...{ queue: 'postgres' as const, startedAt: '2026-01-01T00:00:00Z', processes: { api: 1 } },
    };
    writeRunInfo(home, { ...info, identity: identityOf(process.pid) });
    expect(readRunInfo(home)?.processes).toEqual({ api: 1 });
    writeRunInfo(home, { ...info, identity: 'an earlier run' });
    expect(readRunInfo(home)).toBeNull();
  });

  it('cannot be a file', () => {
    const file = join(home.root, 'file');
    writeFileSync(file, '');
    expect(() => new Home(file).create()).toThrow('cannot be used');
  });
});

describe('the identity of a process', () => {
  it('stays the same while the process runs', () => {
    expect(identityOf(process.pid)).toBe(identityOf(process.pid));
    expect(identityOf(process.pid)).not.toBe(identityOf(process.ppid));
    expect(isAlive(process.pid)).toBe(true);
  });
});
