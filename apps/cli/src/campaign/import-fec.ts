import { basename, resolve } from 'node:path';
import { stat } from 'node:fs/promises';
import { type Pool } from 'pg';
import { type ChartsReport, refreshCharts } from '@donorlens/charts';
import { readConfig } from '@donorlens/config';
import { SourceFileRepository, sha256OfFile } from '@donorlens/downloads';
import {
  type FecSource,
  type FilingReport,
  type ImportContext,
  ImportLease,
  ImportRepository,
  type ImportReport,
  type MastersReport,
  fecSource,
  importContributions,
  importFilings,
  importMasters,
} from '@donorlens/imports';
import { createLogger } from '@donorlens/observability';
import { restoreFastStrings } from '@donorlens/primitives';
import { ReleaseRepository } from '@donorlens/reference-data';
import { interruptible } from '../batch/interruptible';
import { progressOn } from '../batch/progress';
import { databaseUrlOf } from '../database-url';
import { EXIT, type ExitCode, dependencyError } from '../exit-code';
import { type Context } from '../program-context';
import { withPool } from '../with-pool';
import { chartsText } from './charts-text';
import { type ImportOptions, type ImportWish, wishOf } from './import-options';
import { contributionsText, filingsText, importLine, mastersText } from './import-text';

interface Reports {
  masters?: MastersReport;
  /** null: the source has no file of them yet. */
  contributions?: ImportReport | null;
  filings?: FilingReport[];
  charts?: ChartsReport;
  /** What each of them took. */
  readonly ms: Partial<Record<'masters' | 'contributions' | 'filings' | 'charts', number>>;
}

const SAMPLE_REFERENCE =
  'ages and ethnicities come from the made-up sample of the reference data and say nothing about people: bin/donorlens refresh';

/** A holder that was killed keeps its lease for 15 s: worth waiting for. */
const LEASE_WAIT_MS = 20_000;

export async function importFec(context: Context, options: ImportOptions): Promise<ExitCode> {
  const wish = wishOf(options);
  const databaseUrl = databaseUrlOf();
  restoreFastStrings();
  return interruptible(
    (signal, onInterrupt) =>
      withPool(databaseUrl, async (pool) => {
        onInterrupt('the same command goes on where it was');
        const reports = await imported(pool, wish, options, signal);
        if ((await new ReleaseRepository(pool).active())?.label === 'sample') context.note(SAMPLE_REFERENCE);
        context.out(options.json ? JSON.stringify(reports, null, 2) : textOf(reports).join('\n'));
        return reports.filings?.some(({ outcome }) => outcome === 'failed') ? EXIT.partial : EXIT.ok;
      }),
    context,
  );
}

async function imported(pool: Pool, wish: ImportWish, options: ImportOptions, signal: AbortSignal): Promise<Reports> {
  const logger = createLogger('cli', 'silent');
  const lease = await ImportLease.take(pool, logger, { waitMs: LEASE_WAIT_MS });
  const progress = progressOn(process.stderr);
  const releases = new ReleaseRepository(pool);
  const work: ImportContext = {
    pool,
    logger,
    lease,
    signal,
    releases: () => releases.activeId(),
    onProgress: (now) => progress.update(now.bytesRead, now.bytesTotal ?? 0, importLine(now)),
  };
  try {
    const reports: Reports = { ms: {} };
    const step = timed(reports);
    if (wish.masters !== null) {
      const source = await sourceFor(pool, options);
      await step('masters', importMasters({ pool, source, cycle: wish.masters, lease: lease.fence, signal }));
    }
    const file = wish.contributions && (await fileOf(pool, wish.contributions, options, signal));
    if (wish.contributions && !file) reports.contributions = null;
    if (file) await step('contributions', importContributions(work, { ...file, ...flagsOf(options) }));
    if (wish.filings.length > 0) {
      const files = wish.filings.map((name) => ({ path: resolve(name), source: basename(name) }));
      await step(
        'filings',
        importFilings(work, { files, label: 'folder', again: options.again, fileNumber: options.fileNumber }),
      );
    }
    progress.end();
    if ((await new ImportRepository(pool).halfRead()) === null)
      await step('charts', refreshCharts(pool, { fence: lease.fence }));
    return reports;
  } finally {
    progress.end();
    await lease.release();
  }
}

/** Puts what a step gives, and the time it took, into the reports. */
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
  const wanted = { home: config.home, dataSource: options.source ?? config.dataSource };
  const source = await fecSource(wanted, new SourceFileRepository(pool));
  if (source === null) throw dependencyError(`${wanted.dataSource} has no folder fec/`);
  return source;
}

/** The caller's file, or the source's; null where masters alone are there to be had and nothing was asked by name. */
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
    if (!isFile) throw dependencyError(`${file} is no file that can be read`);
    return { cycle, file: path, source: basename(path), label: 'folder' as const, sha256: await sha256OfFile(path) };
  }
  const source = await sourceFor(pool, options);
  const found = await source.file({ cycle, kind: 'indiv' }, { signal });
  if (found) return { cycle, file: found.path, source: found.source, label: source.label, sha256: found.sha256 };
  if (options.contributions !== undefined) throw dependencyError(`${source.location} has no contributions of ${cycle}`);
  return null;
}

const textOf = ({ masters, contributions, filings, charts }: Reports): string[] => [
  ...(masters ? mastersText(masters) : []),
  ...(contributions ? contributionsText(contributions) : []),
  ...(contributions === null ? ['contributions: the source has no file of them yet'] : []),
  ...(filings ? filingsText(filings) : []),
  ...(charts
    ? chartsText(charts)
    : ['charts: not built, another import was cut short; bin/donorlens import list shows it']),
];
