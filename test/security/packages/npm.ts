import { execFile } from 'node:child_process';
import { ROOT } from '../../support/installation';

export interface Said {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The folder that an npm around us works in is not that of ours. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'npm_config_local_prefix'),
);

/** Runs npm with its ordinary settings and gives back what it said, whatever it ended with. */
export function npm(args: readonly string[], cwd = ROOT): Promise<Said> {
  return new Promise((done) =>
    execFile('npm', args, { cwd, env: environment, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr }),
    ),
  );
}

/** Why npm could not ask, without addresses of servers. */
export function refusalIn({ stdout, stderr }: Said): string {
  const text = `${stderr}\n${stdout}`;
  const status = /\b([45]\d\d [A-Z][A-Za-z]+(?: [A-Z][a-z]+)*)/.exec(text)?.[1];
  const code = /npm error code (\w+)/.exec(text)?.[1];
  return [status, code].filter(Boolean).join(', ') || 'no answer that can be read';
}
