import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { endWithUs } from '@donorlens/local-servers';
import { ROOT } from '.';

export interface SyntheticGeocoder {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts a synthetic geocoder in a separate process that no fault stops. */
export async function startGeocoder(options: readonly string[] = ['--latency-ms', '20']): Promise<SyntheticGeocoder> {
  const args = [join(ROOT, 'dist/test/support/census-server/main.js'), '--port', '0', ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  endWithUs(child, 'SIGKILL');
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the synthetic geocoder did not start')));
  const [line] = (await Promise.race([once(child.stdout, 'data'), ended])) as [Buffer];
  ended.catch(() => undefined);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { url: line.toString().trim(), stop };
}
