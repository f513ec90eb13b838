import { createHash } from 'node:crypto';
import { ReleaseFormatError } from '../reference-data-error';

/**
 * A release as one immutable file, so that every replica on every machine works from the same bytes:
 *
 *     0  magic "DONORLNS"            8 bytes
 *     8  byte-order mark             u32 in the writer's order
 *    12  format version              u32
 *    16  number of sections          u32
 *    20  length of the whole file    u32
 *    24  zero                        8 bytes
 *    32  SHA-256 of all that follows 32 bytes
 *    64  section table: name (40 bytes, zero padded), element type, offset, length in bytes (u32 each), zero (12 bytes)
 *        sections, each at a multiple of 64, so that typed arrays are views of the file and nothing is copied
 */
const MAGIC = 'DONORLNS';
const BYTE_ORDER_MARK = 0x0a0b0c0d;
/** Raise it whenever a section changes its meaning; the hash of key indexes is part of the format. */
export const FORMAT_VERSION = 1;
const HEADER_BYTES = 64;
const ENTRY_BYTES = 64;
const NAME_BYTES = 40;
const ALIGNMENT = 64;
const MAX_SECTIONS = 256;
const MAX_BYTES = 1 << 30;

export type Column = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;
const TYPES = [Uint8Array, Uint16Array, Uint32Array, Int32Array, Float64Array] as const;

export type Sections = ReadonlyMap<string, Column>;

const aligned = (offset: number): number => Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
const typeOf = (column: Column): number => TYPES.findIndex((type) => column instanceof type);
const bytesOf = (column: Column): Uint8Array => new Uint8Array(column.buffer, column.byteOffset, column.byteLength);

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export async function sha256Of(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256');
  for await (const piece of stream) hash.update(piece);
  return hash.digest('hex');
}

/** Format version that the first 16 bytes of a release file state. */
export const statedFormat = (head: Uint8Array): number =>
  new DataView(head.buffer, head.byteOffset).getUint32(12, true);

/** The checksum a release file states of itself: it names the file in caches and in the database. */
export const statedChecksum = (file: Uint8Array): string =>
  Buffer.from(file.subarray(32, HEADER_BYTES)).toString('hex');

/**
 * SHA-256 over format, names, types and values of the sections: equal for equal content, independent of other metadata.
 */
export function contentHash(sections: Sections): string {
  const hash = createHash('sha256').update(`format ${FORMAT_VERSION}\n`);
  for (const [name, column] of sections)
    hash.update(`${name} ${typeOf(column)} ${column.length}\n`).update(bytesOf(column));
  return hash.digest('hex');
}

export function encodeSections(sections: Sections): Uint8Array<ArrayBuffer> {
  let offset = HEADER_BYTES + ENTRY_BYTES * sections.size;
  const offsets = [...sections.values()].map((column) => {
    const at = aligned(offset);
    offset = at + column.byteLength;
    return at;
  });
  const file = new Uint8Array(aligned(offset));
  const words = new Uint32Array(file.buffer);
  file.set(Buffer.from(MAGIC, 'latin1'), 0);
  words.set([BYTE_ORDER_MARK, FORMAT_VERSION, sections.size, file.length], 2);
  [...sections].forEach(([name, column], i) => {
    const entry = HEADER_BYTES + ENTRY_BYTES * i;
    if (name.length >= NAME_BYTES || file.length > MAX_BYTES) throw new RangeError(`section ${name} does not fit`);
    file.set(Buffer.from(name, 'latin1'), entry);
    words.set([typeOf(column), offsets[i], column.byteLength], (entry + NAME_BYTES) / 4);
    file.set(bytesOf(column), offsets[i]);
  });
  file.set(createHash('sha256').update(file.subarray(HEADER_BYTES)).digest(), 32);
  return file;
}

/**
 * Views of the sections of a release file. Aligned bytes are not copied.
 * @throws ReleaseFormatError unless it is a complete, undamaged file of this format, version and byte order
 */
export function decodeSections(given: Uint8Array<ArrayBuffer>): Map<string, Column> {
  const file = given.byteOffset % ALIGNMENT === 0 ? given : Uint8Array.from(given);
  checkHeader(file);
  const words = new Uint32Array(file.buffer, file.byteOffset, file.length >>> 2);
  const count = words[4];
  const sections = new Map<string, Column>();
  let free = HEADER_BYTES + ENTRY_BYTES * count;
  for (let i = 0; i < count; i++) {
    const entry = HEADER_BYTES + ENTRY_BYTES * i;
    const name = Buffer.from(file.buffer, file.byteOffset + entry, NAME_BYTES)
      .toString('latin1')
      .replace(/\0+$/, '');
    const [type, offset, length] = words.subarray((entry + NAME_BYTES) / 4);
    const constructor = TYPES[type];
    if (constructor === undefined) throw new ReleaseFormatError(`section ${name} has the unknown type ${type}`);
    if (offset % ALIGNMENT !== 0 || offset < free || offset + length > file.length)
      throw new ReleaseFormatError(`section ${name} lies outside the file or over another`);
    if (length % constructor.BYTES_PER_ELEMENT !== 0 || sections.has(name))
      throw new ReleaseFormatError(`section ${name} is cut or repeated`);
    sections.set(name, new constructor(file.buffer, file.byteOffset + offset, length / constructor.BYTES_PER_ELEMENT));
    free = offset + length;
  }
  return sections;
}

function checkHeader(file: Uint8Array<ArrayBuffer>): void {
  if (file.length < HEADER_BYTES || Buffer.from(file.subarray(0, 8)).toString('latin1') !== MAGIC)
    throw new ReleaseFormatError('not a donorlens release');
  const [mark, version, count, length, ...words] = new Uint32Array(file.buffer, file.byteOffset + 8, 6);
  if (mark !== BYTE_ORDER_MARK) throw new ReleaseFormatError('written on a machine with the other byte order');
  if (version !== FORMAT_VERSION)
    throw new ReleaseFormatError(`format version ${version}, this program reads ${FORMAT_VERSION}`);
  if (length !== file.length) throw new ReleaseFormatError(`${file.length} bytes where the header says ${length}`);
  if (words.some((word) => word !== 0)) throw new ReleaseFormatError('unknown fields in the header');
  if (count > MAX_SECTIONS || HEADER_BYTES + ENTRY_BYTES * count > length)
    throw new ReleaseFormatError(`${count} sections do not fit`);
  if (sha256(file.subarray(HEADER_BYTES)) !== statedChecksum(file))
    throw new ReleaseFormatError('damaged (checksum differs)');
}
