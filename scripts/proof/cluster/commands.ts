import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../installation';

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A built program of ours to its end. */
export function ran(
  script: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Ended> {
  return new Promise((done) => {
    const env = { PATH: process.env.PATH, ...environment };
    execFile(
      process.execPath,
      [join(ROOT, 'dist/apps', script, 'src/main.js'), ...args],
      { env },
      (error, out, err) => {
        const code = error ? (typeof error.code === 'number' ? error.code : 1) : 0;
        done({ code, out, err });
      },
    );
  });
}

const MOST_TRIES = 20;

/** As an operator gives a command that was interrupted: again. @returns its output and how often it was given */
export async function insisted(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<{ out: string; times: number }> {
  for (let times = 1; ; times++) {
    const { code, out, err } = await ran('cli', args, environment);
    if (code === 0) return { out, times };
    if (times === MOST_TRIES) throw new Error(`donorlens ${args.join(' ')} ended with ${code}: ${err.trim()}`);
  }
}
