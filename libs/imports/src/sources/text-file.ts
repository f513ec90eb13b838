import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { type Readable, pipeline } from 'node:stream';
import { crc32, createGunzip, createInflateRaw } from 'node:zlib';
import * as yauzl from 'yauzl';
import { ImportError } from '../import-error';

const STORED = 0;
const DEFLATED = 8;
/** Each piece is a trip to a thread and back: few large ones are several times faster than the usual 16 kB. */
const PIECE_BYTES = 256 * 1024;
/** A daily zip of filings has a few thousand. */
const MAX_MEMBERS = 100_000;

/** A zip on disk, of any size, of whose members one is read at a time. */
export class ZipArchive {
  private constructor(
    private readonly file: string,
    private readonly zip: yauzl.ZipFile,
    readonly members: readonly yauzl.Entry[],
  ) {}

  /** @throws ImportError `damaged_file` where the directory at its end cannot be read: it is cut off, or no zip */
  static async open(file: string): Promise<ZipArchive> {
    const zip = await yauzl.openPromise(file, { lazyEntries: true, autoClose: false }).catch((error: unknown) => {
      throw damaged(file, `no readable zip (${messageOf(error)})`);
    });
    try {
      return new ZipArchive(file, zip, await membersOf(zip));
    } catch (error) {
      zip.close();
      throw damaged(file, `no readable zip (${messageOf(error)})`);
    }
  }

  /**
   * The bytes of a member, unpacked. A reader who has come to the end knows that size and CRC-32 are those of the
   * directory.
   * @throws ImportError `damaged_file`
   */
  async *pieces(member: yauzl.Entry): AsyncGenerator<Buffer, void> {
    const { fileName, uncompressedSize } = member;
    let sum = 0;
    let bytes = 0;
    const stream = await this.unpacked(member);
    try {
      for await (const piece of stream as AsyncIterable<Buffer>) {
        sum = crc32(piece, sum);
        bytes += piece.length;
        if (bytes > uncompressedSize) break;
        yield piece;
      }
    } catch (error) {
      throw damaged(this.file, `${fileName} cannot be unpacked (${messageOf(error)})`);
    } finally {
      stream.destroy();
    }
    if (bytes !== uncompressedSize)
      throw damaged(this.file, `${fileName} is not of ${uncompressedSize} bytes as the directory says`);
    if (sum !== member.crc32) throw damaged(this.file, `${fileName} is damaged (CRC-32 differs)`);
  }

  close(): void {
    this.zip.close();
  }

  private async unpacked(member: yauzl.Entry): Promise<Readable> {
    const { fileName, compressionMethod: method } = member;
    if (member.isEncrypted()) throw damaged(this.file, `${fileName} is encrypted`);
    if (method !== STORED && method !== DEFLATED)
      throw damaged(this.file, `${fileName} uses compression method ${method}`);
    const packed = await this.zip.openReadStreamPromise(member, { decodeFileData: false }).catch((error: unknown) => {
      throw damaged(this.file, `${fileName} cannot be read (${messageOf(error)})`);
    });
    if (method === STORED) return packed;
    const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
    return pipeline(packed, inflate, () => undefined); // what fails on the way, the reader of its end hears
  }
}

async function membersOf(zip: yauzl.ZipFile): Promise<yauzl.Entry[]> {
  if (zip.entryCount > MAX_MEMBERS) throw new Error(`${zip.entryCount} members`);
  const members: yauzl.Entry[] = [];
  for await (const entry of zip.eachEntry()) members.push(entry);
  return members;
}

const damaged = (file: string, what: string): ImportError =>
  new ImportError('damaged_file', `${file}: ${what}`, { file });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A text of any size, read in pieces. */
export interface TextFile {
  /** Unpacked; null where the file does not say. */
  readonly bytes: number | null;
  /** Its packing can tell whether anything is missing or damaged. */
  readonly isPacked: boolean;
  /** Once only. To have come to its end is to know that nothing is missing, as far as the packing can tell. */
  pieces(): AsyncGenerator<Buffer, void>;
  close(): void;
}

/** Which member of a zip is meant. */
export interface MemberOf {
  /** Its whole name; members of that name in folders are others. */
  readonly member: string;
  /** Beside it by the publisher's habit. */
  readonly ignored: RegExp;
}

/**
 * Opens a plain text, a gzip file, or one member of a zip, distinguished by the first bytes.
 * @throws ImportError `no_file`, `damaged_file`, `unexpected_member`
 */
export async function openText(file: string, wanted: MemberOf): Promise<TextFile> {
  const { bytes, magic } = await lookAt(file);
  if (magic.startsWith('504b')) return openMember(file, wanted);
  if (magic.startsWith('1f8b')) return gzipped(file);
  return { bytes, isPacked: false, pieces: () => plain(file), close: () => undefined };
}

/**
 * Unpacks all of a packed file and keeps nothing: seconds for what takes minutes to import, and no row of a damaged file
 * is stored. @throws ImportError as above
 */
export async function verifyFile(file: string, wanted: MemberOf, signal: AbortSignal): Promise<void> {
  const text = await openText(file, wanted);
  try {
    if (text.isPacked) for await (const piece of text.pieces()) if (piece.length > 0) signal.throwIfAborted();
  } finally {
    text.close();
  }
}

async function lookAt(file: string): Promise<{ bytes: number; magic: string }> {
  let handle: FileHandle | undefined;
  try {
    const { size } = await stat(file);
    handle = await open(file);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return { bytes: size, magic: buffer.toString('hex', 0, bytesRead) };
  } catch (error) {
    throw unreadable(file, error);
  } finally {
    await handle?.close();
  }
}

async function openMember(file: string, { member, ignored }: MemberOf): Promise<TextFile> {
  const zip = await ZipArchive.open(file);
  try {
    const others = zip.members.map(({ fileName }) => fileName).filter((name) => name !== member);
    const strange = others.find((name) => !ignored.test(name));
    if (strange !== undefined) throw unexpected(file, `holds ${printable(strange)} where only ${member} should be`);
    const found = zip.members.filter(({ fileName }) => fileName === member);
    if (found.length !== 1) throw unexpected(file, `holds ${found.length === 0 ? 'no' : 'more than one'} ${member}`);
    const pieces = (): AsyncGenerator<Buffer, void> => zip.pieces(found[0]);
    return { bytes: found[0].uncompressedSize, isPacked: true, pieces, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error;
  }
}

function gzipped(file: string): TextFile {
  const source = createReadStream(file, { highWaterMark: PIECE_BYTES });
  async function* pieces(): AsyncGenerator<Buffer, void> {
    const text = pipeline(source, createGunzip({ chunkSize: PIECE_BYTES }), () => undefined);
    try {
      yield* text as AsyncIterable<Buffer>;
    } catch (error) {
      throw new ImportError('damaged_file', `${file}: cannot be unpacked (${messageOf(error)})`, { file });
    }
  }
  return { bytes: null, isPacked: true, pieces, close: () => source.destroy() };
}

async function* plain(file: string): AsyncGenerator<Buffer, void> {
  try {
    yield* createReadStream(file, { highWaterMark: PIECE_BYTES }) as AsyncIterable<Buffer>;
  } catch (error) {
    throw unreadable(file, error);
  }
}

const unreadable = (file: string, error: unknown): ImportError =>
  new ImportError('no_file', `${file}: cannot be read (${messageOf(error)})`, { file });

const unexpected = (file: string, what: string): ImportError =>
  new ImportError('unexpected_member', `${file}: ${what}`, { file });

const printable = (name: string): string => JSON.stringify(name.slice(0, 80));
