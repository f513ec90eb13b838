import { ChartVersionWatch } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { type Pool } from 'pg';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ANA, storeCampaign } from './support/fec-data/campaign';
import { faultyService } from './support/service/faulty-service';
import { type RunningApi, runningApi } from './support/service/running-api';
import { describeWith, PYTHON } from './support/tools';
import { workUntil } from './support/pipeline/work-until';

const CLIENTS = join(__dirname, '../clients');
const folder = mkdtempSync(join(tmpdir(), 'donorlens-clients-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the clients', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
    await storeCampaign(api.app.get<Pool>(PG_POOL));
    await api.app.get(ChartVersionWatch).refreshNow();
  });
  afterAll(() => api.close());

  /** Runs the tests of a client in its own language while workers run. */
  async function pass(language: string, command: string, args: readonly string[]): Promise<void> {
    const { PATH, CI } = process.env;
    const faulty = await faultyService();
    const env = {
      PATH,
      ...(CI && { CI }),
      LANG: 'C.UTF-8',
      PYTHONPATH: 'src',
      PYTHONDONTWRITEBYTECODE: '1',
      DONORLENS_URL: api.url,
      DONORLENS_KEY: api.key,
      FAULTY_URL: faulty.url,
      CANDIDATE_ID: ANA,
    };
    const child = spawn(command, args, { env, cwd: join(CLIENTS, language), timeout: 150_000 });
    let notes = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (notes += part.toString()));
    const [code] = await workUntil<number[]>(api, once(child, 'close'));
    faulty.close();
    expect([code, code === 0 ? '' : notes]).toEqual([0, '']);
  }

  describeWith('python3')('in Python', () => {
    it('calls the service, repeats refused requests and raises its errors', () =>
      pass('python', PYTHON, ['-m', 'unittest', 'discover', '-s', 'tests']));
  });

  describeWith('R')('in R', () => {
    it('calls the service, repeats refused requests and signals its errors', () =>
      pass('r', 'Rscript', ['test-donorlens.R']));
  });
});

describeWith('mypy')('the type hints of the Python client', () => {
  it('are complete and correct', () => {
    const { stdout, stderr } = spawnSync('mypy', ['--cache-dir', join(folder, 'mypy'), 'src'], {
      cwd: join(CLIENTS, 'python'),
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^Success: no issues found in \d source files\n$/), '']);
  });
});

describeWith('setuptools')('the wheel of the Python client', () => {
  it('is built by its backend, imports nothing else, and has the version of the TypeScript client', () => {
    const source = join(folder, 'python'); // the backend writes beside the sources
    cpSync(join(CLIENTS, 'python'), source, { recursive: true });
    const python = (...args: string[]) => spawnSync(PYTHON, args, { cwd: source, encoding: 'utf8' });
    const built = python('-c', "from setuptools import build_meta; build_meta.build_wheel('dist')");
    const { version } = JSON.parse(readFileSync(join(CLIENTS, 'typescript/package.json'), 'utf8')) as {
      version: string;
    };
    const wheel = `donorlens-${version}-py3-none-any.whl`;
    expect([built.status, readdirSync(join(source, 'dist'))]).toEqual([0, [wheel]]);
    const load = `import sys; sys.path.insert(0, 'dist/${wheel}'); from donorlens import *; print(Donorlens.__module__)`;
    expect(python('-I', '-S', '-c', load).stdout).toBe('donorlens.client\n');
    expect(python('-m', 'zipfile', '-l', `dist/${wheel}`).stdout).toContain('donorlens/py.typed');
  });
});
