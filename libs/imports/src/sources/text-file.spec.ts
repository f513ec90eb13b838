import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { zipped } from '../../../../test/support/fec-data/itcont';
import { ImportError } from '../import-error';
import { openText } from './text-file';

const WANTED = { member: 'itcont.txt', ignored: /^by_date\// };
/** Larger than a piece, and not to be packed away to nothing. */
const TEXT = Array.from({ length: 30_000 }, (_, i) => `${i * 7919}|line\n`).join('');

describe('a text file', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'donorlens-text-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const written = (bytes: Buffer | string, name = 'file'): string => {
    writeFileSync(join(folder, name), bytes);
    return join(folder, name);
  };
  const read = async (bytes: Buffer | string): Promise<string> => {
    const text = await openText(written(bytes), WANTED);
    try {
      const pieces: Buffer[] = [];
      for await (const piece of text.pieces()) pieces.push(piece);
      return Buffer.concat(pieces).toString('latin1');
    } finally {
      text.close();
    }
  };
  const refusal = async (bytes: Buffer | string): Promise<ImportError> => {
    const error: unknown = await read(bytes).catch((thrown: unknown) => thrown);
    if (error instanceof ImportError) return error;
    throw new Error(`not refused: ${String(error)}`);
  };

  it('is read as plain text, gzip, or member of a zip', async () => {
    expect(await read(TEXT)).toBe(TEXT);
    expect(await read(gzipSync(TEXT))).toBe(TEXT);
    expect(await read(await zipped({ 'itcont.txt': TEXT }))).toBe(TEXT);
    expect(await read('')).toBe('');
  });

  it('states its size if it is known', async () => {
    const bytesOf = async (bytes: Buffer | string): Promise<number | null> => {
      const text = await openText(written(bytes), WANTED);
      text.close();
      return text.bytes;
    };
    expect(await bytesOf(TEXT)).toBe(TEXT.length);
    expect(await bytesOf(await zipped({ 'itcont.txt': TEXT }))).toBe(TEXT.length);
    expect(await bytesOf(gzipSync(TEXT))).toBeNull();
  });

  it('is the member outside of folders, although others have the same rows by date', async () => {
    const zip = await zipped({ 'by_date/itcont_2016_20150101.txt': 'twice\n', 'itcont.txt': 'once\n' });
    expect(await read(zip)).toBe('once\n');
  });

  it.each([
    [{ 'itcont.txt': 'a', 'evil.txt': 'b' }, /holds "evil\.txt" where only itcont\.txt should be/],
    [{ 'by_date/itcont.txt': 'a' }, /holds no itcont\.txt/],
    [{ 'other/itcont.txt': 'a' }, /holds "other\/itcont\.txt"/],
  ])('is not read from a zip with %j', async (members, message) => {
    const error = await refusal(await zipped(members));
    expect(error.code).toBe('unexpected_member');
    expect(error.message).toMatch(message);
  });

  it('is damaged if a zip or gzip is truncated', async () => {
    const [zip, gzip] = [await zipped({ 'itcont.txt': TEXT }), gzipSync(TEXT)];
    for (const whole of [zip, gzip])
      for (const bytes of [20, whole.length >> 1, whole.length - 1])
        expect((await refusal(whole.subarray(0, bytes))).code).toBe('damaged_file');
  });

  it('is damaged if a single byte differs', async () => {
    const zip = await zipped({ 'itcont.txt': TEXT });
    zip[zip.length >> 1] ^= 1;
    expect((await refusal(zip)).code).toBe('damaged_file');
  });

  it('is damaged if its size or checksum differs from the directory', async () => {
    const zip = await zipped({ 'itcont.txt': TEXT });
    const directory = zip.indexOf('PK\x01\x02', 0, 'latin1');
    const changed = (offset: number): Buffer => {
      const copy = Buffer.from(zip);
      copy.writeUInt32LE(copy.readUInt32LE(directory + offset) + 1, directory + offset);
      return copy;
    };
    expect((await refusal(changed(24))).message).toMatch(/is not of \d+ bytes as the directory says/);
    expect((await refusal(changed(16))).message).toMatch(/CRC-32 differs/);
  });

  it('is not unpacked beyond the size in the directory', async () => {
    const zip = await zipped({ 'itcont.txt': '\n'.repeat(64 << 20) });
    zip.writeUInt32LE(1_000_000, zip.indexOf('PK\x01\x02', 0, 'latin1') + 24);
    const text = await openText(written(zip), WANTED);
    let bytes = 0;
    const reading = (async () => {
      for await (const piece of text.pieces()) bytes += piece.length;
    })();
    await expect(reading).rejects.toThrow('is not of 1000000 bytes as the directory says');
    text.close();
    expect(bytes).toBeLessThanOrEqual(1_000_000);
  });

  it('must exist', async () => {
    await expect(openText(join(folder, 'none'), WANTED)).rejects.toMatchObject({ code: 'no_file' });
    await expect(openText(folder, WANTED)).rejects.toMatchObject({ code: 'no_file' });
  });

  it('may be closed before its end', async () => {
    const zip = await zipped({ 'itcont.txt': TEXT });
    const text = await openText(written(zip, 'left.zip'), WANTED);
    for await (const piece of text.pieces()) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    text.close();
  });
});
