import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { findPostgresBinaries } from '@donorlens/local-servers';
import { findPgbouncer } from './servers/pgbouncer';

export const pathOf = (tool: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, tool))
    .find((path) => existsSync(path));

/** The headless shell of Chromium if it is installed, otherwise Chromium. */
export const browserPath = (): string | undefined => pathOf('chromium-headless-shell') ?? pathOf('chromium');

const onPath = (tool: string): boolean => pathOf(tool) !== undefined;

/** Python of Debian, to which the Debian packages belong, otherwise the first on the PATH. */
export const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3';

/** Path of libfaketime from the Debian package `libfaketime`. */
export const faketimeLibrary = (): string | undefined =>
  ['x86_64-linux-gnu', 'aarch64-linux-gnu']
    .map((machine) => `/usr/lib/${machine}/faketime/libfaketime.so.1`)
    .find((path) => existsSync(path));

/** The official files of the publishers, in one folder per publisher, beside the project. */
export const OFFICIAL_DATA = resolve(__dirname, '../../../shared/data');
/** Tables of inputs and correct outputs, computed from those files by an independent program. */
export const WORKED_EXAMPLES = resolve(__dirname, '../../../shared/examples');

const isAvailable = {
  curl: () => onPath('curl'),
  python3: () => onPath('python3'),
  setuptools: () => ['setuptools', 'wheel'].every((name) => existsSync(`/usr/lib/python3/dist-packages/${name}`)),
  openpyxl: () => existsSync('/usr/lib/python3/dist-packages/openpyxl'),
  mypy: () => onPath('mypy'),
  R: () => existsSync('/usr/lib/R/site-library/httr2') && onPath('Rscript'),
  chromium: () => browserPath() !== undefined,
  'redis-server': () => onPath('redis-server'),
  'installed Postgres': () => findPostgresBinaries(process.env.PATH ?? '').some(({ kind }) => kind === 'system'),
  faketime: () => faketimeLibrary() !== undefined,
  pgbouncer: () => findPgbouncer() !== null,
  'official data': () => existsSync(join(OFFICIAL_DATA, 'ssa/names.zip')),
  'worked examples': () => existsSync(join(WORKED_EXAMPLES, 'age-gender.csv')),
};
export type Need = keyof typeof isAvailable;

export const has = (need: Need): boolean => isAvailable[need]();

/**
 * `describe` for tests that need something that a machine may lack. There they are skipped and counted as skipped;
 * with CI set they always run, so that a missing tool causes a failure.
 */
export const describeWith = (...needs: Need[]): jest.Describe =>
  process.env.CI || needs.every(has) ? describe : describe.skip;

/** `it` with the condition of `describeWith`. */
export const itWith = (...needs: Need[]): jest.It => (process.env.CI || needs.every(has) ? it : it.skip);
