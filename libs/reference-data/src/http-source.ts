import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type DownloadLog, type Downloaded, Downloader, SourceError, withoutSecrets } from '@donorlens/downloads';
import { type Config, isHttpUrl } from '@donorlens/config';
import {
  type DataSource,
  type FetchOptions,
  LAYOUT,
  WITHOUT,
  SAMPLE_MARKER,
  MAX_FILE_BYTES,
  MAX_STREAMED_BYTES,
  type SourceFile,
  type SourceFiles,
  type StreamedFile,
  type SuppliedFiles,
  acsName,
  lifeTableNames,
  FolderSource,
} from './data-source';
import { type AcsTable } from './tables/acs-files';
import { type ReleaseLabel } from './releases/release';

/** Longest time for all files together. */
const BUDGET_MS = 10 * 60_000;
const BOUNDED = { maxBytes: MAX_FILE_BYTES };

/**
 * Editions of the life tables (years of the Trustees Report) in the order in which they are tried. The worked examples
 * use 2020; newer ones are used if its files are no longer published.
 */
const EDITIONS = [2020, 2026, 2025, 2024, 2023, 2022, 2021];
const SAMPLE_EDITION = 0;

/** The survey of a year is published at the end of the next one. Editions back to 2021 have the tables in one file. */
const ACS_LAG_YEARS = 2;
const FIRST_ACS_EDITION = 2021;

/** A file in the official layout, and an address it may have. */
interface Wanted {
  readonly file: string;
  readonly url: string;
}

/** URLs of the files: one per file, or several that are tried in order. */
export interface SourceUrls {
  readonly birthNames: string;
  readonly lifeTables: (edition: number, name: string) => string;
  readonly surnames2000: string;
  readonly surnames2010: string;
  /** URL of a file that the operator supplies; null: there is none. */
  readonly supplied: ((path: string) => string) | null;
  readonly income: readonly string[];
  readonly counties: string;
  readonly zipCounties: string;
  /** URL of a table of the survey that ends with the year. */
  readonly acs: (year: number, table: AcsTable) => string;
}

/** The publishers' own. Their newest life tables lie under /CY/ until the next report. */
export const OFFICIAL: SourceUrls = {
  birthNames: 'https://www.ssa.gov/oact/babynames/names.zip',
  lifeTables: (edition, name) =>
    edition === 2026
      ? `https://www.ssa.gov/OACT/Downloadables/CY/${name}`
      : `https://www.ssa.gov/oact/HistEst/PerLifeTables/${edition}/${name}`,
  surnames2000: 'https://www2.census.gov/topics/genealogy/2000surnames/names.zip',
  surnames2010: 'https://www2.census.gov/topics/genealogy/2010surnames/names.zip',
  supplied: null,
  income: ['.txt', '.xls'].map(
    (form) => `https://www2.census.gov/programs-surveys/saipe/datasets/2018/2018-state-and-county/est18all${form}`,
  ),
  counties: 'https://www2.census.gov/geo/docs/reference/codes/files/national_county.txt',
  zipCounties: 'https://www2.census.gov/geo/docs/maps-data/data/rel/zcta_county_rel_10.txt',
  acs: (year, table) =>
    `https://www2.census.gov/programs-surveys/acs/summary_file/${year}/table-based-SF/data/5YRData/${acsName(year, table)}`,
};

/** A copy of the official layout under one address. */
export function sourceUrlsFromBase(base: string): SourceUrls {
  const urlOf = (path: string): string => new URL(path, base.endsWith('/') ? base : `${base}/`).href;
  return {
    birthNames: urlOf(LAYOUT.birthNames),
    lifeTables: (_edition, name) => urlOf(`${LAYOUT.lifeTables}/${name}`),
    surnames2000: urlOf(LAYOUT.surnames2000),
    surnames2010: urlOf(LAYOUT.surnames2010),
    supplied: urlOf,
    income: LAYOUT.income.map(urlOf),
    counties: urlOf(LAYOUT.counties),
    zipCounties: urlOf(LAYOUT.zipCounties),
    acs: (year, table) => urlOf(`${LAYOUT.acs}/${acsName(year, table)}`),
  };
}

interface HttpSourceOptions {
  readonly home: string;
  readonly log: DownloadLog;
  readonly contactUrl?: string;
  readonly budgetMs?: number;
  readonly firstPauseMs?: number;
}

/** The official files over HTTP, from their publishers or from a copy of their layout. */
export class HttpSource implements DataSource {
  label: ReleaseLabel;

  constructor(
    readonly location: string,
    private readonly addresses: SourceUrls,
    private readonly options: HttpSourceOptions,
    private readonly base?: string,
  ) {
    this.label = base === undefined ? 'official' : 'folder';
  }

  static official(options: HttpSourceOptions): HttpSource {
    return new HttpSource('the official addresses', OFFICIAL, options);
  }

  static fromBaseUrl(base: string, options: HttpSourceOptions): HttpSource {
    return new HttpSource(withoutSecrets(base), sourceUrlsFromBase(base), options, base);
  }

  async fetch({ onProgress, signal, supplied = {} }: FetchOptions = {}): Promise<SourceFiles> {
    if (this.addresses.supplied === null) refuseSupplied(supplied);
    const budget = AbortSignal.timeout(this.options.budgetMs ?? BUDGET_MS);
    const downloader = new Downloader({
      cache: join(this.options.home, 'cache'),
      log: this.options.log,
      contactUrl: this.options.contactUrl,
      signal: signal === undefined ? budget : AbortSignal.any([signal, budget]),
      firstPauseMs: this.options.firstPauseMs,
    });
    try {
      return await this.fetchWith(downloader, supplied, onProgress ?? (() => undefined));
    } finally {
      await downloader.close();
    }
  }

