/** A tract code has six digits after the code of its county. */
export const TRACTS_PER_COUNTY = 1_000_000;
const MAX_FIVE_DIGITS = 99_999;

/**
 * Values of the Census areas of one kind, or of first names, looked up by code. Each code has the same number of
 * values.
 */
export class AreaTable {
  /** For each five-digit prefix, position of the first area whose code has it or a higher one. Built on first use. */
  private starts: Uint32Array | null = null;

  /**
   * @param codes - GEOIDs of counties, ZCTAs or tracts as numbers, ascending
   * @param values - values of the first area, then of the second, and so on
   * @param codesPerStart - codes with the same prefix; 1 if there are at most some 100,000 codes
   */
  constructor(
    readonly codes: Float64Array,
    readonly values: Uint32Array,
    private readonly codesPerStart = (codes.at(-1) ?? 0) > MAX_FIVE_DIGITS ? TRACTS_PER_COUNTY : 1,
  ) {}

  /** Position of a code; -1 for NaN or a code that the table does not contain. */
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
