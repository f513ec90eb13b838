import { basename, resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { type Pool } from 'pg';
import { type ChartsReport, refreshCharts } from '@donorlens/charts';
import { readConfig } from '@donorlens/config';
import { recordAudit } from '@donorlens/database';
import { SourceFileRepository, sha256OfFile } from '@donorlens/downloads';
import {
  type FecSource,
  type FilingReport,
  type ImportContext,
  ImportLease,
  type ImportReport,
  ImportRepository,
  type MastersReport,
  fecSource,
  importContributions,
  importFilings,
  importMasters,
  missingContributions,
} from '@donorlens/imports';
import { type FecOffice } from '@donorlens/primitives';
import { createLogger } from '@donorlens/observability';
import { restoreFastStrings } from '@donorlens/tabular';
import { ReleaseRepository } from '@donorlens/reference-data';
import { demographicsOf } from './active-demographics';
import { clientContext, interruptible, type Context } from '../program-context';
import { readRunInfo } from '../home/home';
import { progressOn } from '../batch/progress';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode, dependencyError, usageError } from '../exit-code';
import { withPool } from '../with-pool';
import { chartsText } from './charts';
import { contributionsText, filingsText, importLine, mastersText } from './import-list';

interface Reports {
  masters?: MastersReport;
  /** Null if the source has no file of contributions yet; `missing` says what to do. */
  contributions?: ImportReport | null;
  missing?: string;
  filings?: FilingReport[];
  charts?: ChartsReport;
  /** Duration of each step in milliseconds. */
  readonly ms: Partial<Record<'masters' | 'contributions' | 'filings' | 'charts', number>>;
}

const SAMPLE_REFERENCE =
  'ages and ethnicities come from the synthetic sample of the reference data: load the official data with bin/donorlens refresh';

/** Longer than 15 s, after which the lease of a killed process expires. */
const LEASE_WAIT_MS = 20_000;

export async function importFec(context: Context, options: ImportOptions): Promise<ExitCode> {
  const plan = planOf(options);
  const databaseUrl = databaseUrlOf();
  restoreFastStrings();
  return interruptible(
    (signal, onInterrupt) =>
      withPool(databaseUrl, async (pool) => {
        onInterrupt('run the same command again to continue');
        const reports = await runImport(pool, plan, options, { signal, note: context.note });
        if ((await new ReleaseRepository(pool).active())?.label === 'sample') context.note(SAMPLE_REFERENCE);
        context.out(options.json ? JSON.stringify(reports, null, 2) : textOf(reports).join('\n'));
        return reports.filings?.some(({ outcome }) => outcome === 'failed') ? EXIT.partial : EXIT.ok;
      }),
    context,
  );
}

async function runImport(
  pool: Pool,
  plan: ImportPlan,
  options: ImportOptions,
  { signal, note }: Pick<Context, 'note'> & { readonly signal: AbortSignal },
): Promise<Reports> {
  const logger = createLogger('cli', 'silent');
  const lease = await ImportLease.take(pool, logger, { waitMs: LEASE_WAIT_MS });
  const progress = progressOn(process.stderr);
  const releases = new ReleaseRepository(pool);
  const work: ImportContext = {
    pool,
    logger,
    lease,
    signal,
    offices: options.offices ?? readConfig().fecOffices,
    releases: () => releases.activeId(),
    onProgress: (now) => progress.update(now.bytesRead, now.bytesTotal ?? 0, importLine(now)),
  };
  try {
    await recordAudit(pool, 'operator', 'import.started', startOf(plan));
    const reports: Reports = { ms: {} };
    const step = timed(reports);
    if (plan.masters !== null) {
      const source = await sourceFor(pool, options);
      await step(
        'masters',
        importMasters({ pool, source, cycle: plan.masters, offices: work.offices, lease: lease.fence, signal }),
      );
    }
    const file = plan.contributions && (await fileOf(pool, plan.contributions, options, signal));
    if (typeof file === 'string') Object.assign(reports, { contributions: null, missing: file });
    else if (file) await step('contributions', importContributions(work, { ...file, ...flagsOf(options) }));
    if (plan.filings.length > 0) {
      const files = plan.filings.map((name) => ({ path: resolve(name), source: basename(name) }));
      await step(
        'filings',
        importFilings(work, { files, label: 'folder', again: options.again, fileNumber: options.fileNumber }),
      );
    }
    progress.end();
    if ((await new ImportRepository(pool).interrupted()) === null)
      await step(
        'charts',
        refreshCharts(pool, {
          fence: lease.fence,
          demographics: demographicsOf(releases),
          onWarning: note,
        }),
      );
    return reports;
  } finally {
    progress.end();
    await lease.release();
  }
}

