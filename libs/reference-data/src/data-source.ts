import { type Stats, createReadStream } from 'node:fs';
import { access, readFile, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SourceError, codeOf } from '@donorlens/downloads';
import { type ReleaseLabel } from './releases/release';
import { type AcsTable } from './tables/acs-files';
import { sha256, sha256Of } from './releases/release-binary';

/** Somewhere the official files can be had. */
export interface DataSource {
  /** label of a data release from this source */
  readonly label: ReleaseLabel;
  /** for messages: a folder or an address */
  readonly location: string;
  /** @throws SourceError when a file is missing, cannot be reached in time, or is too long */
  fetch(options?: FetchOptions): Promise<SourceFiles>;
}

export interface FetchOptions {
  readonly onProgress?: (step: string) => void;
  readonly signal?: AbortSignal;
  readonly supplied?: SuppliedFiles;
}

/** Files that the operator supplies and asks for. */
export interface SuppliedFiles {
  /** Surnames of the 2020 Census. */
  readonly surnames2020?: boolean;
  /** First names by race and ethnicity. */
  readonly firstNames?: boolean;
}

/** Options that leave the file out. */
export const WITHOUT = { surnames2020: '--surnames 2010', firstNames: '--first-names none' } as const;

/** Lies beside the files of a sample, so that it is called one wherever it is copied. */
export const SAMPLE_MARKER = 'sample.json';

/** Paths of the official layout; income in the order in which the forms are tried. */
export const LAYOUT = {
  birthNames: 'ssa/names.zip',
  lifeTables: 'ssa/lifetables',
  surnames2000: 'census/surnames/2000/names.zip',
  surnames2010: 'census/surnames/2010/names.zip',
  surnames2020: 'census/surnames/2020/names.zip',
  firstNames: 'dataverse/firstnames.csv',
  income: ['census/saipe/est18all.txt', 'census/saipe/est18all.csv', 'census/saipe/est18all.xls'],
  counties: 'census/geo/national_county.txt',
  zipCounties: 'census/geo/zcta_county_rel_10.txt',
  acs: 'census/acs',
} as const;

/** One source file as it was obtained. */
export interface SourceFile {
  /** path in the official layout, such as ssa/names.zip; what messages call the file */
  readonly file: string;
  /** URL or path of the file, without secrets. */
  readonly url: string;
  /** ISO 8601, UTC */
  readonly retrievedAt: string;
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** A file that is too long for the memory; it is read as a stream. */
export interface StreamedFile extends Omit<SourceFile, 'bytes'> {
  readonly path: string;
  readonly length: number;
}

/** Everything a release is compiled from. */
export interface SourceFiles {
  readonly birthNames: SourceFile;
  /** both sexes, observed and projected years */
  readonly lifeTables: readonly SourceFile[];
  readonly surnames2000: SourceFile;
  readonly surnames2010: SourceFile;
  /** null unless they are requested */
  readonly surnames2020: SourceFile | null;
  /** null unless they are requested */
  readonly firstNames: SourceFile | null;
  readonly income: SourceFile;
  readonly counties: SourceFile;
  /** null if the source does not have it */
  readonly zipCounties: SourceFile | null;
  /** null if the source does not have it: no ethnicity by place */
  readonly areaPeople: StreamedFile | null;
  /** null if the source does not have it: no incomes of tracts */
  readonly tractIncomes: StreamedFile | null;
}

export const allFiles = (files: SourceFiles): Pick<SourceFile, 'file' | 'sha256'>[] => [
  files.birthNames,
  ...files.lifeTables,
  files.surnames2000,
  files.surnames2010,
  files.income,
  files.counties,
  ...[files.surnames2020, files.firstNames, files.zipCounties, files.areaPeople, files.tractIncomes].filter(
    (file) => file !== null,
  ),
];

/** Longest file that is read at all; the largest published one has 10 MB. */
export const MAX_FILE_BYTES = 64 << 20;

const LIFE_TABLE = /^PerLifeTables_([FM])_(Hist|Alt2)_TR(\d{4})\.csv$/;

interface LifeTableName {
  readonly sex: 'm' | 'f';
  readonly edition: number;
}

/** Reads the name of a period life table file; null for any other name. */
export function parseLifeTableName(name: string): LifeTableName | null {
  const parts = LIFE_TABLE.exec(name);
  return parts === null ? null : { sex: parts[1] === 'M' ? 'm' : 'f', edition: Number(parts[3]) };
}

/** The four files of one edition (year of the Trustees Report). */
export const lifeTableNames = (edition: number): string[] =>
  ['F_Hist', 'F_Alt2', 'M_Hist', 'M_Alt2'].map(
    (part) => `PerLifeTables_${part}_TR${String(edition).padStart(4, '0')}.csv`,
  );

/** Longest file that is streamed; B03002 of the country has some 150 MB. */
export const MAX_STREAMED_BYTES = 1 << 30;

/** Name of a table of the 5-year survey that ends with a year. */
export const acsName = (year: number | string, table: AcsTable): string => `acsdt5y${year}-${table}.dat`;

/** A folder with the official files, laid out by publisher: ssa/..., census/.... */
export class FolderSource implements DataSource {
  private constructor(
    readonly location: string,
    readonly label: ReleaseLabel,
  ) {}

