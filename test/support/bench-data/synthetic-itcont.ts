import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CivilDay, formatCivilDay, yearOf } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { pick, seeded } from '../seeded';
import { donorWeighted } from './donors';

/** A donor of the file. */
interface Donor {
  readonly surname: string;
  readonly given: string;
  readonly rest: string;
  readonly day: CivilDay;
}

/** SUB_ID of a row is this number plus the row number. */
export const FIRST_SUB_ID = 4_000_000_000_000_000_000n;

const DRAWN = 100_000;
const ROWS_A_PIECE = 1_000;
const PLAIN = /^[A-Z]{2,15}$/;
/** Three in ten given names are followed by more than an initial, which needs the slower name parser. */
const RESTS = ['', '', '', ' A', ' M', ' J.', ' R', ' ANN', ' LEE MR.', ' JR'];
const UNKNOWN_SURNAMES = ['QUILLFEATHER', 'ZYWOCINSKI', 'THISTLEBROOK', 'WQZXV', 'OKPARAEBO'];
const UNKNOWN_SHARE = 0.1;
const PLACES = ['SPRINGFIELD|IL|627', 'BROOKLYN|NY|112', 'LOS ANGELES|CA|900', 'HOUSTON|TX|770', 'TAMPA|FL|336'];
const WORK = ['RETIRED|RETIRED', 'SELF-EMPLOYED|ATTORNEY', 'STATE UNIVERSITY|TEACHER', 'NOT EMPLOYED|NOT EMPLOYED'];

/** Writes a file of contributions in the FEC format: names and dates of donors, surnames by frequency. */
export class SyntheticItcont {
  readonly donors: readonly Donor[];

  constructor(release: Release) {
    const random = seeded(11);
    const { names, days } = donorWeighted(DRAWN);
    this.donors = names
      .map((name, i) => ({
        surname: surnameOf(release, random),
        given: name.toUpperCase(),
        rest: pick(random, RESTS),
        day: days[i],
      }))
      .filter((donor) => isCutAlike(donor, release));
  }

  async write(file: string, rows: number): Promise<void> {
    await pipeline(Readable.from(this.pieces(rows)), createWriteStream(file));
  }

  private *pieces(rows: number): Generator<string> {
    for (let from = 1; from <= rows; from += ROWS_A_PIECE) {
      let piece = '';
      for (let row = from; row < Math.min(rows + 1, from + ROWS_A_PIECE); row++) piece += this.line(row);
      yield piece;
    }
  }

  private line(row: number): string {
    const { surname, given, rest, day } = this.donors[row % this.donors.length];
    const [year, month, date] = formatCivilDay(day).split('-');
    return [
      `C00${500_000 + (row % 40)}|N|M${row % 12}|P|2016${10_000_000 + row}|15|IND|${surname}, ${given}${rest}`,
      `${PLACES[row % 5]}${10 + (row % 90)}|${WORK[row % 4]}|${month}${date}${year}|${((row * 7) % 2800) + 1}|`,
      `SA17A.${row}|${1_000_000 + (row % 97)}|||${FIRST_SUB_ID + BigInt(row)}\n`,
    ].join('|');
  }
}

/** The files list the most common surnames first; the frequency of the n-th is proportional to 1/n. */
function surnameOf({ tables }: Release, random: () => number): string {
  const { names } = tables.surnames2010;
  if (random() < UNKNOWN_SHARE) return pick(random, UNKNOWN_SURNAMES);
  return names.keyAt(Math.floor(names.size ** random()) - 1);
}

/**
 * True if SQL that cuts a name at the comma and at the next space finds the same names as the rules. Names with titles,
 * couples and particles are left out: for them, SQL would be wrong or much slower.
 */
function isCutAlike({ surname, given, rest, day }: Donor, { demographics, tables }: Release): boolean {
  if (!PLAIN.test(surname) || !PLAIN.test(given)) return false;
  const year = yearOf(day);
  const { ages } = demographics;
  const name = ages.nameIndex(given);
  if (name >= 0 && ages.genderOf(name, NaN) === null) return false; // a tie, decided by the date
  const parsed = demographics.parseName(`${surname}, ${given}${rest}`, 'IND', year);
  const isKnown = demographics.surnamesOf(year).names.find(surname) >= 0;
  return (
    parsed.kind === 'person' &&
    parsed.firstKey === (name >= 0 ? tables.births.names.keyAt(name) : null) &&
    parsed.surnameKey === (isKnown ? surname : null)
  );
}
