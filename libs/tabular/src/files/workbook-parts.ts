import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { DomainError } from '@donorlens/primitives';
import { SaxesParser } from 'saxes';
import { type Entry, RandomAccessReader, type ZipFile, fromRandomAccessReaderPromise } from 'yauzl';

/** Limits of one workbook. A workbook that exceeds one is refused; nothing is truncated. */
export const WORKBOOK_LIMITS = {
  /** Maximum size of the file, which is held in memory, because the directory of a zip is at its end. */
  bytes: 96 * 1024 ** 2,
  entries: 10_000,
  /** Uncompressed: a list of sheets or styles, and a sheet, which is read as a stream. */
  partBytes: 16 * 1024 ** 2,
  sheetBytes: 4 * 1024 ** 3,
  /** Uncompressed: the part of shared texts, and those texts without markup, which are held in memory. */
  stringPartBytes: 512 * 1024 ** 2,
  stringBytes: 96 * 1024 ** 2,
  /** Sheets shrink to a tenth or a thirtieth; smaller parts are not checked. */
  ratio: 200,
  freeBytes: 16 * 1024 ** 2,
  /** XML between two tags, and of a row or a shared text. A cell has at most 32,767 characters. */
  tagBytes: 1024 ** 2,
  rowBytes: 32 * 1024 ** 2,
  depth: 64,
} as const;

export type WorkbookErrorCode =
  | 'bad_workbook'
  | 'bad_header'
  | 'bad_cell'
  | 'unknown_sheet'
  | 'not_text'
  | 'empty_input'
  | 'too_many_columns'
  | 'record_too_long'
  | 'too_large'
  | 'zip_bomb';

/** A workbook that cannot be read. `values.cell` names the cell, if there is one. */
export class WorkbookError extends DomainError {
  constructor(
    readonly code: WorkbookErrorCode,
    message: string,
    cell?: string,
  ) {
    super(message, cell === undefined ? {} : { cell });
  }
}

const damaged = (): WorkbookError =>
  new WorkbookError('bad_workbook', 'the workbook is damaged or incomplete; save it again, or as CSV');

/** Counts bytes that are held in memory. */
export type Hold = (bytes: number) => void;

const BLOCK_BYTES = 256 * 1024;

/** The bytes of a zip, in blocks, for access at any position. */
class StoredZip extends RandomAccessReader {
  private readonly blocks: Buffer[] = [];
  length = 0;

  constructor(private readonly hold: Hold) {
    super();
  }

  append(piece: Buffer): void {
    if (this.length + piece.length > WORKBOOK_LIMITS.bytes)
      throw new WorkbookError('too_large', 'the workbook is larger than 96 MB; send it in parts, or as CSV');
    for (let at = 0; at < piece.length;) {
      const offset = this.length % BLOCK_BYTES;
      if (offset === 0) {
        this.hold(BLOCK_BYTES);
        this.blocks.push(Buffer.allocUnsafeSlow(BLOCK_BYTES));
      }
      const copied = piece.copy(this.blocks[this.blocks.length - 1], offset, at);
      at += copied;
      this.length += copied;
    }
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.slices(start, end), { objectMode: false });
  }

  private *slices(start: number, end: number): Generator<Buffer, void> {
    for (let at = start; at < end;) {
      const offset = at % BLOCK_BYTES;
      const slice = this.blocks[Math.floor(at / BLOCK_BYTES)].subarray(offset, offset + end - at);
      yield slice;
      at += slice.length;
    }
  }
}

/** The parts of a workbook: files of a zip. */
export class WorkbookParts {
  private constructor(
    private readonly zip: ZipFile,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  /** @throws WorkbookError */
  static async open(pieces: AsyncIterable<Buffer>, hold: Hold): Promise<WorkbookParts> {
    const stored = new StoredZip(hold);
    for await (const piece of pieces) stored.append(piece);
    const entries = new Map<string, Entry>();
    try {
      const zip = await fromRandomAccessReaderPromise(stored, stored.length, { autoClose: false, lazyEntries: true });
      if (zip.entryCount > WORKBOOK_LIMITS.entries)
        throw new WorkbookError('zip_bomb', `the workbook has more than ${WORKBOOK_LIMITS.entries} parts`);
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry);
      return new WorkbookParts(zip, entries);
    } catch (error) {
      throw error instanceof WorkbookError ? error : damaged();
    }
  }

