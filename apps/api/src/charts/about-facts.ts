import { Inject, Injectable } from '@nestjs/common';
import {
  type ImportedFiles,
  importedFiles,
  type MastersCoverage,
  MastersRepository,
} from '@donorlens/campaign-finance';
import {
  ChartRepository,
  type ChartsCoverage,
  ChartVersionWatch,
  type CycleCoverage,
  type UnlinkedCommittee,
  readChartsCoverage,
  readChartsStatus,
} from '@donorlens/charts';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { type FecOffice } from '@donorlens/primitives';
import { ReleaseHolder, ReleaseRepository, type StoredRelease } from '@donorlens/reference-data';
import { type Pool } from 'pg';
import { chartIndex, type ExampleIds, exampleIds, type IndexEntry } from './chart-index';
import { DonorCharts, type LinesChart } from './donor-charts';

/** What the about page says about the current data. */
export interface AboutFacts {
  readonly cycles: readonly CycleCoverage[];
  readonly unlinked: readonly UnlinkedCommittee[];
  /** null before charts are built */
  readonly builtAt: Date | null;
  /** version of the rule that identifies donors; null before charts are built */
  readonly donorKeyVersion: number | null;
  readonly masters: readonly MastersCoverage[];
  /** that candidates are loaded for */
  readonly offices: readonly FecOffice[];
  readonly imports: ImportedFiles;
  readonly release: StoredRelease | null;
  /** streets and boundaries that addresses are geocoded with */
  readonly geocoder: { readonly benchmark: string; readonly vintage: string };
  /** null before anything is loaded */
  readonly examples: ExampleIds | null;
  /** candidates with charts; empty before charts are built */
  readonly index: readonly IndexEntry[];
  /** chart of the cycle with the most contributions; null if there is none */
  readonly picture: LinesChart | null;
}

/** Whether any of the campaign data is the synthetic sample. */
export const hasSample = ({ masters, imports }: Pick<AboutFacts, 'masters' | 'imports'>): boolean =>
  imports.hasSample || masters.some(({ label }) => label === 'sample');

/** An import whose file has nothing new publishes no version: its entry on the about page may be so old. */
const MAX_AGE_MS = 30_000;
/** Filings listed one by one; the others are counted. */
const MAX_FILINGS = 10;
const NO_COVERAGE: ChartsCoverage = { cycles: [], unlinked: [] };

/** Facts of the about page, read once for each version and again after some seconds. */
@Injectable()
export class AboutFactsReader {
  private cached: { readonly of: string; readonly until: number; readonly facts: Promise<AboutFacts> } | undefined;

  constructor(
    private readonly watch: ChartVersionWatch,
    private readonly charts: ChartRepository,
    private readonly donorCharts: DonorCharts,
    private readonly masters: MastersRepository,
    private readonly releases: ReleaseRepository,
    private readonly active: ReleaseHolder,
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  facts(now = performance.now()): Promise<AboutFacts> {
    const { charts, masters } = this.watch.current();
    const of = [charts?.id, masters?.id, this.active.current()?.id].join();
    if (this.cached?.of !== of || this.cached.until < now) {
      const facts = this.read();
      facts.catch(() => (this.cached = undefined));
      this.cached = { of, until: now + MAX_AGE_MS, facts };
    }
    return this.cached.facts;
  }

  private async read(): Promise<AboutFacts> {
    const { charts } = this.watch.current();
    const coverage = charts === null ? NO_COVERAGE : await readChartsCoverage(this.pool, charts);
    const { detail } = await readChartsStatus(this.pool);
    const masters = await this.masters.coverage();
    const withDonors = coverage.cycles.map(({ cycle }) => cycle);
    const cycles = withDonors.length > 0 ? withDonors : masters.map(({ cycle }) => cycle);
    const fullest = fullestFirst(coverage.cycles);
    const releaseId = this.active.current()?.id;
    return {
      ...coverage,
      builtAt: charts?.builtAt ?? null,
      donorKeyVersion: detail?.donorKeyVersion ?? null,
      masters,
      offices: await this.masters.officesOf(),
      imports: await importedFiles(this.pool, MAX_FILINGS),
      release: releaseId === undefined ? null : await this.releases.find(releaseId),
      geocoder: this.config.geocoder,
      examples: await exampleIds(this.charts, this.masters, charts, cycles),
      index: charts === null ? [] : await chartIndex(this.charts, this.masters, charts, fullest),
      picture: charts === null ? null : await this.picture(fullest),
    };
  }

  private async picture([fullest]: readonly number[]): Promise<LinesChart | null> {
    if (fullest === undefined) return null;
    const chart = await this.donorCharts.lines({ candidate_id: [], cycle: [String(fullest)] });
    return chart.parts.length > 0 ? chart : null;
  }
}

/** Most contributions first, of equal ones the newest: a cycle that has just begun, or comes from a wrong date, shows little. */
const fullestFirst = (cycles: readonly CycleCoverage[]): number[] =>
  [...cycles].sort((a, b) => b.contributions - a.contributions || b.cycle - a.cycle).map(({ cycle }) => cycle);
