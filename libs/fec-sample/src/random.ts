import { type CivilDay, civilDay, firstDayOfCycle, formatCivilDay } from '@donorlens/primitives';

const { imul } = Math;

/** Numbers that look random and are the same for the same seed everywhere (the generator is called mulberry32). */
export class Random {
  constructor(private state: number) {}

  /** 0 to 1, without 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits = (bits + imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** 0 to count - 1 */
  integerBelow(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integerBelow(items.length)];
  }

  /** The first ones more often than the last, the more so the steeper. */
  pickEarly<Item>(items: readonly Item[], steepness = 2): Item {
    return items[Math.floor(this.next() ** steepness * items.length)];
  }

  isDrawn(chance: number): boolean {
    return this.next() < chance;
  }
}

/** The number of a place in a synthetic world: the same for the same parts. */
export function seedOf(...parts: readonly number[]): number {
  let seed = 0x51f15eed;
  for (const part of parts) seed = imul(seed ^ part, 0x9e3779b1) ^ (seed >>> 13);
  return seed;
}

/** Campaigns go on to the election and a little beyond it. */
const lastDay = (cycle: number): CivilDay => civilDay(cycle, 11, 20);

/** A day of the cycle, later ones more often: a campaign grows. */
export function campaignDay(cycle: number, random: Random): CivilDay {
  const first = firstDayOfCycle(cycle) + 30;
  return first + Math.floor(Math.sqrt(random.next()) * (lastDay(cycle) - first + 1));
}

/** Cache of the texts of dates, which are few. */
const dates = new Map<CivilDay, string>();

/** MMDDYYYY */
export function filedDate(day: CivilDay): string {
  const known = dates.get(day);
  if (known !== undefined) return known;
  const [year, month, date] = formatCivilDay(day).split('-');
  dates.set(day, month + date + year);
  return month + date + year;
}

/** A faulty date as filings have it: empty, a day that does not exist, a typing error, a day of another cycle. */
export const oddDate = (cycle: number, random: Random): string =>
  random.pick(['', `0230${cycle}`, `1301${cycle - 1}`, '01012106', `1215${cycle - 2}`, `0105${cycle + 1}`]);
