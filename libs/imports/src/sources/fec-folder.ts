import { type Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { SourceError, codeOf, sha256OfFile } from '@donorlens/downloads';
import { SAMPLE_MARKER } from '@donorlens/reference-data';
import { type FecFile, type FecFileName, type FecSource, maxBytes, pathInLayout } from './fec-source';

/** A folder of official files in the layout fec/{cycle}/cn{yy}.zip and fec/efiling/{day}.zip. */
export class FecFolder implements FecSource {
  private constructor(
    readonly location: string,
    readonly label: 'folder' | 'sample',
  ) {}

  /** @returns null if the folder has no FEC files. @throws SourceError if the folder does not exist */
  static async open(folder: string): Promise<FecFolder | null> {
    const location = resolve(folder);
    if (!(await entryAt(location))?.isDirectory()) throw new SourceError(location, 'is not a readable folder');
    if (!(await entryAt(join(location, 'fec')))?.isDirectory()) return null;
    const marked = (await entryAt(join(location, SAMPLE_MARKER))) !== null;
    return new FecFolder(location, marked ? 'sample' : 'folder');
  }

  async file(name: FecFileName): Promise<FecFile | null> {
    const path = join(this.location, pathInLayout(name));
    const entry = await entryAt(path);
    if (entry === null) return null;
    if (!entry.isFile()) throw new SourceError(path, 'is not a file');
    if (entry.size > maxBytes(name)) throw new SourceError(path, `has more than ${maxBytes(name)} bytes`);
    const sha256 = await sha256OfFile(path).catch((error: unknown) => {
      throw new SourceError(path, `cannot be read (${codeOf(error)})`);
    });
    return {
      path,
      source: pathToFileURL(path).href,
      sha256,
      bytes: entry.size,
      retrievedAt: entry.mtime.toISOString(),
    };
  }

  async cycles(): Promise<number[]> {
    const names = await readdir(join(this.location, 'fec'));
    return names
      .filter((name) => /^\d{3}[02468]$/.test(name))
      .map(Number)
      .sort((a, b) => a - b);
  }
}

/** Null if the path does not exist. */
async function entryAt(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return null;
    throw new SourceError(path, `cannot be read (${codeOf(error)})`);
  }
}
