import { type Census, PackedKeyIndex, type SurnameTable, fillSuppressed } from '@donorlens/demographics';
import { unzip } from '@donorlens/downloads';
import { LayoutError, forEachLine, parseWholeNumber } from '../reference-data-error';

/** Totals of the file, for the checks. */
export interface SurnameFacts {
  readonly rows: number;
  /** people counted in the rows with 100 or more, `ALL OTHER NAMES` left out */
  readonly people: number;
  /** rows without suppressed cells whose percentages add up to less than 99 or more than 100.05 */
  readonly oddSums: number;
  readonly smith: { readonly rank: number; readonly count: number } | null;
}

export interface SurnameFile {
  readonly table: SurnameTable;
  readonly facts: SurnameFacts;
  /** Row ALL OTHER NAMES: six hundredths of a percent in the order of PCT_COLUMNS; null if the file has none. */
  readonly otherNames: readonly number[] | null;
}

/** Members of the zips; for 2020 any CSV file in the layout of 2010. */
const MEMBER = { 2000: /^app_c\.csv$/, 2010: /^Names_2010Census\.csv$/, 2020: /^[\w .-]+\.csv$/ } as const;
const HEADER = 'name,rank,count,prop100k,cum_prop100k,pctwhite,pctblack,pctapi,pctaian,pct2prace,pcthispanic';
const NO_SURNAME = 'ALL OTHER NAMES';
const SUPPRESSED = '(S)';
/** Only surnames that occur at least this often are published. */
const MIN_COUNT = 100;
/** Hundredths of a percent. Rounding moves a row by 0.03; the 2000 file top-codes 100 % of a count of 100 as 99.00. */
const [MIN_SUM, MAX_SUM] = [9_850, 10_010];
const [ODD_BELOW, ODD_ABOVE] = [9_900, 10_005];

const contract = (census: Census) => ({
  wanted: MEMBER[census],
  tolerated: /^[\w ./-]+\.(xlsx?|pdf)$/i,
  maxMembers: 1,
  maxMemberBytes: 64 << 20,
  maxTotalBytes: 64 << 20,
});

/**
 * Reads a census surname file (`names.zip` of 2000, 2010 or 2020). Suppressed cells are filled by `fillSuppressed`.
 * The row ALL OTHER NAMES of 2010 is not a surname and must be the last one.
 * @throws LayoutError, ZipError
 */
export async function readSurnames(file: string, census: Census, zip: Buffer): Promise<SurnameFile> {
  const [[member, bytes]] = await unzip(file, zip, contract(census));
  return new SurnameReader(`${file} ${member}`, census).read(bytes);
}

class SurnameReader {
  private readonly names: string[] = [];
  private readonly seen = new Set<string>();
  private readonly pct: number[] = [];
  private readonly suppressed: number[] = [];
  private readonly race: number[] = [];
  private people = 0;
  private oddSums = 0;
  private smith: SurnameFacts['smith'] = null;
  private otherNames: readonly number[] | null = null;

  constructor(
    private readonly file: string,
    private readonly census: Census,
  ) {}

  read(bytes: Buffer): SurnameFile {
    forEachLine(bytes, (text, line) => {
      if (line > 1) this.row(text, line);
      else if (text !== HEADER) throw new LayoutError(this.file, 1, `the header is not ${HEADER}`);
    });
    if (this.names.length === 0) throw new LayoutError(this.file, null, 'holds no surname');
    const { census, people, oddSums, smith } = this;
    const table = {
      census,
      names: PackedKeyIndex.build(this.names),
      pct: Uint16Array.from(this.pct),
      suppressed: Uint8Array.from(this.suppressed),
      race: Uint8Array.from(this.race),
    };
    return { table, facts: { rows: this.names.length, people, oddSums, smith }, otherNames: this.otherNames };
  }

  private row(text: string, line: number): void {
    const fields = text.split(',');
    if (fields.length !== 11) throw new LayoutError(this.file, line, `has ${fields.length} fields, expected 11`);
    if (this.otherNames !== null) throw new LayoutError(this.file, line, `${NO_SURNAME} is not the last row`);
    const [name, rank, count] = fields;
    const people = parseWholeNumber(this.file, line, 'count', count);
    const cells = fields.slice(5).map((cell) => this.cell(cell, line));
    if (name === NO_SURNAME) {
      this.otherNames = fillSuppressed(cells).pct;
      return;
    }
    this.checkName(name, people, line);
    this.checkSum(cells, line);
    if (name === 'SMITH') this.smith = { rank: parseWholeNumber(this.file, line, 'rank', rank), count: people };
    this.people += people;
    const filled = fillSuppressed(cells);
    this.names.push(name);
    this.pct.push(...filled.pct);
    this.suppressed.push(filled.suppressed);
    this.race.push(filled.race);
  }

  /** Hundredths of a percent, or null if suppressed, (S). Both `70.9` and `70.90` occur. */
  private cell(text: string, line: number): number | null {
    if (text === SUPPRESSED) return null;
    const parts = /^(\d{1,3})(?:\.(\d{1,2}))?$/.exec(text);
    const hundredths = parts === null ? NaN : Number(parts[1]) * 100 + Number((parts[2] ?? '').padEnd(2, '0'));
    if (!(hundredths <= 10_000)) throw new LayoutError(this.file, line, 'a percentage is not between 0 and 100 or (S)');
    return hundredths;
  }

  private checkName(name: string, people: number, line: number): void {
    if (!/^[A-Z]{2,40}$/.test(name)) throw new LayoutError(this.file, line, 'a surname has letters A to Z only');
    if (this.seen.has(name)) throw new LayoutError(this.file, line, `${name} is listed twice`);
    this.seen.add(name);
    if (people < MIN_COUNT) throw new LayoutError(this.file, line, `the count is below ${MIN_COUNT}`);
  }

  private checkSum(cells: readonly (number | null)[], line: number): void {
    const sum = cells.reduce<number>((total, cell) => total + (cell ?? 0), 0);
    const whole = cells.every((cell) => cell !== null);
    if (sum > MAX_SUM || (whole && sum < MIN_SUM))
      throw new LayoutError(this.file, line, `the percentages make ${sum / 100}, not 100`);
    if (whole && (sum < ODD_BELOW || sum > ODD_ABOVE)) this.oddSums++;
  }
}
