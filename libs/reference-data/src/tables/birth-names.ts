import { type BirthTable, PackedKeyIndex } from '@donorlens/demographics';
import { unzip } from '@donorlens/downloads';
import { LayoutError } from '../reference-data-error';

/** Totals of the file, for the checks. */
export interface BirthFacts {
  readonly rows: number;
  readonly births: number;
}

const YEAR_FILE = /^yob(\d{4})\.txt$/;
const CONTRACT = {
  wanted: YEAR_FILE,
  tolerated: /^[\w ./-]+\.pdf$/i,
  maxMembers: 256,
  maxMemberBytes: 4 << 20,
  maxTotalBytes: 128 << 20,
};
/** The publisher leaves out a name with fewer births in a year, and cuts names at 15 letters. */
const MIN_BIRTHS = 5;
const LONGEST_NAME = 15;
const COMMA = 44;
const CR = 13;
const LF = 10;

/** The cells of all year files in file order; `key` is 2 * name + sex (0 male, 1 female). */
class Cells {
  key = new Uint32Array(1 << 20);
  year = new Uint8Array(1 << 20);
  count = new Uint32Array(1 << 20);
  size = 0;

  add(key: number, year: number, count: number): void {
    if (this.size === this.key.length) this.grow();
    this.key[this.size] = key;
    this.year[this.size] = year;
    this.count[this.size++] = count;
  }

  private grow(): void {
    const copyInto = <T extends Uint8Array | Uint32Array>(from: T, to: T): T => (to.set(from), to);
    this.key = copyInto(this.key, new Uint32Array(2 * this.size));
    this.year = copyInto(this.year, new Uint8Array(2 * this.size));
    this.count = copyInto(this.count, new Uint32Array(2 * this.size));
  }
}

/**
 * Reads the SSA's national `names.zip`: one `yobYYYY.txt` per year, no header, lines `Name,Sex,Count`
 * ended by CRLF or LF (the publisher ships both).
 * @throws LayoutError, ZipError
 */
export async function readBirthNames(file: string, zip: Buffer): Promise<{ births: BirthTable; facts: BirthFacts }> {
  const members = await unzip(file, zip, CONTRACT);
  const years = [...members.keys()].map((name) => Number(YEAR_FILE.exec(name)?.[1])).sort((a, b) => a - b);
  const firstYear = years[0];
  const lastYear = years[years.length - 1];
  if (lastYear - firstYear + 1 !== years.length || years.length > 256)
    throw new LayoutError(file, null, `years ${firstYear} to ${lastYear} are not all there (${years.length} files)`);
  const cells = new Cells();
  const interner = new NameInterner();
  for (const [offset, year] of years.entries()) {
    const member = `yob${year}.txt`;
    readYear(`${file} ${member}`, members.get(member) ?? Buffer.alloc(0), offset, interner, cells);
  }
  return sorted(file, firstYear, lastYear, interner.names(), cells);
}

function readYear(file: string, bytes: Buffer, year: number, interner: NameInterner, cells: Cells): void {
  const end = bytes.length;
  let at = 0;
  let line = 0;
  const fail = (what: string): never => {
    throw new LayoutError(file, line, what);
  };
  if (end === 0) fail('is empty');
  while (at < end) {
    line++;
    const start = at;
    let hash = FIRST_HASH;
    for (; at < end && bytes[at] !== COMMA; at++) {
      const letter = bytes[at] | 32;
      if (letter < 97 || letter > 122) fail('a name may hold letters only');
      hash = nextHash(hash, letter);
    }
    if (at - start < 2 || at - start > LONGEST_NAME) fail(`a name has 2 to ${LONGEST_NAME} letters`);
    const name = interner.idOf(bytes, start, at, hash);
    const sex = bytes[at + 1] === 70 ? 1 : bytes[at + 1] === 77 ? 0 : -1; // F, M
    if (sex < 0 || bytes[at + 2] !== COMMA) fail('expected Name,F or M,Count');
    let count = 0;
    const digits = (at += 3);
    for (; at < end && bytes[at] >= 48 && bytes[at] <= 57; at++) count = count * 10 + bytes[at] - 48;
    if (at === digits || at - digits > 7) fail('the count is no number');
    if (count < MIN_BIRTHS) fail(`the count is below ${MIN_BIRTHS}`);
    if (bytes[at] === CR) at++;
    if (at < end && bytes[at] !== LF) fail('more than Name,Sex,Count');
    at++;
    cells.add(2 * name + sex, year, count);
  }
}

