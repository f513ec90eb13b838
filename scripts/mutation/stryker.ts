import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { endWithUs } from '@donorlens/local-servers';
import { ROOT } from '../../test/support/installation';

/** Sources and the specs that test them, as paths from the root. */
export interface Group {
  readonly mutate: readonly string[];
  readonly specs: readonly string[];
}

export interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly kind: string;
  readonly original: string;
  readonly replacement: string;
  readonly status: string;
}

interface StrykerReport {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly StrykerMutant[] }>>;
}

interface StrykerMutant {
  readonly mutatorName: string;
  readonly replacement: string;
  readonly status: string;
  readonly location: Readonly<Record<'start' | 'end', { readonly line: number; readonly column: number }>>;
}

const fromRoot = createRequire(join(ROOT, 'package.json'));
const STRYKER = join(dirname(require.resolve('@stryker-mutator/core/package.json')), 'bin/stryker.js');
const RUNNER = join(dirname(require.resolve('@stryker-mutator/jest-runner/package.json')), 'dist/src/index.js');

/** Runs Stryker on a group, in a copy outside the repository. */
export async function mutantsOf(group: Group): Promise<readonly Mutant[]> {
  const folder = mkdtempSync(join(tmpdir(), 'donorlens-mutation-'));
  try {
    const config = join(folder, 'stryker.config.json');
    writeFileSync(config, JSON.stringify(optionsOf(group, folder)));
    const child = spawn('nice', ['-n', '5', process.execPath, STRYKER, 'run', config], {
      cwd: ROOT,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    endWithUs(child, 'SIGKILL', 'group'); // a mutant may loop forever
    let output = '';
    child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
    child.stdout.pipe(process.stderr, { end: false });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`Stryker ended with ${code}:\n${output.slice(-4000)}`);
    return readReport(join(folder, 'report.json'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function optionsOf({ mutate, specs }: Group, folder: string): object {
  return {
    mutate,
    ignorePatterns: ['*', '!libs/**', '!test/**', '!package.json', '!tsconfig.json'],
    tempDirName: join(folder, 'sandbox'),
    plugins: [RUNNER],
    testRunner: 'jest',
    jest: { config: jestConfigOf(specs, folder), enableFindRelatedTests: false },
    coverageAnalysis: 'perTest',
    timeoutMS: 10_000, // plus three times the usual time
    timeoutFactor: 3,
    concurrency: availableParallelism(),
    reporters: ['json', 'progress-append-only'],
    jsonReporter: { fileName: join(folder, 'report.json') },
    allowConsoleColors: false,
    disableTypeChecks: false, // swc does not check types
    checkers: [],
  };
}

/**
 * The repository's Jest configuration without servers, limited to the group's specs. Stryker's `testFiles` would leave
 * code untested that runs while a module loads, because the runner treats those paths as test names.
 */
function jestConfigOf(specs: readonly string[], folder: string): object {
  const { globalSetup, globalTeardown, testSequencer, roots, reporters, ...config } = fromRoot(
    './jest.config.js',
  ) as Record<string, unknown>;
  void [globalSetup, globalTeardown, testSequencer, roots, reporters];
  return {
    ...config,
    roots: [...new Set(specs.map((spec) => `<rootDir>/${dirname(spec)}`))],
    testEnvironment: require.resolve('./first-failure'),
    setupFiles: [...((config.setupFiles as string[] | undefined) ?? []), require.resolve('./first-counterexample')],
    watchman: false,
    testRegex: specs.map((spec) => `/${spec.replaceAll('.', '\\.')}$`),
    cacheDirectory: join(folder, 'cache'),
  };
}

function readReport(file: string): readonly Mutant[] {
  const { files } = JSON.parse(readFileSync(file, 'utf8')) as StrykerReport;
  return Object.entries(files).flatMap(([name, { source, mutants }]) =>
    mutants.map(({ mutatorName, replacement, status, location: { start, end } }) => {
      const lines = source.split('\n').slice(start.line - 1, end.line);
      lines[lines.length - 1] = lines[lines.length - 1].slice(0, end.column - 1);
      lines[0] = lines[0].slice(start.column - 1);
      return { file: name, line: start.line, kind: mutatorName, original: lines.join('\n'), replacement, status };
    }),
  );
}
