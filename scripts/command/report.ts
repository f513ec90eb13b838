import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { Installation, ROOT } from '../../test/support/installation';
import { InvalidOption, formatOptions, type Options, parseOptions, usageOf, type ValuesOf } from './options';

/** Result of a command: a table. */
export interface Report {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** Paragraphs under the table. */
  readonly notes?: readonly string[];
  /** Name of its page in docs/results; that of the command by default. */
  readonly page?: string;
  readonly passed: boolean;
}

export interface Command {
  /** One line for the list of commands. */
  readonly what: string;
  /** Usage text of the options; empty if the command has none. */
  readonly usage: string;
  /** All options with their values. @throws InvalidOption */
  readonly inEffect: (args: readonly string[]) => string;
  /** @throws InvalidOption before anything is started */
  readonly run: (args: readonly string[]) => Promise<Report>;
}

export const command = <O extends Options>({ what, options, run }: Definition<O>): Command => ({
  what,
  usage: usageOf(options),
  inEffect: (args) => formatOptions(parseOptions(options, args)),
  run: async (args) => run(parseOptions(options, args)),
});

interface Definition<O extends Options> {
  readonly what: string;
  readonly options: O;
  readonly run: (values: ValuesOf<O>) => Promise<Report>;
}

/** Reports progress on stderr. */
export const say = (text: string): void => void process.stderr.write(`${text}\n`);

/** Main function of a program with several commands: lists them, or runs the named one, and ends the process. */
export function runProgram(
  script: string,
  commands: Readonly<Record<string, Command>>,
  all?: () => Promise<number>,
): void {
  const [name, ...args] = process.argv.slice(2);
  const list = (): number => {
    for (const [each, one] of Object.entries(commands)) process.stdout.write(`${describeCommand(each, one)}\n`);
    return 0;
  };
  const run = async (): Promise<number> => {
    if (name === undefined && all) return all();
    if (name === undefined || name === '--help') return list();
    if (Object.hasOwn(commands, name)) return runCommand(script, commands, name, args);
    process.stderr.write(`unknown command ${name}: use one of ${Object.keys(commands).join(', ')}\n`);
    return 2;
  };
  run().then(
    (code) => process.exit(code),
    (error: Error) => {
      process.stderr.write(`${error.stack ?? error.message}\n`);
      process.exit(1);
    },
  );
}

/**
 * Runs a command with its arguments; `--write` among them writes its report to docs/results.
 * @param script - npm script, for the line under the table
 * @returns exit code: 1 if a check failed, 2 for invalid options
 */
export async function runCommand(
  script: string,
  commands: Readonly<Record<string, Command>>,
  name: string,
  args: readonly string[],
): Promise<number> {
  const given = args.filter((arg) => arg !== '--write');
  if (given.includes('--help')) {
    process.stdout.write(`${describeCommand(name, commands[name])}\n`);
    return 0;
  }
  const report = await commands[name].run(given).catch((error: unknown) => {
    if (!(error instanceof InvalidOption)) throw error;
    process.stderr.write(`${error.message}\n`);
    return null;
  });
  if (report === null) return 2;
  const text = markdownOf(report, `npm run ${script} -- ${name} ${commands[name].inEffect(given)}`.trimEnd());
  process.stdout.write(`\n${text}\n`);
  if (given.length < args.length) write(report.page ?? name, text);
  return report.passed ? 0 : 1;
}

const describeCommand = (name: string, { what, usage }: Command): string =>
  `${name.padEnd(16)}${what}${usage === '' ? '' : `\n${' '.repeat(16)}${usage}`}`;

/** The report as Markdown, with the command line, the machine and the versions. */
export function markdownOf(report: Report, commandLine: string): string {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.map(shown).join(' | ')} |`;
  const made = [machine(), ...Installation.versions, commit()];
  return [
    line(report.columns),
    line(report.columns.map(() => '---')),
    ...report.rows.map(line),
    '',
    ...(report.notes ?? []).flatMap((note) => [note, '']),
    `${new Date().toISOString().slice(0, 10)}, \`${commandLine}\`, ${[...new Set(made)].join(', ')}.`,
  ].join('\n');
}

function write(name: string, text: string): void {
  const title = `${name[0].toUpperCase()}${name.slice(1).replaceAll('-', ' ')}`;
  mkdirSync(join(ROOT, 'docs/results'), { recursive: true });
  writeFileSync(join(ROOT, 'docs/results', `${name}.md`), `# ${title}\n\n${text}\n`);
}

const shown = (cell: string | number): string =>
  typeof cell === 'number' ? cell.toLocaleString('en-US') : cell.replaceAll('|', '\\|');

const machine = (): string =>
  `${cpus().length} x ${cpus()[0].model.trim()}, ${Math.round(totalmem() / 1e9)} GB, Node ${process.versions.node}`;

function commit(): string {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }).trim();
  try {
    const isChanged = git('status', '--porcelain', '--', '.', ':!docs') !== '';
    return `commit ${git('rev-parse', '--short', 'HEAD')}${isChanged ? ' with changes' : ''}`;
  } catch {
    return 'without git'; // the sources are from an archive
  }
}
