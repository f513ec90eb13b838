import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../../../../test/support/until';
import { Home } from '../home/home';
import { isAlive } from '../home/process-identity';
import { endStaleServers, writeRedisPid } from './stale-servers';

describe('servers that a killed start left behind', () => {
  let home: Home;
  const children: ChildProcess[] = [];
  const said: string[] = [];

  beforeEach(() => {
    home = new Home(mkdtempSync(join(tmpdir(), 'donorlens-stale-')));
    home.create();
    mkdirSync(home.postgres);
    said.length = 0;
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    rmSync(home.root, { recursive: true, force: true });
  });

  /** A stand-in for a server: a process at work in a folder. */
  async function processIn(folder: string): Promise<number> {
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], { cwd: folder });
    children.push(child);
    await once(child.stdout, 'data');
    return child.pid ?? 0;
  }
  const postmasterPid = (pid: number, folder: string) =>
    writeFileSync(join(home.postgres, 'postmaster.pid'), `${pid}\n${folder}\n1700000000\n`);
  const endThem = () => endStaleServers(home, (text) => said.push(text));

  it('are ended: a Postgres that is named by its pid file and works in this home', async () => {
    const pid = await processIn(home.postgres);
    postmasterPid(pid, home.postgres);
    await endThem();
    await until('it has ended', () => !isAlive(pid));
    expect(said).toEqual([`ending Postgres (pid ${pid}), left behind by an earlier start`]);
  });

  it('are ended: the redis-server that this home remembers', async () => {
    const pid = await processIn(home.root);
    writeRedisPid(home, pid);
    await endThem();
    expect(said).toEqual([`ending redis-server (pid ${pid}), left behind by an earlier start`]);
  });

  it('are left alone when the pid belongs to something else by now', async () => {
    const pid = await processIn(tmpdir());
    postmasterPid(pid, home.postgres);
    writeFileSync(home.redisPid, JSON.stringify({ pid, identity: 'of an earlier process' }));
    await endThem();
    expect(said).toEqual([]);
    expect(isAlive(pid)).toBe(true);
  });

  it('are left alone when the pid file is that of another folder', async () => {
    const pid = await processIn(home.postgres);
    postmasterPid(pid, tmpdir());
    await endThem();
    expect(isAlive(pid)).toBe(true);
  });

  it('are none in a new home', async () => {
    await endThem();
    expect(said).toEqual([]);
  });
});
