import { type CivilDay, yearOf } from '@donorlens/primitives';
import { type BirthTable, FEMALE, MALE } from './birth-table';
import { BORDER, NO_AGE } from './living-ages';
import { type YearWeights } from './year-weights';

/** Share of all living that must be reached for the median: 0.5, less what LivingAges allows for rounding. */
const HALF = 0.5 * BORDER;
/** Bounds must clear the border by this share of all living, and so must a reading, so that rounding never decides. */
const CLEARANCE = 1e-10;
/** The two ends of a year, and one for each of nine halvings. */
const REGISTERS = 12;

/**
 * Reads the median age of a name at dates of one calendar year, and proves that it cannot change between two of them.
 *
 * The age is a where F(a - 1) < h T <= F(a): F the living who completed at most that age, T all living, h the half.
 * Let G(a) = F(a) - h T. In year Y, those of age a or less are the cohorts born from Y - a on and, of the cohort
 * Y - a - 1, those whose birthday is still to come (N). Write L for the living of earlier cohorts that count as young,
 * Own for the living of cohort Y, Old for the living of cohort Y - a - 1 and all before it. Then
 *   G(a) = falling + rising,  falling = (1 - h) L + N,  rising = (1 - h) Own - h Old,
 * because L, N and Old only shrink from day to day and Own only grows (YearWeights says why).
 * So between two dates G(a) is at least falling(last) + rising(first) and at most falling(first) + rising(last).
 */
export class MedianBounds {
  private readonly ownCohort: number;
  private name = 0;
  /**
   * Cells of the name by sex: the first, the end, the first that counts as young, that of the own cohort or the end.
   */
  private readonly from = [0, 0];
  private readonly to = [0, 0];
  private readonly split = [0, 0];
  private readonly ownCell = [0, 0];
  /** Cohorts from this one on are young; the age is ownCohort - slot. Keeps the value of the last reading. */
  private slot = 0;
  private young = 0;
  private old = 0;
  /** What was read of a date, one entry a register; `Below` is the border of the next lower age. */
  private readonly ages = new Int16Array(REGISTERS);
  private readonly totals = new Float64Array(REGISTERS);
  private readonly falling = new Float64Array(REGISTERS);
  private readonly rising = new Float64Array(REGISTERS);
  private readonly fallingBelow = new Float64Array(REGISTERS);
  private readonly risingBelow = new Float64Array(REGISTERS);

  /** @param exactAge - called if a sum is so close to a boundary that the order of additions could decide */
  constructor(
    private readonly births: BirthTable,
    private readonly year: YearWeights,
    private readonly exactAge: (name: number, on: CivilDay) => number,
  ) {
    this.ownCohort = yearOf(year.firstDay) - births.firstYear;
  }

  /** Turns to a name; readings and proofs are about it until the next one. */
  open(name: number): void {
    this.name = name;
    for (let sex = MALE; sex <= FEMALE; sex++) {
      this.from[sex] = this.births.rowStart[2 * name + sex];
      this.to[sex] = this.births.rowStart[2 * name + sex + 1];
      this.split[sex] = this.firstCellFrom(sex, this.slot);
      this.ownCell[sex] = this.firstCellFrom(sex, this.ownCohort);
    }
  }

  /** Median age of the values in a register; NO_AGE if no one is alive. */
  age(register: number): number {
    return this.ages[register];
  }

  /** Reads a date into a register: the median age, and the parts of the bounds at both borders of it. */
  read(on: CivilDay, register: number): void {
    const day = (on - this.year.firstDay) * this.year.perDay;
    this.old = this.sum(this.from, this.split, day);
    this.young = this.sum(this.split, this.to, day);
    const total = this.young + this.old;
    this.totals[register] = total;
    this.ages[register] = NO_AGE;
    if (!(total > 0)) return;
    this.findSlot(day, HALF * total);
    this.ages[register] = this.ownCohort - this.slot;
    this.keepBorders(day, total, register);
    if (this.isClose(register)) {
      this.ages[register] = this.exactAge(this.name, on);
      this.falling[register] = NaN; // proves nothing
    }
  }

