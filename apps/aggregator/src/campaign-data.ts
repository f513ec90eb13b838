import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { removeAbandonedSnapshots } from '@donorlens/campaign-finance';
import {
  ChartRepository,
  type RefreshChartsOptions,
  measureSensitivity,
  readChartsStatus,
  refreshCharts,
} from '@donorlens/charts';
import { CONFIG, type Config, isHttpUrl } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { SourceFileRepository } from '@donorlens/downloads';
import { writeSampleFiles } from '@donorlens/fec-sample';
import {
  type FecSource,
  type FilingReport,
  type FilingsRequest,
  type ImportContext,
  type ImportLease,
  ImportRepository,
  RECORD_VERSION,
  type StoredImport,
  cyclesToReenrich,
  fecFileName,
  fecSource,
  importContributions,
  importFilings,
  importMasters,
  isSampleComplete,
  markSampleComplete,
  missingContributions,
  reenrich,
} from '@donorlens/imports';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ReleaseRepository, activeRelease } from '@donorlens/reference-data';
import { messageOf } from './scheduling/job-runner';

/** Lease of an import, and the signal that stops it. */
export interface ImportWork {
  readonly lease: ImportLease;
  readonly signal: AbortSignal;
}

/** Result of importing the filings of the last days. */
export interface FilingDays {
  readonly filings: number;
  /** by day: hash of the file of filings, versions of the committee master and of records, offices of the import */
  readonly days: Readonly<Record<string, string>>;
}

/** Files of one cycle by outcome. */
type FileOutcomes = Readonly<Partial<Record<'missing' | 'loaded' | 'unchanged', readonly string[]>>>;

/** Days whose filings are downloaded again: the FEC adds to them, and a machine may be offline for a weekend. */
const FILING_DAYS = 4;
const DAY_MS = 86_400_000;
/** Wait after filings of the sample failed for a lasting reason, such as a full disk. */
const SAMPLE_RETRY_MS = 3_600_000;
/** Codes of failures that a filing's bytes do not cause: another attempt at the same file may succeed. */
const RETRYABLE_CODES: readonly string[] = ['batch_failed', 'disk_full', 'no_file'];

/** Imports the FEC's files and updates charts. Each step may be repeated, and changes nothing if nothing is new. */
@Injectable()
export class CampaignData {
  private readonly imports: ImportRepository;
  private readonly charts: ChartRepository;
  private nextSampleAt = 0;

  constructor(
    private readonly downloads: SourceFileRepository,
    private readonly releases: ReleaseRepository,
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.imports = new ImportRepository(pool);
    this.charts = new ChartRepository(pool);
  }

  private readonly demographics = async () =>
    (await activeRelease(this.config.home, this.releases))?.demographics ?? null;

  hasRealData(): Promise<boolean> {
    return this.imports.hasRealMasters();
  }

  /** True if no real data are imported yet and the sample is missing or incomplete. */
  async wantsSample(): Promise<boolean> {
    if (performance.now() < this.nextSampleAt) return false;
    return !(await this.imports.hasRealMasters()) && !(await isSampleComplete(this.pool));
  }

  /** The cycles to keep up to date: FEC_CYCLES, else those in the folder of DATA_SOURCE. */
  async cycles(): Promise<readonly number[]> {
    const { fecCycles, dataSource } = this.config;
    if (fecCycles) return fecCycles;
    if (dataSource === undefined || isHttpUrl(dataSource)) return [];
    return (await this.source())?.cycles() ?? [];
  }

