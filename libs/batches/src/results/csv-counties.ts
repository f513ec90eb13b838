import { type CountyFinder, csvField } from '@donorlens/primitives';

/** A county as it stands in a file. */
interface CsvCounty {
  readonly name: Buffer;
  readonly income: Buffer;
}

/** Counties as bytes, each made once: results name few of them, and each often. */
export class CsvCounties {
  private readonly made = new Map<number, CsvCounty | null>();

  constructor(private readonly countyOf: CountyFinder) {}

  /** @param code the five digits of its FIPS code as a number; of another, as -1, there is no county */
  get(code: number): CsvCounty | null {
    const known = this.made.get(code);
    if (known !== undefined) return known;
    const county = this.countyOf(String(code).padStart(5, '0'));
    const made = county && {
      name: Buffer.from(csvField(county.name)),
      income: Buffer.from(county.medianHouseholdIncome?.toString() ?? ''),
    };
    this.made.set(code, made);
    return made;
  }
}
