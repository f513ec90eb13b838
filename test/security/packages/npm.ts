import { execFile } from 'node:child_process';
import { ROOT } from '../../support/installation';

export interface NpmOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Without the folder of an npm process that runs the tests. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name !== 'npm_config_local_prefix'),
);

/** Runs npm with its default settings. @returns the output, also if npm fails */
export function npm(args: readonly string[], cwd = ROOT): Promise<NpmOutput> {
  return new Promise((done) =>
    execFile('npm', args, { cwd, env: environment, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : typeof error.code === 'number' ? error.code : 1, stdout, stderr }),
    ),
  );
}

/** The error of npm, without server addresses. */
export function errorIn({ stdout, stderr }: NpmOutput): string {
  const text = `${stderr}\n${stdout}`;
  const status = /\b([45]\d\d [A-Z][A-Za-z]+(?: [A-Z][a-z]+)*)/.exec(text)?.[1];
  const code = /npm error code (\w+)/.exec(text)?.[1];
  return [status, code].filter(Boolean).join(', ') || 'no answer that can be read';
}