  /**
   * Imports every cycle, also after a cycle that failed.
   * @returns the cycles, and which of their files were missing, loaded or unchanged
   * @throws the first failure; those of other cycles are logged
   */
  async importBulk(work: ImportWork, cycles: readonly number[]): Promise<object> {
    const source = await this.source();
    if (source === null) return { cycles: [] };
    const failures: unknown[] = [];
    const outcomes: FileOutcomes[] = [];
    for (const cycle of cycles)
      await this.importCycle(work, source, cycle).then(
        (files) => outcomes.push(files),
        (failure: unknown) => {
          if (work.signal.aborted) throw failure;
          if (failures.push(failure) > 1)
            this.logger.warn({ cycle }, `FEC files of another cycle could not be imported: ${messageOf(failure)}`);
        },
      );
    if (failures.length > 0) throw failures[0];
    const named = (outcome: keyof FileOutcomes): string | undefined =>
      outcomes.flatMap((files) => files[outcome] ?? []).join(', ') || undefined;
    return { cycles, missing: named('missing'), loaded: named('loaded'), unchanged: named('unchanged') };
  }

  /**
   * Imports filings of the last days, one whole day at a time. A day is imported again only if its file, the committee
   * master, FEC_OFFICES or RECORD_VERSION has changed, or if a filing of it failed for a reason other than its bytes.
   * @param before - result of the previous run
   */
  async importNewFilings(work: ImportWork, before: Partial<FilingDays> = {}): Promise<FilingDays> {
    const source = await this.source();
    const masters = (await this.charts.masters())?.id ?? 'none';
    const { fecOffices } = this.config;
    const isDefault = fecOffices.join() === 'P';
    const days: Record<string, string> = {};
    let filings = 0;
    for (let daysAgo = FILING_DAYS - 1; source !== null && daysAgo >= 0; daysAgo--) {
      const day = dayBefore(daysAgo);
      const zip = await source.file({ day }, { signal: work.signal });
      if (!zip) continue;
      const key = [zip.sha256, masters, RECORD_VERSION, ...(isDefault ? [] : fecOffices)].join('.');
      const reports =
        before.days?.[day] === key ? [] : await this.importFilingFiles(work, { files: [zip], label: source.label });
      if (!reports.some(isRetryable)) days[day] = key;
      filings += reports.filter(({ outcome }) => outcome === 'imported').length;
    }
    return { filings, days };
  }

  /** Imports synthetic files with the importers of real files, so that a new installation has charts. */
  async importSample(work: ImportWork): Promise<void> {
    const folder = join(this.config.home, 'cache', 'fec-sample');
    await writeSampleFiles(folder);
    const source = await fecSource({ dataSource: folder, home: this.config.home }, this.downloads);
    if (source === null) return;
    for (const cycle of await source.cycles()) await this.importCycle(work, source, cycle);
    const filings = join(folder, 'fec', 'efiling');
    const names = (await readdir(filings)).filter((name) => name.endsWith('.fec')).sort();
    const files = names.map((name) => join(filings, name));
    const reports = await this.importFilingFiles(work, { files, label: source.label });
    if (reports.some(isRetryable)) {
      this.nextSampleAt = performance.now() + SAMPLE_RETRY_MS;
      return;
    }
    await markSampleComplete(this.pool);
    this.logger.info('charts show a synthetic sample; set FEC_CYCLES to import cycles of the FEC');
  }

  /** Enriches rows again under a newly activated release. Then updates charts, unless an import is incomplete. */
  async bringUpToDate(work: ImportWork): Promise<void> {
    await this.reenrichUnderActiveRelease(work);
    const { touched, linksAreOld, formIsOld } = await readChartsStatus(this.pool);
    if ((touched === 0 && !linksAreOld && !formIsOld) || (await this.imports.interrupted())) return;
    const report = await refreshCharts(this.pool, this.refreshOptions(work));
    this.logger[report.outcome === 'built' ? 'info' : 'debug'](report, 'charts refreshed');
  }

  /**
   * Rebuilds all charts from the contributions, after completing interrupted imports.
   * @throws Error if an import stays incomplete, because its charts would also be incomplete
   */
  async rebuildCharts(work: ImportWork): Promise<object> {
    await this.reenrichUnderActiveRelease(work);
    let before: StoredImport | null = null;
    for (let half = await this.imports.interrupted(); half !== null; half = await this.imports.interrupted()) {
      if (half.id === before?.id)
        throw new Error(`the import of ${half.source} was interrupted: run its command again, or wait a day`);
      await this.continueImport(work, half);
      before = half;
    }
    const options = { ...this.refreshOptions(work), reset: true };
    const { outcome, versionId, series } = await refreshCharts(this.pool, options);
    return { outcome, versionId, series };
  }

