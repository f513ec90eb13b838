import { Inject, Injectable } from '@nestjs/common';
import { importedFiles, MastersRepository } from '@donorlens/campaign-finance';
import { ChartReader, type ChartsCoverage, ChartVersionWatch, type CycleCoverage } from '@donorlens/charts';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { ReleaseHolder, ReleaseRepository } from '@donorlens/reference-data';
import { type Pool } from 'pg';
import { type AboutFacts } from './about-facts';
import { chartIndex } from './chart-index';
import { DonorCharts, type LinesChart } from './donor-charts';
import { exampleIds } from './example-ids';

/** Imports end without a new version where their file brings nothing new: what is said of them may be so old. */
const MOST_AGE_MS = 30_000;
/** Filings listed one by one; the rest is a number. */
const MOST_FILINGS = 10;
const NO_COVERAGE: ChartsCoverage = { cycles: [], nearestLinkages: [] };

/** Facts of the about page, read once for each version and then now and again. */
@Injectable()
export class AboutFactsReader {
  private kept: { readonly of: string; readonly until: number; readonly facts: Promise<AboutFacts> } | undefined;

  constructor(
    private readonly watch: ChartVersionWatch,
    private readonly reader: ChartReader,
    private readonly drawn: DonorCharts,
    private readonly masters: MastersRepository,
    private readonly releases: ReleaseRepository,
    private readonly active: ReleaseHolder,
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  facts(now = Date.now()): Promise<AboutFacts> {
    const { charts, masters } = this.watch.current();
    const of = [charts?.id, masters?.id, this.active.current()?.id].join();
    if (this.kept?.of !== of || this.kept.until < now) {
      const facts = this.read();
      facts.catch(() => (this.kept = undefined));
      this.kept = { of, until: now + MOST_AGE_MS, facts };
    }
    return this.kept.facts;
  }

  private async read(): Promise<AboutFacts> {
    const { charts } = this.watch.current();
    const coverage = charts === null ? NO_COVERAGE : await this.reader.coverage(charts);
    const { detail } = await this.reader.status();
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
      imports: await importedFiles(this.pool, MOST_FILINGS),
      release: releaseId === undefined ? null : await this.releases.find(releaseId),
      geocoder: this.config.geocoder,
      examples: await exampleIds(this.reader, this.masters, charts, cycles),
      index: charts === null ? [] : await chartIndex(this.reader, this.masters, charts, fullest),
      picture: charts === null ? null : await this.picture(fullest),
    };
  }

  private async picture([fullest]: readonly number[]): Promise<LinesChart | null> {
    if (fullest === undefined) return null;
    const chart = await this.drawn.lines({ candidate_id: [], cycle: [String(fullest)] });
    return chart.parts.length > 0 ? chart : null;
  }
}

/** Most contributions first, of equal ones the newest: a cycle that has just begun or is a slip of the pen shows little. */
const fullestFirst = (cycles: readonly CycleCoverage[]): number[] =>
  [...cycles].sort((a, b) => b.contributions - a.contributions || b.cycle - a.cycle).map(({ cycle }) => cycle);
