import { writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { someOf, text } from '../options';
import { part, type Report } from '../report';
import { GROUPS } from './groups';
import { type Mutant, mutantsOf } from './stryker';
import { reasonFor } from './survivors';

const GOAL = 0.85;

interface Found {
  readonly name: string;
  readonly mutants: readonly Mutant[];
  readonly seconds: number;
}

export const mutation = part({
  what: 'changes the arithmetic bit by bit, and asks whether its tests notice',
  options: {
    only: someOf(Object.keys(GROUPS)),
    details: text('FILE', undefined),
    incremental: text('FOLDER', undefined),
  },
  async run({ only, details, incremental }) {
    const found: Found[] = [];
    for (const name of only) {
      const started = performance.now();
      const mutants = await mutantsOf(GROUPS[name], incremental && resolve(incremental, `${name}.json`));
      found.push({ name, mutants, seconds: Math.round((performance.now() - started) / 1000) });
      if (details)
        writeFileSync(
          details,
          JSON.stringify(
            found.flatMap((one) => one.mutants),
            null,
            1,
          ),
        );
      process.stderr.write(`${name}: ${mutants.length} changes, ${found.at(-1)?.seconds} s\n`);
    }
    return reportOf(found, incremental !== undefined);
  },
});

const count = (mutants: readonly Mutant[], ...statuses: string[]): number =>
  mutants.filter(({ status }) => statuses.includes(status)).length;

function rowOf(name: string, mutants: readonly Mutant[], seconds: number): (string | number)[] {
  return [
    name,
    mutants.length,
    count(mutants, 'Killed'),
    count(mutants, 'Timeout'),
    count(mutants, 'RuntimeError', 'CompileError'),
    count(mutants, 'Survived'),
    count(mutants, 'NoCoverage'),
    `${(100 * scoreOf(mutants)).toFixed(1)} %`,
    seconds,
  ];
}

function scoreOf(mutants: readonly Mutant[]): number {
  const detected = count(mutants, 'Killed', 'Timeout');
  return detected / (detected + count(mutants, 'Survived', 'NoCoverage'));
}

function reportOf(found: readonly Found[], someOfBefore: boolean): Report {
  const all = found.flatMap(({ mutants }) => mutants);
  const seconds = found.reduce((sum, one) => sum + one.seconds, 0);
  return {
    document: 'security',
    columns: ['code', 'changes', 'noticed', 'never ended', 'cannot run', 'not noticed', 'not run', 'score', 'seconds'],
    rows: [...found.map((one) => rowOf(one.name, one.mutants, one.seconds)), rowOf('all', all, seconds)],
    notes: [
      ...(someOfBefore
        ? ['Changes that an earlier run had made to the same code, for tests of the same names, were not made again.']
        : []),
      ...notesOf(all),
    ],
    passed: scoreOf(all) >= GOAL,
  };
}

/** What was not noticed: what is known of it, and how much is not. */
function notesOf(all: readonly Mutant[]): string[] {
  const left = all.filter(({ status }) => status === 'Survived' || status === 'NoCoverage');
  const reasons = new Map<string, Mutant[]>();
  for (const mutant of left) {
    const why = reasonFor(mutant) ?? '';
    reasons.set(why, [...(reasons.get(why) ?? []), mutant]);
  }
  const unknown = reasons.get('')?.length ?? 0;
  reasons.delete('');
  return [
    [
      `Not noticed for a reason: ${left.length - unknown}.`,
      ...(reasons.size > 0 ? [''] : []),
      ...[...reasons].map(told),
    ].join('\n'),
    `Not noticed otherwise: ${unknown}; \`--details FILE\` lists them.`,
  ];
}

function told([why, mutants]: readonly [string, readonly Mutant[]]): string {
  const files = new Set(mutants.map(({ file }) => basename(file)));
  return `- ${mutants.length} of ${[...files].join(', ')}: ${why}.`;
}