  /** True when the age is proven to be one and the same from the first date to the last. */
  constant(first: number, last: number): boolean {
    if (this.ages[first] !== this.ages[last]) return false;
    if (this.ages[first] === NO_AGE) return true; // no one of the earlier cohorts at the first, no one of the own at the last
    const clearance = CLEARANCE * Math.max(this.totals[first], this.totals[last]);
    const least = this.falling[last] + this.rising[first];
    const maxBelow = this.fallingBelow[first] + this.risingBelow[last];
    return least > clearance && maxBelow < -clearance && !Number.isNaN(this.falling[first]);
  }

  private firstCellFrom(sex: number, cohort: number): number {
    let cell = this.from[sex];
    while (cell < this.to[sex] && this.births.yearOffset[cell] < cohort) cell++;
    return cell;
  }

  private sum(from: readonly number[], to: readonly number[], day: number): number {
    const { yearOffset, count } = this.births;
    const { living, cohorts } = this.year;
    let sum = 0;
    for (let sex = MALE; sex <= FEMALE; sex++) {
      const base = day + sex * cohorts;
      for (let cell = from[sex]; cell < to[sex]; cell++) sum += count[cell] * living[base + yearOffset[cell]];
    }
    return sum;
  }

  /** Moves the slot to the youngest age whose F reaches the border. */
  private findSlot(day: number, border: number): void {
    const { living, toCome } = this.year;
    while (this.slot > 0 && this.young + this.people(toCome, day, this.split, -1) < border) {
      this.young += this.people(living, day, this.split, -1);
      this.moveTo(this.slot - 1);
    }
    for (;;) {
      const own = this.people(living, day, this.split, 0);
      if (this.young - own + this.people(toCome, day, this.split, 0) < border) return;
      this.young -= own;
      this.moveTo(this.slot + 1);
    }
  }

  private moveTo(slot: number): void {
    const { yearOffset } = this.births;
    this.slot = slot;
    for (let sex = MALE; sex <= FEMALE; sex++) {
      const split = this.split[sex];
      if (split > this.from[sex] && yearOffset[split - 1] >= slot) this.split[sex]--;
      else if (split < this.to[sex] && yearOffset[split] < slot) this.split[sex]++;
    }
  }

  /** People of the slot's cohort (step 0) or of the one before it (step -1). */
  private people(share: Float64Array, day: number, split: readonly number[], step: 0 | -1): number {
    return this.peopleAt(share, day, split, step, this.slot + step);
  }

  private peopleAt(share: Float64Array, day: number, cells: readonly number[], step: number, cohort: number): number {
    const { yearOffset, count } = this.births;
    let sum = 0;
    for (let sex = MALE; sex <= FEMALE; sex++) {
      const cell = cells[sex] + step;
      if (cell >= this.from[sex] && cell < this.to[sex] && yearOffset[cell] === cohort)
        sum += count[cell] * share[day + sex * this.year.cohorts + cohort];
    }
    return sum;
  }

  private keepBorders(day: number, total: number, register: number): void {
    const { living, toCome } = this.year;
    const own = this.peopleAt(living, day, this.ownCell, 0, this.ownCohort);
    const old = total - this.young;
    this.falling[register] = (1 - HALF) * (this.young - own) + this.people(toCome, day, this.split, -1);
    this.rising[register] = (1 - HALF) * own - HALF * old;
    const isYoungest = this.slot >= this.ownCohort; // F(-1) = 0 is always below the limit
    const between = this.people(living, day, this.split, 0);
    const toComeBelow = this.people(toCome, day, this.split, 0);
    this.fallingBelow[register] = isYoungest ? -total : (1 - HALF) * (this.young - between - own) + toComeBelow;
    this.risingBelow[register] = isYoungest ? 0 : (1 - HALF) * own - HALF * (old + between);
  }

  private isClose(register: number): boolean {
    const clearance = CLEARANCE * this.totals[register];
    return (
      Math.abs(this.falling[register] + this.rising[register]) < clearance ||
      Math.abs(this.fallingBelow[register] + this.risingBelow[register]) < clearance
    );
  }
}
