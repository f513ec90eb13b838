import { join } from 'node:path';
import { type Config, isHttpUrl } from '@donorlens/config';
import { type DownloadLog, type DownloadRequest, Downloader, withoutSecrets } from '@donorlens/downloads';
import { cycleOfYear } from '@donorlens/primitives';
import { SAMPLE_MARKER } from '@donorlens/reference-data';
import { FecFolder } from './fec-folder';
import {
  type FecFile,
  type FecFileName,
  type FecFileOptions,
  type FecSource,
  fileName,
  maxBytes,
  pathInLayout,
} from './fec-source';

/** Limit for one file. A server that stops sending fails much earlier. */
const BUDGET_MS = 6 * 60 * 60_000;
/** The oldest cycle with masters at the FEC. */
const FIRST_BULK_CYCLE = 1980;
const BULK = 'https://www.fec.gov/files/bulk-downloads';

export interface FecHttpOptions {
  readonly home: string;
  readonly log: DownloadLog;
  readonly contactUrl?: string;
  readonly budgetMs?: number;
  readonly firstPauseMs?: number;
}

export const officialAddress = (name: FecFileName): string =>
  'day' in name ? `${BULK}/electronic/${fileName(name)}` : `${BULK}/${name.cycle}/${fileName(name)}`;

/** FEC files over HTTP: from the FEC, or from a copy of the layout below one URL. */
export class FecHttp implements FecSource {
  private constructor(
    readonly label: 'official' | 'folder' | 'sample',
    readonly location: string,
    private readonly addressOf: (name: FecFileName) => string,
    private readonly options: FecHttpOptions,
  ) {}

  static official(options: FecHttpOptions): FecHttp {
    return new FecHttp('official', BULK, officialAddress, options);
  }

  /** @returns null if no cycle has a candidate master there. @throws SourceError */
  static async fromBaseUrl(base: string, options: FecHttpOptions): Promise<FecHttp | null> {
    const urlOf = (path: string): string => new URL(path, base.endsWith('/') ? base : `${base}/`).href;
    const marker = await download(urlOf(SAMPLE_MARKER), { file: SAMPLE_MARKER, maxBytes: 1 << 20 }, options);
    const label = marker === null ? 'folder' : 'sample';
    const source = new FecHttp(label, withoutSecrets(base), (name) => urlOf(pathInLayout(name)), options);
    for (const cycle of (await source.cycles()).reverse()) if (await source.file({ cycle, kind: 'cn' })) return source;
    return null;
  }

  file(name: FecFileName, options: FecFileOptions = {}): Promise<FecFile | null> {
    const wanted = { file: pathInLayout(name), maxBytes: maxBytes(name) };
    return download(this.addressOf(name), wanted, this.options, options);
  }

  /** All cycles since the first one, because the FEC has no list of files. */
  cycles(): Promise<number[]> {
    const last = cycleOfYear(new Date().getUTCFullYear());
    return Promise.resolve(
      Array.from({ length: (last - FIRST_BULK_CYCLE) / 2 + 1 }, (_, at) => FIRST_BULK_CYCLE + 2 * at),
    );
  }
}

async function download(
  url: string,
  wanted: Pick<DownloadRequest, 'file' | 'maxBytes'>,
  { home, log, contactUrl, budgetMs = BUDGET_MS, firstPauseMs }: FecHttpOptions,
  { signal }: FecFileOptions = {},
): Promise<FecFile | null> {
  const budget = AbortSignal.timeout(budgetMs);
  const downloader = new Downloader({
    cache: join(home, 'cache'),
    log,
    contactUrl,
    signal: signal === undefined ? budget : AbortSignal.any([signal, budget]),
    firstPauseMs,
  });
  try {
    const found = await downloader.get(url, wanted);
    return found && { ...found, source: withoutSecrets(url) };
  } finally {
    await downloader.close();
  }
}

/**
 * The source of the configuration: a folder or a base URL by DATA_SOURCE, else the FEC.
 * @returns null if DATA_SOURCE has no FEC files
 * @throws SourceError if the folder does not exist or the URL does not answer
 */
export async function fecSource(
  { dataSource, home, contactUrl }: Pick<Config, 'dataSource' | 'home'> & Partial<Pick<Config, 'contactUrl'>>,
  log: DownloadLog,
): Promise<FecSource | null> {
  const options = { home, log, contactUrl };
  if (dataSource === undefined) return FecHttp.official(options);
  if (isHttpUrl(dataSource)) return FecHttp.fromBaseUrl(dataSource, options);
  return FecFolder.open(dataSource);
}
