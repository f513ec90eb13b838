import { type CivilDay, civilDay, yearOf } from '@donorlens/primitives';
import { AgeEstimator } from './age-estimator';
import { type BirthTable, cellsOf } from './birth-table';
import { CohortSurvival, type LifeTables } from './cohort-survival';
import { NO_AGE } from './living-ages';
import { MedianBounds } from './median-bounds';
import { type DateWindow, NOT_COVERED, NULL_AGE, type StepTable } from './step-table';
import { YearWeights } from './year-weights';

/** Names with fewer cells get no steps: the direct sum is as fast. These are most names, but few queries. */
const MIN_CELLS = 25;
/** Steps are stored as days since the start of the window in 16 bits. */
const MAX_WINDOW_DAYS = 65_536;

/**
 * Builds the table of the dates in a window on which the median age of a name changes, for names with many cells.
 * The search bisects down to single days, and skips a range only if MedianBounds proves a constant age in it.
 * So every age of the table equals the direct sum.
 * @param minCells - names with fewer (sex, year) cells get no steps
 * @throws RangeError for an empty window or one of more than 65,536 days
 */
export function buildStepTable(
  births: BirthTable,
  life: LifeTables,
  window: DateWindow,
  minCells = MIN_CELLS,
): StepTable {
  if (!(window.from <= window.to) || window.to - window.from >= MAX_WINDOW_DAYS)
    throw new RangeError(`a step table covers 1 to ${MAX_WINDOW_DAYS} days`);
  const names: number[] = [];
  for (let name = 0; name < births.names.size; name++) if (cellsOf(births, name) >= minCells) names.push(name);
  const steps = new StepCollector(window.from, births.names.size);
  const survival = new CohortSurvival(life, births.firstYear, births.lastYear);
  const direct = new AgeEstimator(births, life);
  const weights = new YearWeights(survival);
  for (let year = yearOf(window.from); year <= yearOf(window.to); year++) {
    weights.fill(Math.max(window.from, civilDay(year, 1, 1)), Math.min(window.to, civilDay(year, 12, 31)));
    const bounds = new MedianBounds(births, weights, (name, on) => direct.ageDirect(name, on));
    const search = new YearSearch(bounds, steps, weights.firstDay, weights.lastDay);
    for (const name of names) search.run(name);
  }
  return { from: window.from, to: window.to, ...steps.table() };
}

/** Collects steps in the order of the search: by year, then by name, then by date. */
class StepCollector {
  private readonly names: number[] = [];
  private readonly days: number[] = [];
  private readonly ages: number[] = [];
  private readonly last: Int16Array;

  constructor(
    private readonly from: CivilDay,
    size: number,
  ) {
    this.last = new Int16Array(size).fill(NOT_COVERED);
  }

  /** Records that the name has this age from that day on, unless its last step already has the age. */
  add(name: number, on: CivilDay, age: number): void {
    if (this.last[name] === age) return;
    this.last[name] = age;
    this.names.push(name);
    this.days.push(on - this.from);
    this.ages.push(age === NO_AGE ? NULL_AGE : age);
  }

  table(): Pick<StepTable, 'start' | 'day' | 'age'> {
    const start = new Uint32Array(this.last.length + 1);
    for (const name of this.names) start[name + 1]++;
    for (let name = 0; name < this.last.length; name++) start[name + 1] += start[name];
    const next = start.slice();
    const day = new Uint16Array(this.names.length);
    const age = new Uint8Array(this.names.length);
    this.names.forEach((name, i) => {
      const at = next[name]++;
      day[at] = this.days[i];
      age[at] = this.ages[i];
    });
    return { start, day, age };
  }
}

/** Finds the steps of a name within one calendar year. */
class YearSearch {
  private name = 0;

  constructor(
    private readonly bounds: MedianBounds,
    private readonly steps: StepCollector,
    private readonly firstDay: CivilDay,
    private readonly lastDay: CivilDay,
  ) {}

  run(name: number): void {
    const [first, last] = [0, 1];
    this.name = name;
    this.bounds.open(name);
    this.bounds.read(this.lastDay, last);
    this.bounds.read(this.firstDay, first);
    this.steps.add(name, this.firstDay, this.bounds.age(first));
    this.refine(this.firstDay, first, this.lastDay, last, last + 1);
  }

  /** Adds the steps after `low` up to `high`, whose registers are filled; registers from `free` on are unused. */
  private refine(low: CivilDay, lowRegister: number, high: CivilDay, highRegister: number, free: number): void {
    if (high - low > 1 && !this.bounds.isConstant(lowRegister, highRegister)) {
      const middle = (low + high) >> 1;
      this.bounds.read(middle, free);
      this.refine(low, lowRegister, middle, free, free + 1);
      this.refine(middle, free, high, highRegister, free + 1);
    } else if (high > low) this.steps.add(this.name, high, this.bounds.age(highRegister));
  }
}
