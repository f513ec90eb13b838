import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/service/service';
import { describeWith } from '../support/tools';

const ARGS = ['chaos', '--rows', '20000', '--faults', '12', '--seed', '1'];

/** Runs the scenario. @returns the cells of its only row, by column */
async function run(): Promise<{ code: number; found: Record<string, string>; log: string }> {
  const main = join(ROOT, 'dist/scripts/resilience/main.js');
  const ended = await promisify(execFile)(process.execPath, [main, ...ARGS]).then(
    (done) => ({ ...done, code: 0 }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  const [columns = [], , cells = []] = ended.stdout
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.slice(2, -2).split(' | '));
  const found = Object.fromEntries(columns.map((column, at) => [column, cells[at]]));
  return { code: ended.code, found, log: ended.stderr };
}

const NOTHING_WRONG = { lost: '0', duplicated: '0', 'out of order': '0', 'incomplete batches': '0', violations: '0' };

/** test/resilience/imports-and-webhooks.e2e-spec.ts is a similar test with the queue in Postgres. */
describeWith('redis-server')('20,000 rows during 12 faults, including an upgrade and a restore', () => {
  it('are all stored once and in order, and every batch reaches a final state', async () => {
    const { code, found, log } = await run();
    if (code !== 0) process.stderr.write(log); // names the folder of the logs, and the failed checks
    expect(found).toMatchObject({ queue: 'redis', rows: '20,000', faults: '12', ...NOTHING_WRONG });
    expect(code).toBe(0);
  });
});
