import { type Stats } from 'node:fs';
import { access, readFile, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SourceError, codeOf } from '@donorlens/downloads';
import { type DataSource, type FetchOptions, LAYOUT, SAMPLE_MARKER } from './data-source';
import { sha256 } from './release-binary';
import { type ReleaseLabel } from './release';
import { MOST_FILE_BYTES, type SourceFile, type SourceFiles, lifeTableName, lifeTableNames } from './source-files';

/** A folder with the official files, laid out by publisher: ssa/..., census/.... */
export class FolderSource implements DataSource {
  private constructor(
    readonly location: string,
    readonly label: ReleaseLabel,
  ) {}

  /** @throws SourceError when there is no such folder */
  static async at(folder: string): Promise<FolderSource> {
    const location = resolve(folder);
    const entry = await stat(location).catch(() => null);
    if (!entry?.isDirectory()) throw new SourceError(location, 'is no folder that can be read');
    const marked = await access(join(location, SAMPLE_MARKER)).then(
      () => true,
      () => false,
    );
    return new FolderSource(location, marked ? 'sample' : 'folder');
  }

  async fetch({ onProgress }: FetchOptions = {}): Promise<SourceFiles> {
    onProgress?.(`reading ${this.location}`);
    return {
      birthNames: await this.read(LAYOUT.birthNames),
      lifeTables: await this.lifeTables(),
      surnames2000: await this.read(LAYOUT.surnames2000),
      surnames2010: await this.read(LAYOUT.surnames2010),
      income: await this.readFirst(LAYOUT.income),
      counties: await this.read(LAYOUT.counties),
    };
  }

  /** The newest edition of which all four files are there. */
  private async lifeTables(): Promise<SourceFile[]> {
    const names = await readdir(join(this.location, LAYOUT.lifeTables)).catch((): string[] => []);
    const editions = names.map((name) => lifeTableName(name)?.edition ?? -1).sort((a, b) => b - a);
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
    for (const path of paths) {
      const found = await stat(join(this.location, path)).catch(() => null);
      if (found !== null) return this.read(path);
    }
    throw new SourceError(join(this.location, paths[0]), `is missing, and so are its other forms`);
  }

  private async read(file: string): Promise<SourceFile> {
    const path = join(this.location, file);
    let entry: Stats;
    let bytes: Buffer;
    try {
      entry = await stat(path);
      if (!entry.isFile()) throw new SourceError(path, 'is no file');
      if (entry.size > MOST_FILE_BYTES) throw new SourceError(path, `has more than ${MOST_FILE_BYTES} bytes`);
      bytes = await readFile(path);
    } catch (error) {
      if (error instanceof SourceError) throw error;
      throw new SourceError(path, codeOf(error) === 'ENOENT' ? 'is missing' : `cannot be read (${codeOf(error)})`);
    }
    const url = pathToFileURL(path).href;
    return { file, url, retrievedAt: entry.mtime.toISOString(), sha256: sha256(bytes), bytes };
  }
}