/** Orders names alphabetically and cells by name, sex and year (a stable counting sort: files came in year order). */
function sorted(file: string, firstYear: number, lastYear: number, names: string[], cells: Cells) {
  const byName = names.map((_, id) => id).sort((a, b) => (names[a] < names[b] ? -1 : 1));
  const rank = new Uint32Array(names.length);
  byName.forEach((id, place) => (rank[id] = place));
  const rowStart = new Uint32Array(2 * names.length + 1);
  const row = (cell: number): number => 2 * rank[cells.key[cell] >>> 1] + (cells.key[cell] & 1);
  for (let cell = 0; cell < cells.size; cell++) rowStart[row(cell) + 1]++;
  for (let i = 0; i < rowStart.length - 1; i++) rowStart[i + 1] += rowStart[i];
  const next = rowStart.slice();
  const yearOffset = new Uint8Array(cells.size);
  const count = new Uint32Array(cells.size);
  let births = 0;
  for (let cell = 0; cell < cells.size; cell++) {
    const r = row(cell);
    const at = next[r]++;
    if (at > rowStart[r] && yearOffset[at - 1] === cells.year[cell])
      throw new LayoutError(
        `${file} yob${firstYear + cells.year[cell]}.txt`,
        null,
        `${names[cells.key[cell] >>> 1]} is listed twice for one sex`,
      );
    yearOffset[at] = cells.year[cell];
    count[at] = cells.count[cell];
    births += cells.count[cell];
  }
  const index = PackedKeyIndex.build(byName.map((id) => names[id]));
  const table: BirthTable = { firstYear, lastYear, names: index, rowStart, yearOffset, count };
  return { births: table, facts: { rows: cells.size, births } };
}

/**
 * Gives each distinct lower-case ASCII name a number in order of first sight, straight from bytes.
 * Two million lines of the birth files become about a hundred thousand names without a string per line.
 */
class NameInterner {
  private blob = new Uint8Array(1 << 20);
  private blobEnd = 0;
  private starts = new Uint32Array((1 << 17) + 1);
  private slots = new Uint32Array(1 << 18); // id + 1, 0 = free; kept at most half full
  size = 0;

  /** @param hash of the lower-cased bytes, as `nextHash` makes it */
  idOf(bytes: Uint8Array, from: number, to: number, hash: number): number {
    const mask = this.slots.length - 1;
    let slot = hash & mask;
    for (let entry = this.slots[slot]; entry !== 0; entry = this.slots[slot]) {
      if (this.isName(entry - 1, bytes, from, to)) return entry - 1;
      slot = (slot + 1) & mask;
    }
    return this.add(bytes, from, to, slot);
  }

  names(): string[] {
    const text = Buffer.from(this.blob.buffer, 0, this.blobEnd).toString('latin1');
    return Array.from({ length: this.size }, (_, id) => text.slice(this.starts[id], this.starts[id + 1]));
  }

  private isName(id: number, bytes: Uint8Array, from: number, to: number): boolean {
    const start = this.starts[id];
    if (this.starts[id + 1] - start !== to - from) return false;
    for (let i = 0; i < to - from; i++) if (this.blob[start + i] !== (bytes[from + i] | 32)) return false;
    return true;
  }

  private add(bytes: Uint8Array, from: number, to: number, slot: number): number {
    if (this.blobEnd + to - from > this.blob.length) this.blob = grown(this.blob, new Uint8Array(2 * this.blob.length));
    if (this.size + 1 >= this.starts.length)
      this.starts = grown(this.starts, new Uint32Array(2 * this.starts.length - 1));
    for (let i = from; i < to; i++) this.blob[this.blobEnd++] = bytes[i] | 32;
    this.slots[slot] = this.size + 1;
    this.starts[++this.size] = this.blobEnd;
    if (2 * this.size >= this.slots.length) this.rehash();
    return this.size - 1;
  }

  private rehash(): void {
    this.slots = new Uint32Array(2 * this.slots.length);
    const mask = this.slots.length - 1;
    for (let id = 0; id < this.size; id++) {
      let hash = FIRST_HASH;
      for (let i = this.starts[id]; i < this.starts[id + 1]; i++) hash = nextHash(hash, this.blob[i]);
      let slot = hash & mask;
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask;
      this.slots[slot] = id + 1;
    }
  }
}

/** FNV-1a, 32 bits. */
const FIRST_HASH = 0x811c9dc5 | 0;
const nextHash = (hash: number, lowerCaseByte: number): number => Math.imul(hash ^ lowerCaseByte, 0x01000193);

function grown<T extends Uint8Array | Uint32Array>(from: T, into: T): T {
  into.set(from);
  return into;
}
