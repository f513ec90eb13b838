import { type Readable, pipeline } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import * as yauzl from 'yauzl';
import { ImportError } from '../import-error';

const STORED = 0;
const DEFLATED = 8;
/** Each piece is a trip to a thread and back: few large ones are several times faster than the usual 16 kB. */
export const PIECE_BYTES = 256 * 1024;
/** A daily zip of filings has a few thousand. */
const MOST_MEMBERS = 100_000;

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
      throw damaged(file, `no readable zip (${said(error)})`);
    });
    try {
      return new ZipArchive(file, zip, await membersOf(zip));
    } catch (error) {
      zip.close();
      throw damaged(file, `no readable zip (${said(error)})`);
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
      throw damaged(this.file, `${fileName} cannot be unpacked (${said(error)})`);
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
      throw damaged(this.file, `${fileName} cannot be read (${said(error)})`);
    });
    if (method === STORED) return packed;
    const inflate = createInflateRaw({ chunkSize: PIECE_BYTES });
    return pipeline(packed, inflate, () => undefined); // what fails on the way, the reader of its end hears
  }
}

async function membersOf(zip: yauzl.ZipFile): Promise<yauzl.Entry[]> {
  if (zip.entryCount > MOST_MEMBERS) throw new Error(`${zip.entryCount} members`);
  const members: yauzl.Entry[] = [];
  for await (const entry of zip.eachEntry()) members.push(entry);
  return members;
}

const damaged = (file: string, what: string): ImportError =>
  new ImportError('damaged_file', `${file}: ${what}`, { file });

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));
