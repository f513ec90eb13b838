import { type ChartsReport, type ChartsStatus, readChartsStatus, refreshCharts } from '@donorlens/charts';
import { ImportLease, ImportRepository, type StoredImport } from '@donorlens/imports';
import { createLogger } from '@donorlens/observability';
import { counted, grouped } from '@donorlens/primitives';
import { ReleaseRepository } from '@donorlens/reference-data';
import { databaseUrlOf } from '../database-url';
import { CliError, EXIT, type ExitCode } from '../exit-code';
import { type Context } from '../program-context';
import { withPool } from '../with-pool';
import { demographicsOf } from './active-demographics';

interface JsonOption {
  readonly json?: boolean;
}

const LEASE_WAIT_MS = 20_000;

const interruptedText = ({ id, kind, cycle, source }: StoredImport): string =>
  kind === 'reenrich'
    ? `contributions of ${cycle} are not all enriched under release ${source} yet (import ${id} was interrupted): a running aggregator continues it, try again when "bin/donorlens import list" no longer shows it as loading`
    : `import ${id} (${source}) was interrupted: run its command again first, or wait a day`;

/** Rebuilds the charts under the import lease: charts built during an import would be incomplete. */
export async function rebuild(context: Context, options: JsonOption): Promise<ExitCode> {
  return withPool(databaseUrlOf(), async (pool) => {
    const lease = await ImportLease.take(pool, createLogger('cli', 'silent'), { waitMs: LEASE_WAIT_MS });
    try {
      const half = await new ImportRepository(pool).interrupted();
      if (half !== null) throw new CliError(interruptedText(half));
      const demographics = demographicsOf(new ReleaseRepository(pool));
      const refresh = { fence: lease.fence, demographics, onWarning: context.note };
      const report = await refreshCharts(pool, { ...refresh, reset: true });
      context.out(options.json ? JSON.stringify(report, null, 2) : chartsText(report).join('\n'));
      return EXIT.ok;
    } finally {
      await lease.release();
    }
  });
}

export async function status(context: Context, options: JsonOption): Promise<ExitCode> {
  return withPool(databaseUrlOf(), async (pool) => {
    const [now, importing] = await Promise.all([readChartsStatus(pool), ImportLease.isHeld(pool)]);
    context.out(options.json ? JSON.stringify({ ...now, importing }, null, 2) : statusText(now, importing).join('\n'));
    return EXIT.ok;
  });
}

export function chartsText(report: ChartsReport): string[] {
  if (report.outcome === 'unchanged') return [`charts: unchanged since version ${report.versionId ?? '(none)'}`];
  return [
    `charts: version ${report.versionId}, ${grouped(report.series)} series rebuilt, ` +
      `${grouped(report.donors)} donors read`,
  ];
}

export function statusText(status: ChartsStatus, isImporting: boolean): string[] {
  const { current, pairs, touched, linksAreOld, formIsOld } = status;
  return [
    current === null
      ? 'no charts yet: import data with bin/donorlens import fec --cycle YEAR'
      : `version ${current.id} of ${current.builtAt.toISOString().slice(0, 16).replace('T', ' ')} UTC, ` +
        `${grouped(pairs)} candidates and committees by cycle`,
    ...(touched > 0 ? [`${counted(touched, 'change')} wait for the next refresh`] : []),
    ...(linksAreOld ? ['candidates and committees have changed; the next refresh includes them'] : []),
    ...(formIsOld ? ['the next refresh builds all charts again, for this release of donorlens'] : []),
    ...(isImporting ? ['an import is running'] : []),
  ];
}
