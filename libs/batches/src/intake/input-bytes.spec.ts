import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { UploadLimiter, inputBytes, limitUpload } from './input-bytes';
import { type FoundText, WorkbookMemory, inputText } from './input-text';
import { workbookOf } from '../../../../test/support/reference-data/table-files';

describe('a gzip bomb', () => {
  const MIB = 1024 ** 2;
  const zeros = gzipSync(Buffer.alloc(64 * MIB), { level: 9 });

  async function inflated(...pieces: Buffer[]): Promise<{ bytes: number; code: unknown }> {
    let bytes = 0;
    try {
      for await (const { length } of inputBytes(Readable.from(pieces), createHash('sha256'))) bytes += length;
    } catch (error) {
      return { bytes, code: (error as { code?: unknown }).code };
    }
    return { bytes, code: null };
  }

  it('is refused after the first megabyte of output, even if all of it has arrived', async () => {
    const whole = Buffer.concat(Array.from({ length: 12 }, () => zeros)); // 0.78 MB for 768 MB
    const slices = Array.from({ length: Math.ceil(whole.length / 1000) }, (_, n) =>
      whole.subarray(1000 * n, 1000 * (n + 1)),
    );
    for (const { bytes, code } of [await inflated(whole), await inflated(...slices)]) {
      expect(code).toBe('gzip_bomb');
      expect(bytes).toBeGreaterThan(0.9 * MIB);
      expect(bytes).toBeLessThanOrEqual(MIB);
    }
  });

  it('is refused at 100 times the bytes read if incompressible bytes precede it', async () => {
    const start = gzipSync(randomBytes(100_000));
    const { bytes, code } = await inflated(Buffer.concat([start, zeros, zeros]));
    expect(code).toBe('gzip_bomb');
    expect(bytes).toBeGreaterThan(10_000_000);
    expect(bytes).toBeLessThan(15_000_000);
  });

  it('is not inflated if it is the content of another gzip', async () => {
    expect(await inflated(gzipSync(zeros))).toEqual({ bytes: zeros.length, code: null });
  });

  it('is not suspected below a megabyte, or in text', async () => {
    expect(await inflated(gzipSync(Buffer.alloc(MIB)))).toEqual({ bytes: MIB, code: null });
    const rows = Array.from({ length: 200_000 }, (_, n) => `Mary,Garcia,2016-10-01,${n}\n`).join('');
    expect(await inflated(gzipSync(rows))).toEqual({ bytes: rows.length, code: null });
  });
});

