import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import {
  type ImportedFiles,
  type MastersCoverage,
  MastersRepository,
  importedFiles,
} from '@donorlens/campaign-finance';
import {
  ChartRepository,
  ChartVersionWatch,
  type ChartsCoverage,
  type ChartsVersion,
  type CycleCoverage,
  type UnlinkedCommittee,
  readChartsCoverage,
  readChartsStatus,
} from '@donorlens/charts';
import { CONFIG, type Config } from '@donorlens/config';
import { PG_POOL } from '@donorlens/database';
import { type FecOffice } from '@donorlens/primitives';
import { ReleaseHolder, ReleaseRepository, type StoredRelease } from '@donorlens/reference-data';
import { DonorCharts, type LinesChart } from './donor-charts';
import { insertLargest } from './donor-series';

/** Facts about the current data for the about page. */
export interface AboutFacts {
  readonly cycles: readonly CycleCoverage[];
  readonly unlinked: readonly UnlinkedCommittee[];
  /** null before charts are built */
  readonly builtAt: Date | null;
  /** version of the rule that identifies donors; null before charts are built */
  readonly donorKeyVersion: number | null;
  readonly masters: readonly MastersCoverage[];
  /** offices whose candidates are loaded */
  readonly offices: readonly FecOffice[];
  readonly imports: ImportedFiles;
  readonly release: StoredRelease | null;
  /** streets and boundaries that addresses are geocoded with */
  readonly geocoder: { readonly benchmark: string; readonly vintage: string };
  /** null before anything is loaded */
  readonly examples: ExampleIds | null;
  /** some candidates of each cycle, most donors first; empty before charts are built */
  readonly index: readonly IndexEntry[];
  /** chart of the cycle with the most contributions; null if there is none */
  readonly picture: LinesChart | null;
}

/** True if any of the campaign data is the synthetic sample. */
export const hasSample = ({ masters, imports }: Pick<AboutFacts, 'masters' | 'imports'>): boolean =>
  imports.hasSample || masters.some(({ label }) => label === 'sample');

/** An import of an unchanged file publishes no version, so its entry on the about page may be this old. */
const MAX_AGE_MS = 30_000;
/** Filings that the page lists; it counts the others. */
const MAX_FILINGS = 10;
const NO_COVERAGE: ChartsCoverage = { cycles: [], unlinked: [] };

/** Reads the facts of the about page once for each version, and again after MAX_AGE_MS. */
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
      facts.catch(() => {
        if (this.cached?.facts === facts) this.cached = undefined;
      });
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

/** Most contributions first, then newest first: a cycle that has just begun, or has a wrong date, has few of them. */
const fullestFirst = (cycles: readonly CycleCoverage[]): number[] =>
  [...cycles].sort((a, b) => b.contributions - a.contributions || b.cycle - a.cycle).map(({ cycle }) => cycle);

/** A candidate who has charts. */
export interface IndexEntry {
  readonly cycle: number;
  readonly candidateId: string;
  readonly name: string;
  readonly donors: number;
  readonly committees: readonly { readonly id: string; readonly name: string }[];
}

/** Ids of loaded data for the examples of the about page. */
export interface ExampleIds {
  readonly cycle: number;
  readonly candidateId: string;
  readonly committeeId: string | null;
  readonly namePart: string;
}

type CandidateDonors = Pick<IndexEntry, 'cycle' | 'candidateId' | 'donors'>;

const MAX_CYCLES = 4;
const MAX_CANDIDATES = 5;

/**
 * Candidates with the most donors in some cycles, and their principal committees; most donors first.
 * @param loaded - cycles by descending priority; the function uses the first of them
 */
