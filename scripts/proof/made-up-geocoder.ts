import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endWithUs } from '@donorlens/local-servers';
import { ROOT } from './installation';

export interface MadeUpGeocoder {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** A geocoder of ours in a process of its own; it is not among what is killed. */
export async function madeUpGeocoder(): Promise<MadeUpGeocoder> {
  const args = ['-r', './test/support/typescript.js', 'scripts/census-server.ts', '--port', '0', '--latency-ms', '20'];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'ignore'] });
  endWithUs(child, 'SIGKILL');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { url: line.toString().trim(), stop };
}
