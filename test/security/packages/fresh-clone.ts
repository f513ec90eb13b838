import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithUs, freePort } from '@donorlens/local-servers';
import { ROOT, until } from '../../support/installation';
import { type Check } from './checks';
import { npm } from './npm';

const KEY = 'a-key-for-the-first-request';
const QUESTION = '/enrich/v1/age_gender/name/Thomas/date/2017-07-01';

/** Builds and starts a clone that was installed without install scripts, and sends one request. */
export async function startWithoutScripts(): Promise<Check> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-packages-'));
  const clone = join(folder, 'clone');
  const steps: string[] = [];
  const step = async (name: string, work: () => Promise<unknown>): Promise<void> => {
    const started = performance.now();
    process.stderr.write(`${name} ...\n`);
    await work();
    steps.push(`${name} ${Math.round((performance.now() - started) / 1000)} s`);
  };
  const run = async (args: readonly string[]): Promise<void> => {
    const { code, stderr } = await npm(args, clone);
    if (code !== 0) throw new Error(`npm ${args.join(' ')} ended with ${code}: ${stderr.slice(-300)}`);
  };
  const what = 'a fresh clone, installed with --ignore-scripts';
  try {
    await step('clone', () => promisify(execFile)('git', ['clone', '-q', ROOT, clone]));
    await step('npm ci --ignore-scripts', () => run(['ci', '--ignore-scripts', '--no-audit', '--no-fund']));
    await step('npm run build', () => run(['run', '--ignore-scripts', 'build']));
    await step('start and first answer', () => firstAnswer(clone, join(folder, 'home')));
    return { what, found: steps.join(', '), passed: true };
  } catch (error) {
    return { what, found: `${steps.join(', ')}; then ${(error as Error).message}`, passed: false };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function firstAnswer(clone: string, home: string): Promise<void> {
  const port = await freePort();
  const child = spawn(process.execPath, [join(clone, 'dist/apps/cli/src/main.js'), 'start'], {
    cwd: clone,
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      DONORLENS_HOME: home,
      BOOTSTRAP_KEY: KEY,
      DATA_SOURCE: join(clone, 'libs/reference-data/sample'),
      GEOCODER_URL: 'http://127.0.0.1:9/geocoder', // a closed port
      FEC_IMPORT_AT: 'off',
    },
  });
  endWithUs(child, 'SIGTERM');
  const ended = once(child, 'exit');
  try {
    await until('the first request is answered', () => isAnswered(`http://127.0.0.1:${port}${QUESTION}`));
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

const isAnswered = (url: string): Promise<boolean> =>
  fetch(url, { headers: { 'x-api-key': KEY, accept: 'application/json' } }).then(
    async (answer) => answer.ok && Object.keys((await answer.json()) as object).length > 0,
    () => false,
  );
