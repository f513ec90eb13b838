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

  /** Replacement for a server: a process whose working directory is the folder. */
  async function processIn(folder: string): Promise<number> {
    const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1000)'], { cwd: folder });
    children.push(child);
    await once(child.stdout, 'data');
    return child.pid ?? 0;
  }
  const postmasterPid = (pid: number, folder: string) =>
    writeFileSync(join(home.postgres, 'postmaster.pid'), `${pid}\n${folder}\n1700000000\n`);
  const endThem = () => endStaleServers(home, (text) => said.push(text));

  it('are ended: a Postgres that its pid file names and that runs in this home', async () => {
    const pid = await processIn(home.postgres);
    postmasterPid(pid, home.postgres);
    await endThem();
    await until('it has ended', () => !isAlive(pid));
    expect(said).toEqual([`ending Postgres (pid ${pid}), left behind by an earlier start`]);
  });

  it('are ended: the redis-server in the pid file of this home', async () => {
    const pid = await processIn(home.root);
    writeRedisPid(home, pid);
    await endThem();
    expect(said).toEqual([`ending redis-server (pid ${pid}), left behind by an earlier start`]);
  });

  it('are not ended if the pid now belongs to another process', async () => {
    const pid = await processIn(tmpdir());
    postmasterPid(pid, home.postgres);
    writeFileSync(home.redisPid, JSON.stringify({ pid, identity: 'of an earlier process' }));
    await endThem();
    expect(said).toEqual([]);
    expect(isAlive(pid)).toBe(true);
  });

  it('are not ended if the pid file names another folder', async () => {
    const pid = await processIn(home.postgres);
    postmasterPid(pid, tmpdir());
    await endThem();
    expect(isAlive(pid)).toBe(true);
  });

  it('do not exist in a new home', async () => {
    await endThem();
    expect(said).toEqual([]);
  });
});