describe('the text of an input', () => {
  const memory = new WorkbookMemory(1024 ** 2);
  async function textOf(bytes: Buffer, size: number, sheet?: string, found: FoundText = {}): Promise<string> {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
      bytes.subarray(size * n, size * (n + 1)),
    );
    const text: Buffer[] = [];
    const input = inputBytes(Readable.from(pieces), createHash('sha256'));
    for await (const piece of inputText(input, { format: 'csv', sheet }, found, memory)) text.push(piece);
    return Buffer.concat(text).toString();
  }
  const sheetOf = (text: string): Promise<Buffer> =>
    workbookOf({ Notes: '', Donors: `<row><c t="str"><v>name</v></c></row><row><c t="str"><v>${text}</v></c></row>` });

  it('is UTF-16 in either byte order, or a sheet, for any pieces of input', async () => {
    const csv = 'name,date\nJos\u00e9 \u{1f600},2016-10-31\n';
    const littleEndian = Buffer.from(`\ufeff${csv}`, 'utf16le');
    const bigEndian = Buffer.from(littleEndian).swap16();
    const workbook = await sheetOf('Jos\u00e9');
    for (const size of [1, 3, 1000]) {
      for (const bytes of [littleEndian, bigEndian, gzipSync(littleEndian), Buffer.from(csv)])
        expect(await textOf(bytes, size)).toBe(csv);
      for (const bytes of [workbook, gzipSync(workbook)])
        expect(await textOf(bytes, size, 'donors')).toBe('name\nJos\u00e9\n');
    }
    const found: FoundText = {};
    await textOf(workbook, 1000, '2', found);
    expect(found).toEqual({ sheet: 'Donors', sheets: ['Notes', 'Donors'] });
    await expect(textOf(Buffer.from(csv), 1000, '2')).rejects.toMatchObject({ code: 'unknown_sheet' });
  });

  it('is refused if the input is named .xlsx and is not a workbook', async () => {
    const text = (name: string, bytes: string): Promise<string> => {
      const input = inputBytes(Readable.from([Buffer.from(bytes, 'latin1')]), createHash('sha256'));
      return buffer(Readable.from(inputText(input, { format: 'csv', name }, {}, memory))).then(String);
    };
    await expect(text('Donors.XLSX', 'hello')).rejects.toMatchObject({ code: 'not_text', status: 400 });
    expect(await text('donors.csv', 'hello')).toBe('hello');
    // The reader of the header refuses an encrypted workbook with its own message
    expect(await text('donors.xlsx', '\xd0\xcf\x11\xe0')).not.toBe('');
  });

  it('keeps the memory of all workbooks within its limit, and releases it at their end', async () => {
    const workbook = await sheetOf('Mary');
    await Promise.all(Array.from({ length: 20 }, () => textOf(workbook, 1000, '2').catch(() => '')));
    const all = memory.open();
    all.hold(1024 ** 2);
    await expect(textOf(workbook, 1000, '2')).rejects.toMatchObject({ code: 'busy', status: 503 });
    all.release();
    expect(await textOf(workbook, 1000, '2')).toBe('name\nMary\n');
  });
});

const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  let is = false;
  promise.then(
    () => (is = true),
    () => (is = true),
  );
  await new Promise((done) => setImmediate(done));
  return is;
};

describe('the upload limiter', () => {
  const limits = { all: 3, ofKey: 2, waitMs: 60_000 };

  it('admits so many uploads, and so many of one key; the next one enters when a slot is released', async () => {
    const limiter = new UploadLimiter(limits);
    const first = await limiter.acquire('a');
    await limiter.acquire('a');
    const third = limiter.acquire('a');
    expect(await settled(third)).toBe(false);
    const other = await limiter.acquire('b'); // another key does not wait for this one
    const late = limiter.acquire('c');
    expect(await settled(late)).toBe(false);
    first();
    first(); // has no further effect
    expect([await settled(third), await settled(late)]).toEqual([false, true]); // another key goes first
    other();
    expect(await settled(third)).toBe(true);
  });

  it('ends the wait after its limit, and when the client disconnects', async () => {
    const shortWait = new UploadLimiter({ ...limits, all: 1, waitMs: 1 });
    const release = await shortWait.acquire('a');
    await expect(shortWait.acquire('b')).rejects.toMatchObject({ code: 'busy' });
    const limiter = new UploadLimiter({ ...limits, all: 1 });
    const releaseFirst = await limiter.acquire('a');
    const sender = new AbortController();
    const waiting = limiter.acquire('b', sender.signal);
    sender.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'aborted' });
    for (const [one, free] of [
      [shortWait, release],
      [limiter, releaseFirst],
    ] as const) {
      free();
      expect(await settled(one.acquire('c'))).toBe(true); // an ended wait takes no slot
    }
  });

  it('gives each upload one slot, and only after its first bytes', async () => {
    const pieces = async function* (...sizes: number[]): AsyncGenerator<Buffer, void> {
      for (const size of sizes) yield await Promise.resolve(Buffer.alloc(size));
    };
    let taken = 0;
    const read = async (...sizes: number[]): Promise<number> => {
      let bytes = 0;
      const take = (): Promise<void> => Promise.resolve(void taken++);
      for await (const { length } of limitUpload(pieces(...sizes), 10, take)) bytes += length;
      return bytes;
    };
    expect(await read(5, 5)).toBe(10);
    expect(taken).toBe(0);
    expect(await read(5, 5, 5, 5)).toBe(20);
    expect(taken).toBe(1);
  });
});
