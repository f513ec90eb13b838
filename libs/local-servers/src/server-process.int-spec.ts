import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { transformFileSync } from '@swc/core';
import { freePort, ServerProcess } from './server-process';

describe('a server process', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'donorlens-process-'));
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  /** For a process of its own. */
  const writeCompiled = (file: string): void => {
    const source = transformFileSync(join(__dirname, `${file}.ts`), {
      swcrc: false,
      module: { type: 'commonjs' },
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
    });
    writeFileSync(join(home, `${file}.js`), source.code);
  };

  const start = (script: string, waitMs = 5_000): ServerProcess =>
    ServerProcess.start({
      command: { file: '/bin/sh', args: ['-c', script] },
      logFile: join(home, 'log'),
      stopSignals: [{ signal: 'SIGTERM', waitMs }],
    });

  it('ends when the process that started it is killed', async () => {
    writeCompiled('server-process');
    const script = `
      const { ServerProcess } = require('./server-process.js');
      const server = ServerProcess.start({ command: { file: '/bin/sleep', args: ['60'] }, logFile: 'log',
        stopSignals: [{ signal: 'SIGTERM', waitMs: 100 }] });
      console.log(server.pid);`;
    const parent = spawn(process.execPath, ['-e', script], { cwd: home, stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    expect(isRunning(Number(pid))).toBe(true);
    parent.kill('SIGKILL');
    while (isRunning(Number(pid))) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('ends a whole process group on request', async () => {
    writeCompiled('server-process');
    const script = `
      const { spawn } = require('node:child_process');
      const { endWithUs } = require('./server-process.js');
      const child = spawn('/bin/sh', ['-c', 'trap "" TERM; sleep 60 & echo $!; wait'], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
      endWithUs(child, 'SIGKILL', 'group');
      child.stdout.once('data', (pid) => console.log(String(pid)));`;
    const parent = spawn(process.execPath, ['-e', script], { cwd: home, stdio: ['ignore', 'pipe', 'inherit'] });
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    expect(isRunning(Number(pid))).toBe(true);
    parent.kill('SIGKILL');
    while (isRunning(Number(pid))) await new Promise((resolve) => setTimeout(resolve, 20));
  });

  it('stops on SIGTERM, and is killed if it does not', async () => {
    const gentle = start('trap "exit 7" TERM; echo set; while :; do sleep 0.02; done');
    await untilTrapIsSet(gentle);
    await gentle.stop();
    expect(await gentle.exited).toEqual({ code: 7, signal: null, wanted: true });

    const stubborn = start('trap "" TERM; echo set; while :; do sleep 0.02; done', 200);
    await untilTrapIsSet(stubborn);
    await stubborn.stop();
    expect(await stubborn.exited).toEqual({ code: null, signal: 'SIGKILL', wanted: true });
  });

  it('reports an unexpected exit', async () => {
    expect(await start('exit 3').exited).toEqual({ code: 3, signal: null, wanted: false });
  });

  it('reports a missing program as an exit', async () => {
    const server = ServerProcess.start({
      command: { file: '/no/such/program', args: [] },
      logFile: join(home, 'log'),
      stopSignals: [{ signal: 'SIGTERM', waitMs: 100 }],
    });
    expect(await server.exited).toMatchObject({ wanted: false });
    await server.stop();
  });

  it('shows the log of its own run only, and starts a new file if the old one is long', async () => {
    const first = start('echo first');
    await first.exited;
    const second = start('echo second');
    await second.exited;
    expect(second.log()).toBe('second\n');
    writeFileSync(join(home, 'log'), Buffer.alloc(10_000_001));
    const third = start('echo third');
    await third.exited;
    expect(readFileSync(join(home, 'log'), 'utf8')).toBe('third\n');
  });
});

describe('a free port', () => {
  it('is returned once, also when its server has not opened it yet', async () => {
    const ports = new Set<number>();
    for (let nth = 0; nth < 900; nth++) ports.add(await freePort());
    expect(ports.size).toBe(900);
  });
});

async function untilTrapIsSet(server: ServerProcess): Promise<void> {
  while (!server.log().includes('set')) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A zombie has ended; only its number waits for a parent. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
