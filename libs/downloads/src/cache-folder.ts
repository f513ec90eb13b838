import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface StoredBody {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

const PART = '.part';
/** A part that was not written for this long was left by a process that ended. */
const ABANDONED_MS = 60 * 60_000;

/** Files of any size, each called by its SHA-256. A reader never sees half a file: it gets its name when it is whole. */
export class CacheFolder {
  constructor(private readonly folder: string) {}

  pathOf(sha256: string): string {
    return join(this.folder, sha256);
  }

  /** True if the file exists and its content matches the hash in its name. */
  async holds({ sha256, bytes }: Pick<StoredBody, 'sha256' | 'bytes'>): Promise<boolean> {
    const path = this.pathOf(sha256);
    const entry = await stat(path).catch(() => null);
    if (!entry?.isFile() || entry.size !== bytes) return false;
    return (await sha256OfFile(path).catch(() => null)) === sha256; // null: it cannot be read
  }

  /** Writes pieces as they come; `pieces` may throw, then nothing stays. The caller bounds their length. */
  async store(pieces: AsyncIterable<Buffer>): Promise<StoredBody> {
    await mkdir(this.folder, { recursive: true });
    await this.removeAbandoned();
    const part = join(this.folder, `${randomUUID()}${PART}`);
    try {
      const { sha256, bytes } = await written(part, pieces);
      await rename(part, this.pathOf(sha256));
      return { path: this.pathOf(sha256), sha256, bytes };
    } finally {
      await rm(part, { force: true });
    }
  }

  /** Readers with an open file continue. */
  async remove(sha256: string): Promise<void> {
    await rm(this.pathOf(sha256), { force: true });
  }

  private async removeAbandoned(): Promise<void> {
    for (const name of (await readdir(this.folder)).filter((entry) => entry.endsWith(PART))) {
      const path = join(this.folder, name);
      const entry = await stat(path).catch(() => null);
      if (entry !== null && Date.now() - entry.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
    }
  }
}

async function written(path: string, pieces: AsyncIterable<Buffer>): Promise<Omit<StoredBody, 'path'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  const measured = async function* (): AsyncGenerator<Buffer> {
    for await (const piece of pieces) {
      hash.update(piece);
      bytes += piece.length;
      yield piece;
    }
  };
  const file = await open(path, 'wx');
  await pipeline(measured, file.createWriteStream({ flush: true }));
  return { sha256: hash.digest('hex'), bytes };
}

/** Lower-case hexadecimal; the file is read in pieces. */
export async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}
