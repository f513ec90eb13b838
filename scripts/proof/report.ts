import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { Installation, ROOT } from './installation';
import { BadOption, inEffect, type Options, usageOf, valuesOf, type ValuesOf } from './options';

/** What a part of the proof found, as a table of a document. */
export interface Report {
  readonly document: 'reliability' | 'security' | 'performance';
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Sentences under the table: what was counted how, what was not reached and why. */
  readonly notes?: readonly string[];
  /** Versions of what took part beside the servers of an installation, such as `h2load 1.52.0`. */
  readonly versions?: readonly string[];
  readonly passed: boolean;
}

/** One part of the proof: a command of its own. */
export interface Part {
  /** A line for the list of parts. */
  readonly what: string;
  /** How its options are written; empty for a part without any. */
  readonly usage: string;
  /** All options with their values. @throws BadOption */
  readonly inEffect: (args: readonly string[]) => string;
  /** @throws BadOption before anything is started */
  readonly run: (args: readonly string[]) => Promise<Report>;
}

/** A part that takes the given options. */
export const part = <O extends Options>({ what, options, run }: Described<O>): Part => ({
  what,
  usage: usageOf(options),
  inEffect: (args) => inEffect(valuesOf(options, args)),
  run: async (args) => run(valuesOf(options, args)),
});

interface Described<O extends Options> {
  readonly what: string;
  readonly options: O;
  readonly run: (values: ValuesOf<O>) => Promise<Report>;
}

/**
 * Runs a part with its arguments; `--write` among them puts its table into its document.
 * @param script the one it is run by, for the line under the table
 * @returns exit code: 1 where the promise was not kept, 2 for options that it does not take
 */
export async function runPart(
  script: 'proof' | 'bench',
  parts: Readonly<Record<string, Part>>,
  name: string,
  args: readonly string[],
): Promise<number> {
  const given = args.filter((arg) => arg !== '--write');
  if (given.includes('--help')) {
    process.stdout.write(`${lineOf(name, parts[name])}\n`);
    return 0;
  }
  const report = await parts[name].run(given).catch(refused);
  if (report === null) return 2;
  const command = `npm run ${script} -- ${name} ${parts[name].inEffect(given)}`.trimEnd();
  process.stdout.write(`\n${markdownOf(report, command)}\n`);
  if (given.length < args.length) publish(name, report, command);
  return report.passed ? 0 : 1;
}

/** A part in the list of parts. */
export const lineOf = (name: string, { what, usage }: Part): string =>
  `${name.padEnd(16)}${what}${usage === '' ? '' : `: ${usage}`}`;

function refused(error: unknown): null {
  if (!(error instanceof BadOption)) throw error;
  process.stderr.write(`${error.message}\n`);
  return null;
}

/** The report as Markdown, with how and where it was made. */
export function markdownOf(report: Report, command: string): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(shown).join(' | ')} |`;
  return [
    line(report.columns),
    line(report.columns.map(() => '---')),
    ...report.rows.map(line),
    '',
    ...(report.notes ?? []).flatMap((note) => [note, '']),
    `${new Date().toISOString().slice(0, 10)}, \`${command}\`, ${[machine(), ...versionsOf(report), commit()].join(', ')}.`,
  ].join('\n');
}

/** Puts a part's report in place of its last one, between its two marks in the document. */
export function publish(part: string, report: Report, command: string): void {
  const file = join(ROOT, 'docs', `${report.document}.md`);
  const [begin, end] = [`<!-- proof: ${part} -->`, `<!-- end of ${part} -->`];
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no place for it: a line ${begin} and, after it, ${end}`);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n\n${markdownOf(report, command)}\n\n${text.slice(to)}`);
}

const shown = (cell: string | number): string =>
  typeof cell === 'number' ? cell.toLocaleString('en-US') : cell.replaceAll('|', '\\|');

const machine = (): string =>
  `${cpus().length} x ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 1e9)} GB, Node ${process.versions.node}`;

const versionsOf = ({ versions = [] }: Report): readonly string[] => [
  ...new Set([...Installation.versions, ...versions]),
];

/** Documents may differ from it: other parts have put their tables there. */
function commit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const isChanged = git('status', '--porcelain', '--', '.', ':!docs') !== '';
    return `commit ${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  } catch {
    return 'without git'; // an archive of the sources
  }
}