  /** Names in lower case: programs differ in their case. */
  get names(): readonly string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name.toLowerCase());
  }

  /** Reads the XML of a part. */
  async read(name: string, visitor: XmlVisitor, maxBytes: number = WORKBOOK_LIMITS.partBytes): Promise<void> {
    const xml = new XmlReader(visitor);
    for await (const piece of this.bytes(name, maxBytes)) xml.write(piece);
    xml.close();
  }

  /** The bytes of a part, with its stated size and checksum compared. @throws WorkbookError */
  async *bytes(name: string, maxBytes: number): AsyncGenerator<Buffer, void> {
    const entry = this.entries.get(name.toLowerCase());
    if (entry === undefined) throw damaged();
    checkSize(entry, maxBytes);
    let sum = 0;
    try {
      const source = (await this.zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>;
      for await (const piece of source) {
        sum = crc32(piece, sum);
        yield piece;
      }
    } catch {
      throw damaged();
    }
    if (sum !== entry.crc32) throw damaged();
  }
}

/** Checks the sizes in the directory. Reading fails if they are exceeded. */
function checkSize({ compressedSize, uncompressedSize }: Entry, maxBytes: number): void {
  const { ratio, freeBytes } = WORKBOOK_LIMITS;
  if (uncompressedSize > freeBytes && uncompressedSize > ratio * compressedSize)
    throw new WorkbookError('zip_bomb', `a part of the workbook inflates to more than ${ratio} times its size`);
  if (uncompressedSize > maxBytes)
    throw new WorkbookError('too_large', 'a part of the workbook is too large; send it in parts, or as CSV');
}

export type XmlAttributes = Readonly<Record<string, string | undefined>>;

/** Receives elements by their names without prefix. */
export interface XmlVisitor {
  /** Name of the repeated element, as a row; each may have at most `rowBytes` bytes. */
  readonly unit?: string;
  open(name: string, attributes: XmlAttributes): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Parses the XML of a part as it is inflated. */
export class XmlReader {
  private readonly parser = new SaxesParser({ position: false, xmlns: false } as const);
  private decoder: TextDecoder | undefined;
  private depth = 0;
  /** Bytes since the last tag, and since the last unit. */
  private tagBytes = 0;
  private unitBytes = 0;

  constructor(private readonly visitor: XmlVisitor) {
    this.parser.on('opentag', ({ name, attributes }) => {
      this.tagBytes = 0;
      if (++this.depth > WORKBOOK_LIMITS.depth) throw damaged();
      visitor.open(localName(name), attributes);
    });
    this.parser.on('closetag', ({ name }) => this.closeElement(localName(name)));
    this.parser.on('doctype', () => {
      throw damaged(); // the format has none
    });
    this.parser.on('text', (text) => visitor.text?.(text));
    this.parser.on('cdata', (text) => visitor.text?.(text));
  }

  /** @throws WorkbookError */
  write(piece: Buffer): void {
    this.tagBytes += piece.length;
    this.unitBytes += piece.length;
    this.decoder ??= xmlDecoder(piece);
    this.guarded(() => this.parser.write(this.decoder?.decode(piece, { stream: true }) ?? ''));
    const { tagBytes, rowBytes } = WORKBOOK_LIMITS;
    if (this.tagBytes > tagBytes || (this.visitor.unit !== undefined && this.unitBytes > rowBytes))
      throw new WorkbookError('record_too_long', 'a row or a text of the workbook is longer than it may be');
  }

  close(): void {
    this.guarded(() => this.parser.write(this.decoder?.decode() ?? '').close());
  }

  private closeElement(name: string): void {
    this.tagBytes = 0;
    if (name === this.visitor.unit) this.unitBytes = 0;
    this.depth--;
    this.visitor.close?.(name);
  }

  private guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      throw error instanceof DomainError ? error : damaged();
    }
  }
}

const localName = (name: string): string => {
  const colon = name.indexOf(':');
  return colon < 0 ? name : name.slice(colon + 1);
};

/** UTF-8, or UTF-16 by its byte order mark. */
function xmlDecoder(start: Buffer): TextDecoder {
  const mark = start.length < 2 ? 0 : start.readUInt16BE(0);
  return new TextDecoder(mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8', { fatal: true });
}
