import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { ChartReader, measureSensitivity, refreshCharts } from '@donorlens/charts';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { SourceFileRepository } from '@donorlens/downloads';
import { writeSampleFiles } from '@donorlens/fec-sample';
import {
  type FecSource,
  type ImportContext,
  type ImportLease,
  ImportRepository,
  type StoredImport,
  cyclesToReenrich,
  fecSource,
  importContributions,
  importFilings,
  importMasters,
  isSampleWhole,
  noteSampleWhole,
  reenrich,
} from '@donorlens/imports';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ReleaseRepository } from '@donorlens/reference-data';

/** Under whose lease, and until when. */
export interface ImportWork {
  readonly lease: ImportLease;
  readonly signal: AbortSignal;
}

/** What a look at the filings of the last days has found. */
export interface FilingDays {
  readonly filings: number;
  /** by day, what its filings were and for whom they were read */
  readonly days: Readonly<Record<string, string>>;
}

/** Days whose filings are asked for again: a publisher adds to them, and a weekend may have been without a network. */
const FILING_DAYS = 4;
const DAY_MS = 86_400_000;

/** What the aggregator does with the FEC's files; each may be done again, and changes nothing where nothing is new. */
@Injectable()
export class CampaignData {
  private readonly imports: ImportRepository;
  private readonly charts: ChartReader;

  constructor(
    private readonly downloads: SourceFileRepository,
    private readonly releases: ReleaseRepository,
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.imports = new ImportRepository(pool);
    this.charts = new ChartReader(pool);
  }

  hasRealData(): Promise<boolean> {
    return this.imports.hasRealMasters();
  }

  /** True where nothing real is there yet, and the sample not or not as a whole. */
  async wantsSample(): Promise<boolean> {
    return !(await this.imports.hasRealMasters()) && !(await isSampleWhole(this.pool));
  }

