import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { type BirthTable, FEMALE, MALE } from '@donorlens/demographics';
import { type CivilDay, parseCivilDay, yearOf } from '@donorlens/primitives';
import { OFFICIAL_DATA } from '../tools';

/** A person whose age on a day is known. */
export interface KnownPerson {
  readonly group: string;
  readonly firstName: string;
  readonly on: CivilDay;
  /** Completed years. */
  readonly age: number;
}

/** Members of Congress at the start of their terms, from the shared data; the group is the number of the Congress. */
export function congressMembers(): KnownPerson[] {
  const rows = parse<Record<string, string>>(
    readFileSync(join(OFFICIAL_DATA, 'validation/congress-members.csv'), 'utf8'),
    { columns: true },
  );
  return rows.map(({ congress, firstname, termstart, birthday }) => ({
    group: congress,
    firstName: firstname,
    on: parseCivilDay(termstart),
    age:
      Number(termstart.slice(0, 4)) - Number(birthday.slice(0, 4)) - (termstart.slice(5) < birthday.slice(5) ? 1 : 0),
  }));
}

/** Numbers from 0 to 1 (Lehmer generator); the same seed gives the same numbers. */
export function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

/** Draws first names for people of known age with the frequencies of the birth files; half of the people are men. */
export class NameDrawer {
  private readonly cells = new Map<number, { readonly names: number[]; readonly sums: number[] }>();

  constructor(
    private readonly births: BirthTable,
    private readonly random: () => number,
  ) {
    const { rowStart, yearOffset, count } = births;
    for (let row = 0; row < rowStart.length - 1; row++)
      for (let cell = rowStart[row]; cell < rowStart[row + 1]; cell++) {
        const key = 2 * yearOffset[cell] + (row % 2);
        const of = this.cells.get(key) ?? { names: [], sums: [0] };
        of.names.push(row >> 1);
        of.sums.push(of.sums[of.sums.length - 1] + count[cell]);
        this.cells.set(key, of);
      }
  }

  /** Position in the birth files of a name drawn for a person of that age at the end of the year. */
  name(age: number, on: CivilDay): number {
    const sex = this.random() < 0.5 ? MALE : FEMALE;
    const { names, sums } = this.cells.get(2 * (yearOf(on) - age - this.births.firstYear) + sex)!;
    const wanted = this.random() * sums[sums.length - 1];
    let [low, high] = [0, names.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle + 1] > wanted) high = middle;
      else low = middle + 1;
    }
    return names[low];
  }
}

/** The index of a share, drawn with the shares as probabilities; they add up to 1. */
export function drawFrom(shares: Float64Array, random: () => number): number {
  let left = random();
  const at = shares.findIndex((share) => (left -= share) < 0);
  return at < 0 ? shares.length - 1 : at;
}

export const meanOf = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0) / numbers.length;

export function medianOf(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** Wasserstein distance of two distributions over the same years. */
export function wasserstein(a: Float64Array, b: Float64Array): number {
  let [distance, ahead] = [0, 0];
  a.forEach((share, at) => (distance += Math.abs((ahead += share - b[at]))));
  return distance;
}
