import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { endWithUs } from '@donorlens/local-servers';
import { dataFolder } from '../../test/support/bench-data/donors';

const CLI = resolve(__dirname, '../../apps/cli/src/main.js');
export const KEY = 'bench-key-for-loopback';

export interface RunningService {
  readonly url: string;
  readonly home: string;
  readonly databaseUrl: string;
  readonly processes: Readonly<Record<string, number>>;
  readonly readyMs: number;
  stop(): Promise<void>;
}

const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => done(typeof address === 'object' && address ? address.port : 0));
    });
  });

const ready = (url: string): Promise<boolean> =>
  fetch(`${url}/health/ready`).then(
    (response) => response.ok,
    () => false,
  );

/** The whole donorlens as `npm start` runs it, with a home of its own that is erased at the end. */
export async function startService(env: NodeJS.ProcessEnv): Promise<RunningService> {
  const home = mkdtempSync(join(tmpdir(), 'donorlens-bench-'));
  const port = await freePort();
  const started = performance.now();
  const child: ChildProcess = spawn(process.execPath, [CLI, 'start'], {
    env: {
      ...env,
      PORT: String(port),
      DONORLENS_HOME: home,
      BOOTSTRAP_KEY: KEY,
      DATA_SOURCE: dataFolder,
      FEC_IMPORT_AT: 'off', // imports are the bench's own
      LOG_LEVEL: 'error',
    },
    stdio: 'ignore',
  });
  endWithUs(child, 'SIGTERM');
  const url = `http://127.0.0.1:${port}`;
  while (!(await ready(url))) {
    if (child.exitCode !== null) throw new Error(`donorlens start ended with ${child.exitCode}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  const readyMs = performance.now() - started;
  const run = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as {
    databaseUrl: string;
    processes: Record<string, number>;
  };
  const stop = async () => {
    const ended = new Promise((done) => child.once('exit', done));
    child.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  return { url, home, databaseUrl: run.databaseUrl, processes: run.processes, readyMs, stop };
}