  /** The cycles to be kept up to date: those that are named, else those of a folder. */
  async cycles(): Promise<readonly number[]> {
    const { fecCycles, dataSource } = this.config;
    if (fecCycles) return fecCycles;
    if (dataSource === undefined || /^https?:\/\//i.test(dataSource)) return [];
    return (await this.source())?.cycles() ?? [];
  }

  /** Every cycle is tried, whatever becomes of another. @throws what went wrong first */
  async importBulk(work: ImportWork, cycles: readonly number[]): Promise<object> {
    const source = await this.source();
    if (source === null) return { cycles: [] };
    const faults: unknown[] = [];
    for (const cycle of cycles)
      await this.importCycle(work, source, cycle).catch((fault: unknown) => {
        if (work.signal.aborted) throw fault;
        faults.push(fault);
      });
    if (faults.length > 0) throw faults[0];
    return { cycles };
  }

  /**
   * Filings of the last days, whole days at a time. Those of a day are read again only where there are others by now, or
   * where the committees that they are kept for have changed.
   * @param before what the run before this one gave
   */
  async importNewFilings(work: ImportWork, before: Partial<FilingDays> = {}): Promise<FilingDays> {
    const source = await this.source();
    const masters = (await this.charts.masters())?.id ?? 'none';
    const days: Record<string, string> = {};
    let filings = 0;
    for (let daysAgo = FILING_DAYS - 1; source !== null && daysAgo >= 0; daysAgo--) {
      const day = dayBefore(daysAgo);
      const zip = await source.file({ day }, { signal: work.signal });
      if (!zip) continue;
      days[day] = `${zip.sha256}.${masters}`;
      if (before.days?.[day] === days[day]) continue;
      const reports = await importFilings(this.context(work), { files: [zip], label: source.label });
      filings += reports.filter(({ outcome }) => outcome === 'imported').length;
    }
    return { filings, days };
  }

  /** Made-up files through the same importers, so that there is something to look at. */
  async importSample(work: ImportWork): Promise<void> {
    const folder = join(this.config.home, 'cache', 'fec-sample');
    await writeSampleFiles(folder);
    const source = await fecSource({ dataSource: folder, home: this.config.home }, this.downloads);
    if (source === null) return;
    for (const cycle of await source.cycles()) await this.importCycle(work, source, cycle);
    const filings = join(folder, 'fec', 'efiling');
    const names = (await readdir(filings)).filter((name) => name.endsWith('.fec')).sort();
    const files = names.map((name) => join(filings, name));
    await importFilings(this.context(work), { files, label: source.label });
    await noteSampleWhole(this.pool);
    this.logger.info('charts show a made-up sample; FEC_CYCLES names the cycles to import');
  }

  /** Rows under the release that is active now, and charts of all that has changed. */
  async bringUpToDate(work: ImportWork): Promise<void> {
    await this.followRelease(work);
    const { touched, linksAreOld } = await this.charts.status();
    if ((touched === 0 && !linksAreOld) || (await this.imports.halfRead())) return; // charts of it would be half a chart
    const report = await refreshCharts(this.pool, { fence: work.lease.fence });
    this.logger[report.outcome === 'built' ? 'info' : 'debug'](report, 'charts refreshed');
  }

  /**
   * All charts anew from the contributions, after what of ours was cut short.
   * @throws Error where one is still half read: charts of it would be half a chart
   */
  async rebuildCharts(work: ImportWork): Promise<object> {
    await this.followRelease(work);
    let before: StoredImport | null = null;
    for (let half = await this.imports.halfRead(); half !== null; half = await this.imports.halfRead()) {
      if (half.id === before?.id)
        throw new Error(`${half.source} was cut short: give the command of its import again, or wait a day`);
      await this.goOn(work, half);
      before = half;
    }
    const { outcome, versionId, series } = await refreshCharts(this.pool, { fence: work.lease.fence, reset: true });
    return { outcome, versionId, series };
  }

  /** How much the key of donors matters, in the charts that are current. */
  async measureSensitivity(): Promise<object> {
    const version = await this.charts.current();
    if (version !== null) await measureSensitivity(this.pool, version.id);
    return { versionId: version?.id ?? null };
  }

  /** With an import that was cut short, where it is one of ours. */
  private async goOn(work: ImportWork, { label, kind }: StoredImport): Promise<void> {
    if (label === 'sample' && (await this.wantsSample())) await this.importSample(work);
    else if (kind === 'filing') await this.importNewFilings(work);
    else await this.importBulk(work, await this.cycles());
  }

  private async followRelease(work: ImportWork): Promise<void> {
    const releaseId = await this.releases.activeId();
    if (releaseId === null) return;
    for (const cycle of await cyclesToReenrich(this.pool, releaseId)) {
      const { rows } = await reenrich(this.context(work), { cycle, releaseId });
      this.logger.info({ cycle, release: releaseId, rows }, 'contributions follow the active release');
    }
  }

  private async importCycle(work: ImportWork, source: FecSource, cycle: number): Promise<void> {
    const { pool } = this;
    const masters = await importMasters({ pool, source, cycle, lease: work.lease.fence, signal: work.signal });
    const file = await source.file({ cycle, kind: 'indiv' }, { signal: work.signal });
    if (file === null) this.logger.warn({ cycle, source: source.location }, 'there is no file of contributions yet');
    const contributions =
      file && (await importContributions(this.context(work), { ...file, cycle, file: file.path, label: source.label }));
    const isNew = masters.outcome === 'imported' || contributions?.outcome === 'imported';
    this.logger[isNew ? 'info' : 'debug']({ cycle, masters: masters.outcome, contributions }, 'imported');
  }

  private source(): Promise<FecSource | null> {
    return fecSource(this.config, this.downloads);
  }

  private context({ lease, signal }: ImportWork): ImportContext {
    return { pool: this.pool, logger: this.logger, lease, signal, releases: () => this.releases.activeId() };
  }
}

const dayBefore = (days: number): string =>
  new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');
