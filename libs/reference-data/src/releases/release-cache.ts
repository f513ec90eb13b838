import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, readdir, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ReleaseFormatError, UnknownReleaseError } from '../reference-data-error';
import { type Release, openRelease } from './release';
import { type ReleaseRepository } from './release.repository';

const ENDING = '.release';
/** File with the checksum of the active release. */
const ACTIVE = 'active';
/** A partial file that is older belongs to a process that crashed. */
const STALE_PART_MS = 60 * 60_000;
/** Error codes of a disk that is full or not writable. */
const DISK = ['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM', 'ENOTDIR', 'EIO'];

/**
 * Cache of releases on the disk, named by checksum, so that each machine reads a release from Postgres once. Every file
 * is verified when it is opened; a damaged one is deleted and fetched again. If the disk is not writable, the release
 * is read into memory: each start then reads it from Postgres, and requests are not affected.
 */
export class ReleaseCache {
  private readonly folder: string;

  constructor(
    private readonly home: string,
    private readonly repository: Pick<ReleaseRepository, 'find' | 'list' | 'parts'>,
    private readonly onDiskFault: (message: string) => void = () => undefined,
  ) {
    this.folder = folderIn(home);
  }

  /** @throws UnknownReleaseError, ReleaseFormatError */
  async load(id: string): Promise<Release> {
    const stored = await this.repository.find(id);
    if (stored === null) throw new UnknownReleaseError(id);
    const path = join(this.folder, `${stored.sha256}${ENDING}`);
    return (await openVerified(path, stored.sha256)) ?? (await this.fetch(id, path, stored.sha256));
  }

  /** Puts a release there that was just compiled on this machine. */
  async store(release: Release, binary: Uint8Array): Promise<void> {
    await this.write(join(this.folder, `${release.sha256}${ENDING}`), [binary]).catch((error: unknown) =>
      this.reportDiskFault(error),
    );
  }

  /**
   * The release that was active here last, for a start while the database is away; null if the disk does not have it.
   */
  lastActive(): Promise<Release | null> {
    return lastActiveRelease(this.home);
  }

  /**
   * Records the active release. Removes files of releases that are no longer stored, and partial files after crashes.
   */
  async recordActiveAndPrune({ sha256 }: Pick<Release, 'sha256'>): Promise<void> {
    await this.write(join(this.folder, ACTIVE), [Buffer.from(sha256)]).catch((error: unknown) =>
      this.reportDiskFault(error),
    );
    const known = new Set((await this.repository.list()).map((release) => `${release.sha256}${ENDING}`));
    for (const name of await readdir(this.folder).catch((): string[] => [])) {
      const path = join(this.folder, name);
      const age = name.endsWith('.part') ? Date.now() - ((await stat(path).catch(() => null))?.mtimeMs ?? 0) : 0;
      if (name.endsWith(ENDING) ? !known.has(name) : age > STALE_PART_MS) await unlink(path).catch(() => undefined);
    }
  }

  private async fetch(id: string, path: string, sha256: string): Promise<Release> {
    const bytes = await this.write(path, this.repository.parts(id)).then(
      () => readWhole(path),
      async (error: unknown) => {
        this.reportDiskFault(error);
        return gathered(this.repository.parts(id));
      },
    );
    const release = openRelease(bytes ?? new Uint8Array(0));
    if (release.sha256 === sha256) return release;
    await rm(path, { force: true });
    throw new ReleaseFormatError(`the stored parts of ${id} have another checksum than its row`);
  }

  /** @throws what is no fault of the disk */
  private reportDiskFault(error: unknown): void {
    const code = String((error as { code?: unknown } | null)?.code);
    if (!DISK.includes(code)) throw error;
    this.onDiskFault(
      `data release not cached in ${this.folder} (${code}): it is read from the database at each start until the folder is writable and has free space`,
    );
  }

  private async write(path: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const part = `${path}.${randomUUID()}.part`;
    try {
      const file = await open(part, 'wx');
      try {
        for await (const piece of pieces) await file.writeFile(piece);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(part, path);
    } finally {
      await rm(part, { force: true });
    }
  }
}

const folderIn = (home: string): string => join(home, 'releases');

/** The release that was active last on this machine, without a database; null if the disk does not have it. */
export async function lastActiveRelease(home: string): Promise<Release | null> {
  const folder = folderIn(home);
  const sha256 = await readFile(join(folder, ACTIVE), 'utf8').catch(() => '');
  return /^[0-9a-f]{64}$/.test(sha256) ? openVerified(join(folder, `${sha256}${ENDING}`), sha256) : null;
}

/** Null if the file is missing or damaged. */
async function openVerified(path: string, sha256: string): Promise<Release | null> {
  const bytes = await readWhole(path);
  if (bytes === null) return null;
  try {
    const release = openRelease(bytes);
    if (release.sha256 === sha256) return release;
  } catch (error) {
    if (!(error instanceof ReleaseFormatError)) throw error;
  }
  await rm(path, { force: true });
  return null;
}

/** Reads the file into an ArrayBuffer of its own, so that its sections are aligned views; null if it is missing. */
async function readWhole(path: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const file = await open(path, 'r').catch(() => null);
  if (file === null) return null;
  try {
    const bytes = new Uint8Array((await file.stat()).size);
    for (let at = 0; at < bytes.length;) {
      const { bytesRead } = await file.read(bytes, at, bytes.length - at, at);
      if (bytesRead === 0) return bytes.slice(0, at);
      at += bytesRead;
    }
    return bytes;
  } finally {
    await file.close();
  }
}

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const held: Uint8Array[] = [];
  for await (const piece of pieces) held.push(piece);
  const bytes = new Uint8Array(held.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of held) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** The active release; null before one is active. */
export async function activeRelease(home: string, repository: ReleaseRepository): Promise<Release | null> {
  const id = await repository.activeId();
  return id === null ? null : new ReleaseCache(home, repository).load(id);
}
