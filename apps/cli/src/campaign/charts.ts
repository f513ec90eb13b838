import { ChartReader, refreshCharts } from '@donorlens/charts';
import { ImportLease, ImportRepository, type StoredImport } from '@donorlens/imports';
import { createLogger } from '@donorlens/observability';
import { databaseUrlOf } from '../database-url';
import { CliError, EXIT, type ExitCode } from '../exit-code';
import { type Context } from '../program-context';
import { withPool } from '../with-pool';
import { chartsText, statusText } from './charts-text';

interface JsonOption {
  readonly json?: boolean;
}

const LEASE_WAIT_MS = 20_000;

const cutShort = ({ id, kind, cycle, source }: StoredImport): string =>
  kind === 'reenrich'
    ? `contributions of ${cycle} do not all follow release ${source} yet (import ${id} was cut short): a running aggregator goes on by itself, try again once "bin/donorlens import list" shows it as loading no more`
    : `import ${id} (${source}) was cut short: give its command again first, or wait a day`;

/** Under the lease of imports: a chart made while rows arrive would be half a chart. */
export async function rebuild(context: Context, options: JsonOption): Promise<ExitCode> {
  return withPool(databaseUrlOf(), async (pool) => {
    const lease = await ImportLease.take(pool, createLogger('cli', 'silent'), { waitMs: LEASE_WAIT_MS });
    try {
      const half = await new ImportRepository(pool).halfRead();
      if (half !== null) throw new CliError(cutShort(half));
      const report = await refreshCharts(pool, { fence: lease.fence, reset: true });
      context.out(options.json ? JSON.stringify(report, null, 2) : chartsText(report).join('\n'));
      return EXIT.ok;
    } finally {
      await lease.release();
    }
  });
}

export async function status(context: Context, options: JsonOption): Promise<ExitCode> {
  return withPool(databaseUrlOf(), async (pool) => {
    const [now, importing] = await Promise.all([new ChartReader(pool).status(), ImportLease.isHeld(pool)]);
    context.out(options.json ? JSON.stringify({ ...now, importing }, null, 2) : statusText(now, importing).join('\n'));
    return EXIT.ok;
  });
}
