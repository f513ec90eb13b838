import { join } from 'node:path';
import { type DataSource, type FetchOptions, LAYOUT, SAMPLE_MARKER } from './data-source';
import { type Downloaded, Downloader, withoutSecrets } from './download';
import { SourceError } from './reference-data-error';
import { type ReleaseLabel } from './release';
import { type SourceFile, type SourceFiles, lifeTableNames } from './source-files';
import { type DownloadLog } from './source-file.repository';

/** Longest time for all files together. */
const BUDGET_MS = 10 * 60_000;

/**
 * Editions of the life tables (years of the Trustees Report) in the order in which they are tried. The worked examples
 * stand on 2020; the newest is the way out when its files are no longer there.
 */
const EDITIONS = [2020, 2026, 2025, 2024, 2023, 2022, 2021];
const SAMPLE_EDITION = 0;

/** A file and the addresses it may have; the first that is there is taken. */
interface Wanted {
  readonly file: string;
  readonly url: string;
}

/** Where the files are: one address per file, or several to be tried in turn. */
export interface Addresses {
  readonly birthNames: string;
  readonly lifeTables: (edition: number, name: string) => string;
  readonly surnames2000: string;
  readonly surnames2010: string;
  readonly income: readonly string[];
  readonly counties: string;
}

/** The publishers' own. Their newest life tables lie under /CY/ until the next report. */
export const OFFICIAL: Addresses = {
  birthNames: 'https://www.ssa.gov/oact/babynames/names.zip',
  lifeTables: (edition, name) =>
    edition === 2026
      ? `https://www.ssa.gov/OACT/Downloadables/CY/${name}`
      : `https://www.ssa.gov/oact/HistEst/PerLifeTables/${edition}/${name}`,
  surnames2000: 'https://www2.census.gov/topics/genealogy/2000surnames/names.zip',
  surnames2010: 'https://www2.census.gov/topics/genealogy/2010surnames/names.zip',
  income: ['.txt', '.xls'].map(
    (form) => `https://www2.census.gov/programs-surveys/saipe/datasets/2018/2018-state-and-county/est18all${form}`,
  ),
  counties: 'https://www2.census.gov/geo/docs/reference/codes/files/national_county.txt',
};

/** A copy of the official layout under one address. */
export function addressesUnder(base: string): Addresses {
  const at = (path: string): string => new URL(path, base.endsWith('/') ? base : `${base}/`).href;
  return {
    birthNames: at(LAYOUT.birthNames),
    lifeTables: (_edition, name) => at(`${LAYOUT.lifeTables}/${name}`),
    surnames2000: at(LAYOUT.surnames2000),
    surnames2010: at(LAYOUT.surnames2010),
    income: LAYOUT.income.map(at),
    counties: at(LAYOUT.counties),
  };
}

export interface HttpSourceOptions {
  readonly home: string;
  readonly log: DownloadLog;
  readonly budgetMs?: number;
  readonly firstPauseMs?: number;
}

/** The official files over HTTP, from their publishers or from a copy of their layout. */
export class HttpSource implements DataSource {
  label: ReleaseLabel;

  constructor(
    readonly location: string,
    private readonly addresses: Addresses,
    private readonly options: HttpSourceOptions,
    private readonly base?: string,
  ) {
    this.label = base === undefined ? 'official' : 'folder';
  }

  static official(options: HttpSourceOptions): HttpSource {
    return new HttpSource('the official addresses', OFFICIAL, options);
  }

  static under(base: string, options: HttpSourceOptions): HttpSource {
    return new HttpSource(withoutSecrets(base), addressesUnder(base), options, base);
  }

  async fetch({ onProgress, signal }: FetchOptions = {}): Promise<SourceFiles> {
    const budget = AbortSignal.timeout(this.options.budgetMs ?? BUDGET_MS);
    const downloader = new Downloader({
      cache: join(this.options.home, 'cache'),
      log: this.options.log,
      signal: signal === undefined ? budget : AbortSignal.any([signal, budget]),
      firstPauseMs: this.options.firstPauseMs,
    });
    try {
      return await this.fetchWith(downloader, onProgress ?? (() => undefined));
    } finally {
      await downloader.close();
    }
  }

  private async fetchWith(downloader: Downloader, say: (step: string) => void): Promise<SourceFiles> {
    const { addresses } = this;
    const one = async (file: string, ...urls: string[]): Promise<SourceFile> => {
      for (const url of urls) {
        say(`getting ${withoutSecrets(url)}`);
        const found = await downloader.get(url);
        if (found) return sourceFile({ file, url }, found);
      }
      throw new SourceError(withoutSecrets(urls[0]), 'is not there');
    };
    if (this.base !== undefined && (await downloader.get(markerUnder(this.base)))) this.label = 'sample';
    return {
      birthNames: await one(LAYOUT.birthNames, addresses.birthNames),
      lifeTables: await this.lifeTables(downloader, say),
      surnames2000: await one(LAYOUT.surnames2000, addresses.surnames2000),
      surnames2010: await one(LAYOUT.surnames2010, addresses.surnames2010),
      income: await this.income(downloader, say),
      counties: await one(LAYOUT.counties, addresses.counties),
    };
  }

  private async income(downloader: Downloader, say: (step: string) => void): Promise<SourceFile> {
    const { income } = this.addresses;
    for (const url of income) {
      say(`getting ${withoutSecrets(url)}`);
      const found = await downloader.get(url);
      const file = LAYOUT.income.find((path) => url.endsWith(path.slice(-4)));
      if (found && file !== undefined) return sourceFile({ file, url }, found);
    }
    throw new SourceError(withoutSecrets(income[0]), 'is not there, and neither are its other forms');
  }

  /** The first edition of which the four files are there. */
  private async lifeTables(downloader: Downloader, say: (step: string) => void): Promise<SourceFile[]> {
    for (const edition of this.label === 'sample' ? [SAMPLE_EDITION] : EDITIONS) {
      say(`getting the life tables of ${edition}`);
      const files: SourceFile[] = [];
      for (const name of lifeTableNames(edition)) {
        const url = this.addresses.lifeTables(edition, name);
        const found = await downloader.get(url);
        if (found === null) break;
        files.push(sourceFile({ file: `${LAYOUT.lifeTables}/${name}`, url }, found));
      }
      if (files.length === 4) return files;
    }
    throw new SourceError(this.location, 'has no complete edition of PerLifeTables_{F,M}_{Hist,Alt2}_TRyyyy.csv');
  }
}

const sourceFile = ({ file, url }: Wanted, found: Downloaded): SourceFile => ({
  file,
  url: withoutSecrets(url),
  ...found,
});

const markerUnder = (base: string): string => new URL(SAMPLE_MARKER, base.endsWith('/') ? base : `${base}/`).href;
