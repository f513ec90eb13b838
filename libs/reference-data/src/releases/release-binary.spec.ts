import { ReleaseFormatError } from '../reference-data-error';
import { type Release, openRelease } from './release';
import { type Column, decodeSections, encodeSections } from './release-binary';
import { SAMPLE_FOLDER, compileFolder } from '../compile-release';

const SECTIONS = new Map<string, Column>([
  ['bytes', Uint8Array.of(1, 2, 3)],
  ['numbers', Float64Array.of(0.5, -1e300)],
  ['empty', new Uint16Array(0)],
  ['words', Uint32Array.of(4_294_967_295)],
]);
const file = () => encodeSections(SECTIONS);

/** Writes a changed header field and the checksum stays what it was: it covers what follows the header. */
function withWord(at: number, value: number): Uint8Array<ArrayBuffer> {
  const bytes = file();
  new DataView(bytes.buffer).setUint32(at, value, true);
  return bytes;
}

describe('release binary', () => {
  it('returns the sections as views without copying', () => {
    const bytes = file();
    const sections = decodeSections(bytes);
    expect([...sections]).toEqual([...SECTIONS]);
    for (const section of sections.values()) expect(section.buffer).toBe(bytes.buffer);
    expect(decodeSections(bytes.slice())).toEqual(sections);
  });

  it('reads unaligned bytes in a larger buffer', () => {
    const bytes = file();
    const moved = new Uint8Array(bytes.length + 3);
    moved.set(bytes, 3);
    expect([...decodeSections(moved.subarray(3))]).toEqual([...SECTIONS]);
  });

  it('is the same bytes for the same sections', () => {
    expect(Buffer.from(file()).equals(file())).toBe(true);
  });

  it.each<[string, () => Uint8Array<ArrayBuffer>, string]>([
    ['nothing', () => new Uint8Array(0), 'not a donorlens release'],
    ['another file', () => new Uint8Array(500), 'not a donorlens release'],
    ['the other byte order', () => withWord(8, 0x0d0c0b0a), 'other byte order'],
    ['a newer version', () => withWord(12, 99), 'format version 99'],
    ['version 0', () => withWord(12, 0), 'format version 0'],
    ['a file that is cut', () => file().slice(0, -64), 'where the header says'],
    ['a file that is longer', () => Uint8Array.from([...file(), 0]), 'where the header says'],
    ['more sections than fit', () => withWord(16, 10_000), 'do not fit'],
    ['unknown header fields', () => withWord(24, 1), 'unknown fields'],
    ['another checksum', () => withWord(32, 7), 'damaged'],
  ])('refuses %s', (_what, bytes, message) => {
    expect(() => decodeSections(bytes())).toThrow(ReleaseFormatError);
    expect(() => decodeSections(bytes())).toThrow(message);
  });

  it('refuses a file with any one bit flipped', () => {
    const bytes = file();
    for (let at = 0; at < bytes.length; at++) {
      const bad = bytes.slice();
      bad[at] ^= 1 << (at % 8);
      expect(() => decodeSections(bad)).toThrow(ReleaseFormatError);
    }
  });
});

describe('release', () => {
  let binary: Uint8Array<ArrayBuffer>;
  let release: Release;

  beforeAll(async () => {
    binary = await compileFolder(SAMPLE_FOLDER, { steps: false });
    release = openRelease(binary);
  });

  it('has an id that names its content: compiled again it is the same', async () => {
    const again = openRelease(await compileFolder(SAMPLE_FOLDER, { steps: false }));
    expect(again.id).toBe(release.id);
  });

  it('records the source of each file', () => {
    expect(release.provenance.map(({ file: path }) => path)).toEqual([
      'ssa/names.zip',
      ...['F_Hist', 'F_Alt2', 'M_Hist', 'M_Alt2'].map((part) => `ssa/lifetables/PerLifeTables_${part}_TR0000.csv`),
      'census/surnames/2000/names.zip',
      'census/surnames/2010/names.zip',
      'census/saipe/est18all.txt',
      'census/geo/national_county.txt',
      'census/geo/zcta_county_rel_10.txt',
      'census/acs/acsdt5y2024-b03002.dat',
      'census/acs/acsdt5y2024-b19013.dat',
    ]);
    for (const { url, retrievedAt, sha256, rows, bytes } of release.provenance) {
      expect([url, retrievedAt, sha256]).toEqual([
        expect.stringMatching(/^file:/),
        expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        expect.stringMatching(/^[0-9a-f]{64}$/),
      ]);
      expect([rows > 0, bytes > 0]).toEqual([true, true]);
    }
  });

  it('refuses a file whose sections do not belong together', () => {
    const sections = decodeSections(binary);
    const without = (name: string) => encodeSections(new Map([...sections].filter(([section]) => section !== name)));
    expect(() => openRelease(without('births.count'))).toThrow('section births.count is missing');
    expect(() => openRelease(without('meta'))).toThrow('section meta is missing');
    const shorter = new Map(sections).set('births.yearOffset', new Uint8Array(5));
    expect(() => openRelease(encodeSections(shorter))).toThrow('births.yearOffset has 5 entries');
    const other = new Map(sections).set('life.q', new Uint8Array(8));
    expect(() => openRelease(encodeSections(other))).toThrow('section life.q is missing or of another type');
    expect(() => openRelease(encodeSections(new Map(sections).set('meta', Uint8Array.of(123))))).toThrow('is no JSON');
  });
});
