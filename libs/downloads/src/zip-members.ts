import { crc32, inflateRawSync } from 'node:zlib';
import * as yauzl from 'yauzl';
import { DomainError } from '@donorlens/primitives';

/** What a publisher's zip may hold. A member that is neither wanted nor tolerated is a reason to refuse the file. */
export interface ZipContract {
  readonly wanted: RegExp;
  /** Published beside the data (a read-me, a spreadsheet of the same rows); never unpacked. */
  readonly tolerated: RegExp;
  readonly maxMembers: number;
  readonly maxMemberBytes: number;
  readonly maxTotalBytes: number;
}

/** Official files shrink to about a third; deflate's own limit is 1032. Above this it is a bomb. */
const MAX_RATIO = 60;
const STORED = 0;
const DEFLATED = 8;

/**
 * Unpacks the wanted members of a zip held in memory, by name. The stated size of each member is checked
 * before it is unpacked, unpacking stops at that size, and every member's CRC-32 is compared.
 * @param file - name of the zip for messages
 * @throws ZipError
 */
export async function unzip(file: string, bytes: Buffer, contract: ZipContract): Promise<Map<string, Buffer>> {
  try {
    return await readMembers(file, bytes, contract);
  } catch (error) {
    if (error instanceof ZipError) throw error;
    throw new ZipError(file, `not a readable zip (${error instanceof Error ? error.message : String(error)})`);
  }
}

async function readMembers(file: string, bytes: Buffer, contract: ZipContract): Promise<Map<string, Buffer>> {
  const zip = await yauzl.fromBufferPromise(bytes, { lazyEntries: true });
  const members = new Map<string, Buffer>();
  let total = 0;
  let packed = 0;
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName;
    if (members.has(name)) throw new ZipError(file, `member ${name} is there twice`);
    if (!contract.wanted.test(name)) {
      if (contract.tolerated.test(name)) continue;
      throw new ZipError(file, `unexpected member ${printable(name)}`);
    }
    total += entry.uncompressedSize;
    packed += entry.compressedSize;
    guardSizes(file, entry, contract, total);
    if (members.size >= contract.maxMembers) throw new ZipError(file, `more than ${contract.maxMembers} members`);
    if (packed > bytes.length) throw new ZipError(file, 'members overlap');
    members.set(name, await unpack(file, zip, entry, bytes));
  }
  if (members.size === 0) throw new ZipError(file, `no member like ${contract.wanted.source}`);
  return members;
}

function guardSizes(file: string, entry: yauzl.Entry, contract: ZipContract, total: number): void {
  const { fileName, compressedSize, uncompressedSize } = entry;
  if (uncompressedSize > contract.maxMemberBytes)
    throw new ZipError(file, `${fileName} unpacks to ${uncompressedSize} bytes, more than ${contract.maxMemberBytes}`);
  if (total > contract.maxTotalBytes) throw new ZipError(file, `unpacks to more than ${contract.maxTotalBytes} bytes`);
  if (uncompressedSize > MAX_RATIO * Math.max(compressedSize, 64))
    throw new ZipError(file, `${fileName} is packed more than ${MAX_RATIO} times, which no published file is`);
}

async function unpack(file: string, zip: yauzl.ZipFile, entry: yauzl.Entry, bytes: Buffer): Promise<Buffer> {
  const { fileName, compressionMethod, compressedSize, uncompressedSize } = entry;
  if (entry.isEncrypted()) throw new ZipError(file, `${fileName} is encrypted`);
  const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
  const packed = bytes.subarray(fileDataStart, fileDataStart + compressedSize);
  if (packed.length !== compressedSize) throw new ZipError(file, `${fileName} is cut off`);
  const data = inflate(file, fileName, compressionMethod, packed, uncompressedSize);
  if (data.length !== uncompressedSize)
    throw new ZipError(file, `${fileName} has ${data.length} bytes where the directory says ${uncompressedSize}`);
  if (crc32(data) !== entry.crc32) throw new ZipError(file, `${fileName} is damaged (CRC-32 differs)`);
  return data;
}

function inflate(file: string, member: string, method: number, packed: Buffer, size: number): Buffer {
  if (method === STORED) return packed;
  if (method !== DEFLATED) throw new ZipError(file, `${member} uses compression method ${method}`);
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch (error) {
    const why = error instanceof RangeError ? `unpacks to more than the stated ${size} bytes` : 'is damaged';
    throw new ZipError(file, `${member} ${why}`);
  }
}

const printable = (name: string): string => JSON.stringify(name.slice(0, 80));

/** A zip that cannot be read, or that holds something else than its publisher puts in. */
export class ZipError extends DomainError {
  readonly code = 'zip_file';

  constructor(
    readonly file: string,
    what: string,
  ) {
    super(`${file}: ${what}`, { file });
  }
}
