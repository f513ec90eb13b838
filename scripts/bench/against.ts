import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import { ROOT } from '../../test/support/installation';
import { median } from './measure';

const DEFAULT_ROUNDS = 5;

/** The first figure of each row of a printed table: the median of the rounds. */
async function valuesOf(checkout: string, args: readonly string[]): Promise<Map<string, number>> {
  const main = join(checkout, 'dist/scripts/bench/main.js');
  const stdout = await new Promise<string>((done, fail) =>
    // exit code 1 means only that a target is missed
    execFile(process.execPath, [main, ...args], { cwd: checkout, maxBuffer: 1 << 26 }, (error, out, err) =>
      out.includes('| --- |') ? done(out) : fail(error ?? new Error(err)),
    ),
  );
  const rows = stdout.split('\n').filter((line) => line.startsWith('| '));
  const cells = rows.slice(2).map((row) => row.slice(2, -2).split(' | '));
  return new Map(cells.map(([what, value]) => [what, Number.parseFloat(value.replaceAll(',', ''))]));
}

/**
 * Runs a benchmark of two built checkouts in alternation, one round each, and prints the ratio of their medians. Rows
 * are matched by name; a row that only one checkout has is printed without a ratio.
 */
export async function compareWith(other: string | undefined, name: string, args: readonly string[]): Promise<void> {
  if (other === undefined) throw new Error('--against takes the folder of another built checkout');
  const at = args.indexOf('--rounds');
  const rounds = at < 0 ? DEFAULT_ROUNDS : Number(args[at + 1]);
  const once = [name, '--rounds', '1', ...(at < 0 ? args : args.toSpliced(at, 2))];
  const runs: [Map<string, number>[], Map<string, number>[]] = [[], []];
  for (let round = 0; round < rounds; round++)
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      process.stderr.write(`round ${round + 1} of ${rounds}: ${side === 0 ? 'this checkout' : other}\n`);
      runs[side].push(await valuesOf(side === 0 ? ROOT : resolve(other), once));
    }
  process.stdout.write('| what | this checkout | other | ratio |\n| --- | --- | --- | --- |\n');
  for (const what of new Set(runs.flatMap(([first]) => [...first.keys()]))) {
    const [mine, theirs] = runs.map((all) =>
      all[0].has(what) ? median(all.map((row) => row.get(what) ?? NaN)) : null,
    );
    const ratio = mine === null || theirs === null ? '' : (mine / theirs).toFixed(2);
    process.stdout.write(`| ${what} | ${mine ?? ''} | ${theirs ?? ''} | ${ratio} |\n`);
  }
}
