/** Codes of tracts have six digits after those of their county. */
export const TRACTS_PER_COUNTY = 1_000_000;
const MAX_FIVE_DIGITS = 99_999;

/** Census areas of one kind, with the same number of values for each, found by code. */
export class AreaTable {
  /** For each code of five digits: position of the first area whose code begins with it, or of the next one. Made by the first search. */
  private starts: Uint32Array | null = null;
  private readonly codesPerStart: number;

  /**
   * @param codes - GEOIDs as numbers, ascending: of counties, of ZCTAs or of tracts
   * @param values - of the first area, then of the second, and so on
   */
  constructor(
    readonly codes: Float64Array,
    readonly values: Uint32Array,
  ) {
    this.codesPerStart = (codes.at(-1) ?? 0) > MAX_FIVE_DIGITS ? TRACTS_PER_COUNTY : 1;
  }

  /** Position of a code; -1 if the table does not have it, or for NaN. */
  indexOf(code: number): number {
    if (Number.isNaN(code)) return -1;
    const starts = (this.starts ??= this.findStarts());
    const start = Math.floor(code / this.codesPerStart);
    for (let at = starts[start]; at < starts[start + 1]; at++) if (this.codes[at] === code) return at;
    return -1;
  }

  private findStarts(): Uint32Array {
    const { codes, codesPerStart } = this;
    const starts = new Uint32Array(Math.floor((codes.at(-1) ?? 0) / codesPerStart) + 2);
    let at = 0;
    for (let start = 0; start < starts.length; start++) {
      while (codes[at] < start * codesPerStart) at++;
      starts[start] = at;
    }
    return starts;
  }
}
