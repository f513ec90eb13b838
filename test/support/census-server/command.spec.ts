import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '../until';
import { raw } from './ask';

const ROOT = join(__dirname, '../../..');

/** Starts the command and collects its output. */
function run(...options: string[]): { child: ChildProcess; out: () => string; err: () => string } {
  const child = spawn(process.execPath, [join(ROOT, 'dist/test/support/census-server/main.js'), ...options]);
  let [out, err] = ['', ''];
  child.stdout.on('data', (text: Buffer) => (out += text.toString()));
  child.stderr.on('data', (text: Buffer) => (err += text.toString()));
  return { child, out: () => out, err: () => err };
}

it('the command prints its address, writes counts to stderr, injects faults, and ends on SIGTERM', async () => {
  const { child, out, err } = run('--port', '0', '--fault', '503=1', '--retry-after', '3');
  try {
    const [url] = await until('it listens', () => /http:\S+\/geocoder/.exec(out()));
    expect(await raw(`${url}/benchmarks`)).toMatchObject({ status: 503, headers: { 'retry-after': '3' } });
    await until('it counts', () => err().includes('calls 1 (failed 1, in flight 0, at most 1)'));
  } finally {
    child.kill('SIGTERM');
  }
  expect(child.exitCode ?? (await once(child, 'exit'))[0]).toBe(0);
});

it.each([
  ['--help', 0, /^usage: census-server/, /^$/],
  ['--fault=nonsense', 2, /^$/, /^no such fault: nonsense\nusage: /],
  ['--fault=500=2', 2, /^$/, /^not a probability: 2\nusage: /],
  ['--port=x', 2, /^$/, /^not a whole number: x\nusage: /],
])('%s ends with %d', async (option, code, toldOut, toldErr) => {
  const { child, out, err } = run(option);
  expect((await once(child, 'close'))[0]).toBe(code);
  expect([out(), err()]).toEqual([expect.stringMatching(toldOut), expect.stringMatching(toldErr)]);
});
