import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endWithUs, freePort } from '@donorlens/local-servers';
import { dataFolder } from '../../test/support/bench-data/donors';
import { builtApp, KEY, until } from '../../test/support/installation';
import { BatchClient } from '../resilience/support/batch-client';

const READY_MS = 600_000;

export interface RunningService {
  readonly url: string;
  readonly home: string;
  readonly databaseUrl: string;
  readonly processes: Readonly<Record<string, number>>;
  readonly client: BatchClient;
  stop(): Promise<void>;
}

/** Starts donorlens like `npm start`, with its own home, which is deleted at the end. */
export async function startService(env: NodeJS.ProcessEnv): Promise<RunningService> {
  const home = mkdtempSync(join(tmpdir(), 'donorlens-bench-'));
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [builtApp('cli'), 'start'], {
    env: {
      ...env,
      PORT: String(port),
      DONORLENS_HOME: home,
      BOOTSTRAP_KEY: KEY,
      DATA_SOURCE: dataFolder,
      FEC_IMPORT_AT: 'off', // the benchmarks start imports
      LOG_LEVEL: 'error',
    },
    stdio: 'ignore',
  });
  endWithUs(child, 'SIGTERM');
  const url = `http://127.0.0.1:${port}`;
  const isReady = (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`donorlens start ended with ${child.exitCode}`);
    return fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until('the service is ready', isReady, READY_MS);
  const { databaseUrl, processes } = JSON.parse(readFileSync(join(home, 'run.json'), 'utf8')) as {
    databaseUrl: string;
    processes: Record<string, number>;
  };
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    rmSync(home, { recursive: true, force: true });
  };
  return { url, home, databaseUrl, processes, client: new BatchClient([url], Math.random), stop };
}