  /** @throws SourceError when there is no such folder */
  static async open(folder: string): Promise<FolderSource> {
    const location = resolve(folder);
    const entry = await stat(location).catch(() => null);
    if (!entry?.isDirectory()) throw new SourceError(location, 'is not a readable folder');
    const marked = await access(join(location, SAMPLE_MARKER)).then(
      () => true,
      () => false,
    );
    return new FolderSource(location, marked ? 'sample' : 'folder');
  }

  async fetch({ onProgress, supplied }: FetchOptions = {}): Promise<SourceFiles> {
    onProgress?.(`reading ${this.location}`);
    return {
      birthNames: await this.read(LAYOUT.birthNames),
      lifeTables: await this.lifeTables(),
      surnames2000: await this.read(LAYOUT.surnames2000),
      surnames2010: await this.read(LAYOUT.surnames2010),
      surnames2020: supplied?.surnames2020 ? await this.supplied('surnames2020') : null,
      firstNames: supplied?.firstNames ? await this.supplied('firstNames') : null,
      income: await this.readFirst(LAYOUT.income),
      counties: await this.read(LAYOUT.counties),
      zipCounties: (await this.has(LAYOUT.zipCounties)) ? await this.read(LAYOUT.zipCounties) : null,
      areaPeople: await this.newestAcs('b03002'),
      tractIncomes: await this.newestAcs('b19013'),
    };
  }

  /** The newest edition with all four files. */
  private async lifeTables(): Promise<SourceFile[]> {
    const names = await readdir(join(this.location, LAYOUT.lifeTables)).catch((): string[] => []);
    const editions = names.map((name) => parseLifeTableName(name)?.edition ?? -1).sort((a, b) => b - a);
    const whole = editions.find(
      (edition) => edition >= 0 && lifeTableNames(edition).every((name) => names.includes(name)),
    );
    if (whole === undefined)
      throw new SourceError(
        join(this.location, LAYOUT.lifeTables),
        'the four files PerLifeTables_{F,M}_{Hist,Alt2}_TRyyyy.csv of one edition are not there',
      );
    return Promise.all(lifeTableNames(whole).map((name) => this.read(`${LAYOUT.lifeTables}/${name}`)));
  }

  private async readFirst(paths: readonly string[]): Promise<SourceFile> {
    for (const path of paths) if (await this.has(path)) return this.read(path);
    throw new SourceError(join(this.location, paths[0]), `is missing, and so are its other forms`);
  }

  private async newestAcs(table: AcsTable): Promise<StreamedFile | null> {
    const names = await readdir(join(this.location, LAYOUT.acs)).catch((): string[] => []);
    const newest = names
      .filter((name) => /^\d{4}$/.test(name.slice(7, 11)) && name === acsName(name.slice(7, 11), table))
      .sort()
      .at(-1);
    return newest === undefined ? null : this.streamed(`${LAYOUT.acs}/${newest}`);
  }

  private async streamed(file: string): Promise<StreamedFile> {
    const path = join(this.location, file);
    const entry = await this.entryOf(path, MAX_STREAMED_BYTES);
    const checksum = await sha256Of(createReadStream(path));
    const [url, retrievedAt] = [pathToFileURL(path).href, entry.mtime.toISOString()];
    return { file, url, retrievedAt, sha256: checksum, path, length: entry.size };
  }

  private async supplied(name: keyof SuppliedFiles): Promise<SourceFile> {
    const path = LAYOUT[name];
    if (await this.has(path)) return this.read(path);
    throw new SourceError(join(this.location, path), `is missing: add it, or use ${WITHOUT[name]}`);
  }

  private has(path: string): Promise<boolean> {
    return stat(join(this.location, path)).then(
      () => true,
      () => false,
    );
  }

  private async read(file: string): Promise<SourceFile> {
    const path = join(this.location, file);
    const entry = await this.entryOf(path, MAX_FILE_BYTES);
    const bytes = await readFile(path).catch((error: unknown) => {
      throw unreadable(path, error);
    });
    const url = pathToFileURL(path).href;
    return { file, url, retrievedAt: entry.mtime.toISOString(), sha256: sha256(bytes), bytes };
  }

  private async entryOf(path: string, maxBytes: number): Promise<Stats> {
    const entry = await stat(path).catch((error: unknown) => {
      throw unreadable(path, error);
    });
    if (!entry.isFile()) throw new SourceError(path, 'is not a file');
    if (entry.size > maxBytes) throw new SourceError(path, `has more than ${maxBytes} bytes`);
    return entry;
  }
}

const unreadable = (path: string, error: unknown): SourceError =>
  new SourceError(path, codeOf(error) === 'ENOENT' ? 'is missing' : `cannot be read (${codeOf(error)})`);
