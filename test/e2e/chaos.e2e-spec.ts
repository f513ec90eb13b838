import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/service';
import { describeWith } from '../support/tools';

const ARGS = ['chaos', '--rows', '50000', '--faults', '25', '--seed', '1', '--queue'];

/** What the command prints: the cells of its one line, by column. */
async function proof(args: readonly string[]): Promise<{ code: number; found: Record<string, string>; said: string }> {
  const main = join(ROOT, 'dist/scripts/proof/main.js');
  const ended = await promisify(execFile)(process.execPath, [main, ...args]).then(
    (done) => ({ ...done, code: 0 }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
  const [columns = [], , cells = []] = ended.stdout
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.slice(2, -2).split(' | '));
  const found = Object.fromEntries(columns.map((column, at) => [column, cells[at]]));
  return { code: ended.code, found, said: ended.stderr };
}

describeWith('redis-server')('50,000 rows through 25 kills, freezes and broken networks', () => {
  it.each(['redis', 'postgres'])(
    'are all there once and in their place, and every batch is final: queue in %s',
    async (queue) => {
      const { code, found, said } = await proof([...ARGS, queue]);
      const none = { lost: '0', doubled: '0', 'out of place': '0', 'batches not whole': '0', violations: '0' };
      const whole = { queue, rows: '50,000', faults: '25', ...none };
      if (code !== 0) process.stderr.write(said); // tells where the logs are, and which batches
      expect(found).toMatchObject(whole);
      expect(code).toBe(0);
    },
    300_000,
  );
});
