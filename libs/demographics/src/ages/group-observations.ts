import { type CivilDay } from '@donorlens/primitives';
import { ADULT_AGE } from './adult-ages';
import { type BirthTable, SEXES } from './birth-table';
import { type DateStep, dateStep } from './date-weights';

/** Highest completed age in a group. */
export const MAX_GROUP_AGE = 110;
/** Dates are grouped by quarter of a year, because birth counts of names have no unit smaller than the year. */
const STEPS_A_YEAR = 4;
const MAX_STEP = STEPS_A_YEAR * 10_000;

/** Number of people with one first name, given by its position in the birth files, and the date for their ages. */
export interface NamedPeople {
  readonly name: number;
  readonly on: CivilDay;
  readonly people: number;
}

/** Distinct pairs of name and date of a group, as parallel arrays. */
export interface Observations {
  readonly names: Int32Array;
  /** position in `steps` */
  readonly step: Int32Array;
  readonly counts: Float64Array;
  readonly steps: readonly DateStep[];
  /** for entry i and sex s, cells of adult birth years: from range[4 * i + 2 * s] up to the following element */
  readonly range: Uint32Array;
}

/** Groups people by name and date step, in the order of first appearance. */
export function observationsOf(people: Iterable<NamedPeople>, births: BirthTable): Observations {
  const stepOf = new Map<number, number>();
  const indexOf = new Map<number, number>();
  const [names, step, counts]: number[][] = [[], [], []];
  for (const { name, on, people: n } of people) {
    if (name < 0) continue;
    const { year, passed } = dateStep(on);
    const key = year * STEPS_A_YEAR + Math.min(STEPS_A_YEAR - 1, Math.floor(passed * STEPS_A_YEAR));
    const index = indexOf.get(name * MAX_STEP + key);
    if (index !== undefined) {
      counts[index] += n;
      continue;
    }
    indexOf.set(name * MAX_STEP + key, names.length);
    if (!stepOf.has(key)) stepOf.set(key, stepOf.size);
    names.push(name);
    step.push(stepOf.get(key)!);
    counts.push(n);
  }
  const steps = [...stepOf.keys()].map((key) => ({
    year: Math.floor(key / STEPS_A_YEAR),
    passed: ((key % STEPS_A_YEAR) + 0.5) / STEPS_A_YEAR,
  }));
  const range = new Uint32Array(4 * names.length);
  names.forEach((name, i) => setRange(range, 4 * i, births, name, steps[step[i]].year));
  return {
    names: Int32Array.from(names),
    step: Int32Array.from(step),
    counts: Float64Array.from(counts),
    steps,
    range,
  };
}

/** Selects the cells of adult birth years. Includes one earlier year, because a completed age spans two birth years. */
function setRange(range: Uint32Array, at: number, births: BirthTable, name: number, year: number): void {
  const { firstYear, rowStart, yearOffset } = births;
  const [oldest, youngest] = [year - firstYear - MAX_GROUP_AGE - 1, year - firstYear - ADULT_AGE];
  for (const sex of SEXES) {
    let [from, to] = [rowStart[2 * name + sex], rowStart[2 * name + sex + 1]];
    while (from < to && yearOffset[from] < oldest) from++;
    while (from < to && yearOffset[to - 1] > youngest) to--;
    range[at + 2 * sex] = from;
    range[at + 2 * sex + 1] = to;
  }
}