/** Details of an import for the audit log. File names are left out, because they are private to the operator. */
function startOf({ masters, contributions, filings }: ImportPlan): object {
  const files = [masters === null ? [] : 'masters', contributions === null ? [] : 'contributions'].flat();
  return {
    cycle: masters ?? contributions?.cycle,
    files: files.length > 0 ? files.join(', ') : undefined,
    filings: filings.length > 0 ? filings.length : undefined,
  };
}

/** Stores the result and the duration of a step in the reports. */
const timed =
  (reports: Reports) =>
  async <Step extends keyof Reports['ms']>(step: Step, work: Promise<NonNullable<Reports[Step]>>): Promise<void> => {
    const start = performance.now();
    Object.assign(reports, { [step]: await work });
    reports.ms[step] = Math.round(performance.now() - start);
  };

const flagsOf = ({ again, removeMissing }: ImportOptions) => ({ again, removeMissing });

async function sourceFor(pool: Pool, options: ImportOptions): Promise<FecSource> {
  const config = readConfig();
  const ofService = readRunInfo(clientContext().home)?.schedule?.dataSource;
  const wanted = { ...config, dataSource: options.source ?? config.dataSource ?? ofService };
  const source = await fecSource(wanted, new SourceFileRepository(pool));
  if (source === null) throw dependencyError(`${wanted.dataSource} has no folder fec/`);
  return source;
}

/** The given file or that of the source. Returns a message if the source has none and the option did not request it. */
async function fileOf(
  pool: Pool,
  { cycle, file }: { readonly cycle: number; readonly file: string | null },
  options: ImportOptions,
  signal: AbortSignal,
) {
  if (file !== null) {
    const path = resolve(file);
    const isFile = await stat(path)
      .then((entry) => entry.isFile())
      .catch(() => false);
    if (!isFile) throw dependencyError(`${file} is not a readable file`);
    return { cycle, file: path, source: basename(path), label: 'folder' as const, sha256: await sha256OfFile(path) };
  }
  const source = await sourceFor(pool, options);
  const found = await source.file({ cycle, kind: 'indiv' }, { signal });
  if (found) return { cycle, file: found.path, source: found.source, label: source.label, sha256: found.sha256 };
  const missing = missingContributions(source, cycle);
  if (options.contributions !== undefined) throw dependencyError(missing);
  return missing;
}

const textOf = ({ masters, contributions, missing, filings, charts }: Reports): string[] => [
  ...(masters ? mastersText(masters) : []),
  ...(contributions ? contributionsText(contributions) : []),
  ...(missing === undefined ? [] : [`contributions: ${missing}`]),
  ...(filings ? filingsText(filings) : []),
  ...(charts
    ? chartsText(charts)
    : ['charts: not built, because another import was interrupted; see bin/donorlens import list']),
];

export interface ImportOptions {
  readonly cycle?: number;
  readonly masters?: boolean;
  /** True for the file of the source; a string is the path of a file. */
  readonly contributions?: boolean | string;
  readonly filings?: readonly string[];
  readonly fileNumber?: string;
  readonly source?: string;
  readonly offices?: readonly FecOffice[];
  readonly again?: boolean;
  readonly removeMissing?: boolean;
  readonly json?: boolean;
}

/** Files and tables to import. */
export interface ImportPlan {
  /** Cycle whose candidate and committee masters are loaded; null for no masters. */
  readonly masters: number | null;
  readonly contributions: { readonly cycle: number; readonly file: string | null } | null;
  readonly filings: readonly string[];
}

/** Plans masters and contributions if no option selects files. @throws CliError if options are missing or conflict */
export function planOf(options: ImportOptions): ImportPlan {
  const { cycle, masters = false, contributions, filings = [] } = options;
  if (options.fileNumber !== undefined && filings.length !== 1)
    throw usageError('--file-number goes with exactly one file of --filings');
  const namesAny = masters || contributions !== undefined || filings.length > 0;
  const wantsMasters = masters || !namesAny;
  const wantsContributions = contributions !== undefined || !namesAny;
  if (!wantsMasters && !wantsContributions) return { masters: null, contributions: null, filings };
  if (cycle === undefined) throw usageError('--cycle is required: the even year of the files, as in --cycle 2016');
  const file = typeof contributions === 'string' ? contributions : null;
  return {
    masters: wantsMasters ? cycle : null,
    contributions: wantsContributions ? { cycle, file } : null,
    filings,
  };
}
