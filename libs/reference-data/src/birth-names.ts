import { type BirthTable, PackedKeyIndex } from '@donorlens/demographics';
import { unzip } from '@donorlens/downloads';
import { FIRST_HASH, NameInterner, nextHash } from './name-interner';
import { LayoutError } from './reference-data-error';

/** What the file as a whole says; rows and births feed the checks. */
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
const LEAST_BIRTHS = 5;
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
    const into = <T extends Uint8Array | Uint32Array>(from: T, to: T): T => (to.set(from), to);
    this.key = into(this.key, new Uint32Array(2 * this.size));
    this.year = into(this.year, new Uint8Array(2 * this.size));
    this.count = into(this.count, new Uint32Array(2 * this.size));
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
    if (count < LEAST_BIRTHS) fail(`the count is below ${LEAST_BIRTHS}`);
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
