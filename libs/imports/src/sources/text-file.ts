import { createReadStream } from 'node:fs';
import { type FileHandle, open, stat } from 'node:fs/promises';
import { type Readable, pipeline } from 'node:stream';
import { crc32, createGunzip, createInflateRaw } from 'node:zlib';
import * as yauzl from 'yauzl';
import { ImportError } from '../import-error';

const STORED = 0;
const DEFLATED = 8;
/** Each piece is a round trip to the thread pool: large pieces are several times as fast as the default of 16 kB. */
const PIECE_BYTES = 256 * 1024;
/** A daily zip of filings has a few thousand members. */
const MAX_MEMBERS = 100_000;

/** A zip file of any size. One member is read at a time. */
export class ZipArchive {
  private constructor(
    private readonly file: string,
    private readonly zip: yauzl.ZipFile,
    readonly members: readonly yauzl.Entry[],
  ) {}

  /** @throws ImportError `damaged_file` if the directory at its end cannot be read: the file is truncated or no zip */
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
   * The unpacked bytes of a member. At the end, size and CRC-32 have been compared with the directory of the zip.
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
    return pipeline(packed, inflate, () => undefined); // the reader of `inflate` gets errors of both streams
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

/** A text file of any size that is read in pieces. */
export interface TextFile {
  /** Unpacked size; null if the file does not state it. */
  readonly bytes: number | null;
  /** True if the file is compressed: then reading to the end shows whether it is complete and undamaged. */
  readonly isPacked: boolean;
  /** Can be called once. Throws before the end if the compressed file is truncated or damaged. */
  pieces(): AsyncGenerator<Buffer, void>;
  close(): void;
}

/** The member of a zip to read. */
export interface MemberOf {
  /** Full name, including folders. */
  readonly member: string;
  /** Other members that the zip may have. */
  readonly ignored: RegExp;
}

/**
 * Opens a plain text, a gzip file, or one member of a zip; the first bytes decide.
 * @throws ImportError `no_file`, `damaged_file`, `unexpected_member`
 */
export async function openText(file: string, wanted: MemberOf): Promise<TextFile> {
  const { bytes, magic } = await lookAt(file);
  if (magic.startsWith('504b')) return openMember(file, wanted);
  if (magic.startsWith('1f8b')) return gzipped(file);
  return { bytes, isPacked: false, pieces: () => plain(file), close: () => undefined };
}

/**
 * Unpacks a compressed file to its end before the import, so that no row of a damaged file is stored. This takes
 * seconds; the import takes minutes.
 * @throws ImportError as openText
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