  /** Measures how much the current charts depend on the donor key. */
  async measureSensitivity(): Promise<object> {
    const version = await this.charts.current();
    if (version !== null) await measureSensitivity(this.pool, version.id);
    return { versionId: version?.id ?? null };
  }

  /** Removes the tables of imports that were interrupted and abandoned. The caller holds the import lease. */
  removeLeftovers(): Promise<void> {
    return removeAbandonedSnapshots(this.pool);
  }

  /** Continues an interrupted import, if the aggregator had started it. */
  private async continueImport(work: ImportWork, { label, kind }: StoredImport): Promise<void> {
    if (label === 'sample' && (await this.wantsSample())) await this.importSample(work);
    else if (kind === 'filing') await this.importNewFilings(work);
    else await this.importBulk(work, await this.cycles());
  }

  private async reenrichUnderActiveRelease(work: ImportWork): Promise<void> {
    const releaseId = await this.releases.activeId();
    if (releaseId === null) return;
    for (const cycle of await cyclesToReenrich(this.pool, releaseId)) {
      const { rows } = await reenrich(this.context(work), { cycle, releaseId });
      this.logger.info({ cycle, release: releaseId, rows }, 'contributions enriched again under the active release');
    }
  }

  private async importCycle(work: ImportWork, source: FecSource, cycle: number): Promise<FileOutcomes> {
    const { pool } = this;
    const masters = await importMasters({
      pool,
      source,
      cycle,
      offices: this.config.fecOffices,
      lease: work.lease.fence,
      signal: work.signal,
    });
    const file = await source.file({ cycle, kind: 'indiv' }, { signal: work.signal });
    if (file === null) this.logger.warn({ cycle, source: source.location }, missingContributions(source, cycle));
    const contributions =
      file && (await importContributions(this.context(work), { ...file, cycle, file: file.path, label: source.label }));
    const files = { missing: [] as string[], loaded: [] as string[], unchanged: [] as string[] };
    const listOf = ({ outcome }: { outcome: 'imported' | 'unchanged' }): string[] =>
      files[outcome === 'imported' ? 'loaded' : 'unchanged'];
    for (const kind of ['cn', 'cm', 'ccl'] as const) listOf(masters).push(fecFileName({ cycle, kind }));
    const contributionsFile = fecFileName({ cycle, kind: 'indiv' });
    if (contributions) listOf(contributions).push(contributionsFile);
    else files.missing.push(`${contributionsFile} (contributions of ${cycle})`);
    const isNew = files.loaded.length > 0;
    this.logger[isNew ? 'info' : 'debug']({ cycle, masters: masters.outcome, contributions }, 'imported');
    return files;
  }

  /** Imports filings, and logs those that failed: their reports are stored nowhere. */
  private async importFilingFiles(work: ImportWork, request: FilingsRequest): Promise<FilingReport[]> {
    const reports = await importFilings(this.context(work), request);
    for (const { file, error } of reports)
      if (error) this.logger.warn({ file, code: error.code }, `filing not imported: ${error.message}`);
    return reports;
  }

  private refreshOptions({ lease }: ImportWork): RefreshChartsOptions {
    const onWarning = (message: string, err: unknown): void => this.logger.warn({ err }, message);
    return { fence: lease.fence, demographics: this.demographics, onWarning };
  }

  private source(): Promise<FecSource | null> {
    return fecSource(this.config, this.downloads);
  }

  private context({ lease, signal }: ImportWork): ImportContext {
    return {
      pool: this.pool,
      logger: this.logger,
      offices: this.config.fecOffices,
      lease,
      signal,
      releases: () => this.releases.activeId(),
    };
  }
}

const isRetryable = ({ error }: FilingReport): boolean => error !== undefined && RETRYABLE_CODES.includes(error.code);

const dayBefore = (days: number): string =>
  new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