async function chartIndex(
  charts: ChartRepository,
  masters: MastersRepository,
  version: ChartsVersion,
  loaded: readonly number[],
): Promise<IndexEntry[]> {
  const cycles = loaded.slice(0, MAX_CYCLES);
  if (cycles.length === 0) return [];
  const donors = new Map<string, CandidateDonors>();
  for (const row of await charts.breakdown(version, { cycles, by: ['gender'] })) {
    const key = `${row.cycle} ${row.candidateId}`;
    const before = donors.get(key)?.donors ?? 0;
    donors.set(key, { cycle: row.cycle, candidateId: row.candidateId, donors: before + row.donors });
  }
  const largest = cycles.flatMap((cycle) => {
    const most: CandidateDonors[] = [];
    for (const one of donors.values())
      if (one.cycle === cycle) insertLargest(most, one, MAX_CANDIDATES, (entry) => entry.donors);
    return most;
  });
  return named(masters, largest);
}

async function named(masters: MastersRepository, entries: readonly CandidateDonors[]): Promise<IndexEntry[]> {
  const ids = [...new Set(entries.map(({ candidateId }) => candidateId))];
  const links = (await masters.linksOf(ids)).filter(({ isPrincipal }) => isPrincipal);
  const names = await masters.namesOf([...ids, ...links.map(({ committeeId }) => committeeId)]);
  const nameOf = (id: string): string => names.get(id) ?? id;
  return entries.map((entry) => ({
    ...entry,
    name: nameOf(entry.candidateId),
    committees: links
      .filter(({ cycle, candidateId }) => cycle === entry.cycle && candidateId === entry.candidateId)
      .map(({ committeeId: id }) => ({ id, name: nameOf(id) })),
  }));
}

/**
 * Ids for the examples of the about page: the candidate with the most donors in the newest of these cycles that has any,
 * and one of the candidate's committees. If none has donors, a candidate of the newest loaded cycle.
 */
async function exampleIds(
  charts: ChartRepository,
  masters: MastersRepository,
  version: ChartsVersion | null,
  cycles: readonly number[],
): Promise<ExampleIds | null> {
  const candidates = await masters.candidateSearch({ nameParts: [], cycles: [] });
  let example = candidates.findLast(({ cycle }) => cycles.includes(cycle)) ?? candidates.at(-1);
  for (const cycle of [...cycles].sort((a, b) => b - a)) {
    const rows = version === null ? [] : await charts.breakdown(version, { cycles: [cycle], by: ['gender'] });
    const known = new Map(candidates.filter((one) => one.cycle === cycle).map((one) => [one.CAND_ID, one]));
    const largest = largestOf(
      [...rows].filter((row) => known.has(row.candidateId)),
      (row) => row.candidateId,
    );
    if (largest === undefined) continue;
    example = known.get(largest);
    break;
  }
  if (example === undefined) return null;
  const { cycle, CAND_ID: candidateId, CAND_NAME: name } = example;
  const committeeId = await committeeOf(charts, masters, version, cycle, candidateId);
  return { cycle, candidateId, committeeId, namePart: name.split(',')[0].trim().toLowerCase() };
}

async function committeeOf(
  charts: ChartRepository,
  masters: MastersRepository,
  version: ChartsVersion | null,
  cycle: number,
  candidateId: string,
): Promise<string | null> {
  const rows = await masters.committeeSearch({ nameParts: [], cycles: [cycle] });
  const own = rows.filter(({ CAND_ID }) => CAND_ID === candidateId);
  if (own.length === 0) return null;
  const committeeIds = own.map(({ CMTE_ID }) => CMTE_ID);
  const ages = version === null ? [] : await charts.ageDistribution(version, { committeeIds, cycles: [cycle] });
  const principal = own.find(({ LINKAGE_DSGN }) => LINKAGE_DSGN === 'P') ?? own[0];
  return largestOf([...ages], (row) => row.committeeId) ?? principal.CMTE_ID;
}

/** The id whose rows have the most donors in total. */
function largestOf<Row extends { readonly donors: number }>(
  rows: readonly Row[],
  idOf: (row: Row) => string,
): string | undefined {
  const sums = new Map<string, number>();
  for (const row of rows) sums.set(idOf(row), (sums.get(idOf(row)) ?? 0) + row.donors);
  return [...sums].sort(([, a], [, b]) => b - a)[0]?.[0];
}
