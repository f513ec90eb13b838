import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/installation';

/** A package of package-lock.json. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly runsAtInstall: boolean;
  /** Not only a development dependency. */
  readonly production: boolean;
  readonly hasIntegrity: boolean;
}

interface LockEntry {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
}

/** Third-party packages of package-lock.json. A license that it does not state is read from the installed package. */
export function lockedPackages(): readonly LockedPackage[] {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, LockEntry>>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version ?? '',
      license: entry.license ?? licenceIn(path),
      runsAtInstall: entry.hasInstallScript === true,
      production: !entry.dev && !entry.devOptional,
      hasIntegrity: entry.integrity !== undefined,
    }));
}

/** Old packages have `licenses`, a list. */
function licenceIn(path: string): string {
  const { license, licenses } = JSON.parse(readFileSync(join(ROOT, path, 'package.json'), 'utf8')) as {
    readonly license?: string;
    readonly licenses?: readonly { readonly type?: string }[];
  };
  return license ?? licenses?.map(({ type }) => type).join(' OR ') ?? 'not stated';
}
