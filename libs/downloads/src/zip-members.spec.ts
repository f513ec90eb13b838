import { buffer } from 'node:stream/consumers';
import zlib from 'node:zlib';
import { ZipFile } from 'yazl';
import { storedZip } from '../../../test/support/sample-data/stored-zip';
import { ZipError, unzip } from './zip-members';

const CONTRACT = {
  wanted: /^\w+\.txt$/,
  tolerated: /\.pdf$/,
  maxMembers: 3,
  maxMemberBytes: 1 << 20,
  maxTotalBytes: 1 << 21,
};
const read = (bytes: Buffer, contract = CONTRACT) => unzip('names.zip', bytes, contract);

function packed(members: Record<string, Buffer>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, data] of Object.entries(members)) zip.addBuffer(data, name, { compress: true });
  zip.end();
  return buffer(zip.outputStream);
}

const LINES = Buffer.from(Array.from({ length: 3000 }, (_, i) => `line ${(i * 7919) % 3000}\n`).join(''));
const directoryOf = (zip: Buffer): number => zip.readUInt32LE(zip.length - 6);

describe('unzip', () => {
  it('unpacks wanted members, stored and deflated, and ignores tolerated ones', async () => {
    const stored = await read(
      storedZip(
        new Map([
          ['a.txt', LINES],
          ['read.pdf', Buffer.from('x')],
        ]),
      ),
    );
    const deflated = await read(await packed({ 'a.txt': LINES, 'b.txt': Buffer.alloc(0) }));
    expect([[...stored.keys()], [...deflated.keys()]]).toEqual([['a.txt'], ['a.txt', 'b.txt']]);
    expect([stored.get('a.txt')?.equals(LINES), deflated.get('a.txt')?.equals(LINES)]).toEqual([true, true]);
  });

  it.each<[string, (zip: Buffer) => Buffer, RegExp]>([
    ['no zip at all', () => Buffer.from('<html>blocked</html>'), /not a readable zip/],
    ['an empty file', () => Buffer.alloc(0), /not a readable zip/],
    ['a zip cut in the middle', (zip) => zip.subarray(0, zip.length >> 1), /not a readable zip/],
    ['a zip without its end', (zip) => zip.subarray(0, zip.length - 4), /not a readable zip/],
    ['a flipped bit in the data', (zip) => flipped(zip, 600), /is damaged/],
    ['a smaller size in the directory', (zip) => withSize(zip, LINES.length - 1), /stated|damaged/],
    ['a larger size in the directory', (zip) => withSize(zip, LINES.length + 1), /where the directory says/],
    ['another checksum in the directory', (zip) => flipped(zip, directoryOf(zip) + 16), /CRC-32/],
  ])('refuses %s', async (_what, damage, message) => {
    const bad = damage(Buffer.from(await packed({ 'a.txt': LINES })));
    const result = read(bad);
    await expect(result).rejects.toThrow(ZipError);
    await expect(result).rejects.toThrow(message);
  });

  it('rejects an unknown member', async () => {
    await expect(
      read(
        storedZip(
          new Map([
            ['a.txt', LINES],
            ['run.exe', LINES],
          ]),
        ),
      ),
    ).rejects.toThrow('names.zip: unexpected member "run.exe"');
    await expect(read(await packed({ 'x/a.txt': LINES }))).rejects.toThrow('unexpected member');
  });

  it('rejects a zip bomb before unpacking it, by ratio and size', async () => {
    await expect(read(await packed({ 'a.txt': Buffer.alloc(1_000_000) }))).rejects.toThrow('packed more than 60 times');
    await expect(read(storedZip(new Map([['a.txt', Buffer.alloc((1 << 20) + 1)]])))).rejects.toThrow(
      'more than 1048576',
    );
    const many = new Map(['a', 'b', 'c'].map((name) => [`${name}.txt`, Buffer.alloc(1 << 20)]));
    await expect(read(storedZip(many))).rejects.toThrow('unpacks to more than 2097152 bytes');
  });

  it('inflates a zip bomb only up to the size in its directory', async () => {
    const bomb = withSize(await packed({ 'a.txt': Buffer.alloc(64 << 20) }), 100_000);
    const inflate = jest.spyOn(zlib, 'inflateRawSync');
    await expect(read(bomb)).rejects.toThrow('unpacks to more than the stated 100000 bytes');
    expect(inflate.mock.calls.map(([, options]) => options?.maxOutputLength)).toEqual([100_000]);
    inflate.mockRestore();
  });

  it('rejects repeated, too many, or no members', async () => {
    const twice = storedZip(
      new Map([
        ['a.txt', LINES],
        ['b.txt', LINES],
      ]),
    );
    for (let at = twice.indexOf('b.txt'); at >= 0; at = twice.indexOf('b.txt', at)) twice.write('a.txt', at);
    await expect(read(twice)).rejects.toThrow('a.txt is there twice');
    const four = new Map(['a', 'b', 'c', 'd'].map((name) => [`${name}.txt`, Buffer.from(name)]));
    await expect(read(storedZip(four))).rejects.toThrow('more than 3 members');
    await expect(read(storedZip(new Map([['read.pdf', LINES]])))).rejects.toThrow('no member like');
  });
});

function flipped(zip: Buffer, at: number): Buffer {
  zip[at] ^= 1;
  return zip;
}

function withSize(zip: Buffer, size: number): Buffer {
  zip.writeUInt32LE(size, directoryOf(zip) + 24);
  return zip;
}
