import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Report } from '../../../scripts/command/report';
import { type Check, audit, checksums, installScripts, licences, signatures } from './checks';
import { startWithoutScripts } from './fresh-clone';
import { lockedPackages } from './installed';
import { npm } from './npm';

/** Checks of the packages that need no network. */
export function checkLockFile(): Report {
  const locked = lockedPackages();
  const production = locked.filter((one) => one.production);
  return reportOf([checksums(locked), licences(production), installScripts(production)]);
}

/** All checks; writes the bill of materials. */
export async function checkPackages(sbom: string): Promise<Report> {
  const { rows, ...report } = checkLockFile();
  const more = reportOf([
    await audit([]),
    await audit(['--omit=dev']),
    await signatures(),
    await billOfMaterials(resolve(sbom)),
    await startWithoutScripts(),
  ]);
  return { ...report, rows: [...rows, ...more.rows], passed: report.passed && more.passed };
}

async function billOfMaterials(file: string): Promise<Check> {
  const what = 'npm sbom --sbom-format cyclonedx --omit dev';
  const { code, stdout } = await npm(['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev']);
  if (code !== 0) return { what, found: `npm ended with ${code}`, passed: false };
  const { bomFormat, specVersion, components } = JSON.parse(stdout) as {
    readonly bomFormat: string;
    readonly specVersion: string;
    readonly components: readonly unknown[];
  };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, stdout);
  return { what, found: `${bomFormat} ${specVersion}, ${components.length} components`, passed: components.length > 0 };
}

const verdict = (passed: boolean | null): string => (passed === null ? 'not available' : passed ? 'yes' : 'no');

const reportOf = (checks: readonly Check[]): Report => ({
  columns: ['check', 'found', 'passed'],
  rows: checks.map(({ what, found, passed }) => [what, found, verdict(passed)]),
  passed: checks.every(({ passed }) => passed !== false),
});