  private async fetchWith(
    downloader: Downloader,
    { surnames2020, firstNames }: SuppliedFiles,
    say: (step: string) => void,
  ): Promise<SourceFiles> {
    const { addresses } = this;
    const optional = async (place: Wanted): Promise<SourceFile | null> => {
      say(`getting ${withoutSecrets(place.url)}`);
      const found = await downloader.get(place.url, { ...BOUNDED, file: place.file });
      return found && sourceFile(place, found);
    };
    /** Downloads the first of these files that exists. */
    const first = async (places: readonly Wanted[]): Promise<SourceFile> => {
      for (const place of places) {
        const found = await optional(place);
        if (found) return found;
      }
      throw new SourceError(places.map(({ url }) => withoutSecrets(url)).join(', '), 'was not found');
    };
    const supplied = async (isRequested: boolean | undefined, file: string): Promise<SourceFile | null> =>
      isRequested && addresses.supplied ? first([{ file, url: addresses.supplied(file) }]) : null;
    if (this.base !== undefined && (await downloader.get(markerUnder(this.base), { ...BOUNDED, file: SAMPLE_MARKER })))
      this.label = 'sample';
    return {
      birthNames: await first([{ file: LAYOUT.birthNames, url: addresses.birthNames }]),
      lifeTables: await this.lifeTables(downloader, say),
      surnames2000: await first([{ file: LAYOUT.surnames2000, url: addresses.surnames2000 }]),
      surnames2010: await first([{ file: LAYOUT.surnames2010, url: addresses.surnames2010 }]),
      surnames2020: await supplied(surnames2020, LAYOUT.surnames2020),
      firstNames: await supplied(firstNames, LAYOUT.firstNames),
      income: await first(addresses.income.map((url) => ({ file: `census/saipe/${basename(url)}`, url }))),
      counties: await first([{ file: LAYOUT.counties, url: addresses.counties }]),
      zipCounties: await optional({ file: LAYOUT.zipCounties, url: addresses.zipCounties }),
      areaPeople: await this.newestAcs('b03002', downloader, say),
      tractIncomes: await this.newestAcs('b19013', downloader, say),
    };
  }

  private async newestAcs(
    table: AcsTable,
    downloader: Downloader,
    say: (step: string) => void,
  ): Promise<StreamedFile | null> {
    for (let year = new Date().getUTCFullYear() - ACS_LAG_YEARS; year >= FIRST_ACS_EDITION; year--) {
      const place = { file: `${LAYOUT.acs}/${acsName(year, table)}`, url: this.addresses.acs(year, table) };
      say(`getting ${withoutSecrets(place.url)}`);
      const found = await downloader.get(place.url, { maxBytes: MAX_STREAMED_BYTES, file: place.file });
      if (found) return streamedFile(place, found);
    }
    return null;
  }

  /** The first edition with all four files. */
  private async lifeTables(downloader: Downloader, say: (step: string) => void): Promise<SourceFile[]> {
    for (const edition of this.label === 'sample' ? [SAMPLE_EDITION] : EDITIONS) {
      say(`getting the life tables of ${edition}`);
      const files: SourceFile[] = [];
      for (const name of lifeTableNames(edition)) {
        const place = { file: `${LAYOUT.lifeTables}/${name}`, url: this.addresses.lifeTables(edition, name) };
        const found = await downloader.get(place.url, { ...BOUNDED, file: place.file });
        if (found === null) break;
        files.push(await sourceFile(place, found));
      }
      if (files.length === 4) return files;
    }
    throw new SourceError(this.location, 'has no complete edition of PerLifeTables_{F,M}_{Hist,Alt2}_TRyyyy.csv');
  }
}

/** @throws SourceError for a file that no publisher has at a known address */
function refuseSupplied(supplied: SuppliedFiles): void {
  const name = (['surnames2020', 'firstNames'] as const).find((one) => supplied[one]);
  if (name !== undefined)
    throw new SourceError(
      LAYOUT[name],
      `is not published at a known address: put it into the folder of DATA_SOURCE, or use ${WITHOUT[name]}`,
    );
}

const sourceFile = async ({ file, url }: Wanted, found: Downloaded): Promise<SourceFile> => ({
  file,
  url: withoutSecrets(url),
  retrievedAt: found.retrievedAt,
  sha256: found.sha256,
  bytes: await readFile(found.path),
});

const streamedFile = (
  { file, url }: Wanted,
  { retrievedAt, sha256, path, bytes: length }: Downloaded,
): StreamedFile => ({
  ...{ file, url: withoutSecrets(url), retrievedAt, sha256 },
  ...{ path, length },
});

const markerUnder = (base: string): string => new URL(SAMPLE_MARKER, base.endsWith('/') ? base : `${base}/`).href;

/**
 * The source of the configuration: a folder or a base URL by DATA_SOURCE, else the publishers.
 * @throws SourceError if the folder does not exist
 */
export function dataSource(
  config: Pick<Config, 'dataSource' | 'home'> & Partial<Pick<Config, 'contactUrl'>>,
  log: DownloadLog,
): Promise<DataSource> {
  const options = { home: config.home, log, contactUrl: config.contactUrl };
  if (config.dataSource === undefined) return Promise.resolve(HttpSource.official(options));
  if (isHttpUrl(config.dataSource)) return Promise.resolve(HttpSource.fromBaseUrl(config.dataSource, options));
  return FolderSource.open(config.dataSource);
}
