import { type CivilDay, yearOf } from '@donorlens/primitives';
import { type BirthTable, FEMALE, MALE } from './birth-table';
import { BORDER, NO_AGE } from './living-ages';
import { type YearWeights } from './year-weights';

/** Share of the living that a median must reach: 0.5, lowered by the rounding allowance of LivingAges. */
const HALF = 0.5 * BORDER;
/** Bounds and sums must differ from the border by this share of the living, so that rounding never decides an age. */
const CLEARANCE = 1e-10;
/** Entries for the two ends of a year and for the bisections between them: a year needs at most nine levels. */
const REGISTERS = 12;

/**
 * Computes the median age of a name on dates of one calendar year, and proves that it cannot change between two dates.
 *
 * The age is a if F(a - 1) < h T <= F(a). F counts the living who completed at most that age, T all living; h is HALF.
 * Let G(a) = F(a) - h T. In year Y, people of age a or less are those born in cohorts Y - a to Y, and those of cohort
 * Y - a - 1 whose birthday is still to come (N). Let L be the living of cohorts Y - a to Y - 1, Own the living of
 * cohort Y, and Old the living of cohort Y - a - 1 and earlier cohorts. Then
 *   G(a) = falling + rising,  falling = (1 - h) L + N,  rising = (1 - h) Own - h Old,
 * because L, N and Old never rise from day to day and Own never falls (see YearWeights for the reason).
 * So between two dates G(a) is at least falling(last) + rising(first) and at most falling(first) + rising(last).
 */
export class MedianBounds {
  private readonly ownCohort: number;
  private name = 0;
  /** Cells of the name by sex: first cell, end, first young cell, and cell of the own cohort (the end without one). */
  private readonly from = [0, 0];
  private readonly to = [0, 0];
  private readonly split = [0, 0];
  private readonly ownCell = [0, 0];
  /** Cohorts from this one on are young; the age is ownCohort - slot. The next `read` starts at the last value. */
  private slot = 0;
  private young = 0;
  private old = 0;
  /** Values that `read` computed, one entry per register; `Below` refers to the border of the next lower age. */
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

  /** Selects the name that `read` and `isConstant` use until the next call of `open`. */
  open(name: number): void {
    this.name = name;
    for (let sex = MALE; sex <= FEMALE; sex++) {
      this.from[sex] = this.births.rowStart[2 * name + sex];
      this.to[sex] = this.births.rowStart[2 * name + sex + 1];
      this.split[sex] = this.firstCellFrom(sex, this.slot);
      this.ownCell[sex] = this.firstCellFrom(sex, this.ownCohort);
    }
  }

  /** Median age that `read` stored in a register; NO_AGE if no person with the name is alive. */
  age(register: number): number {
    return this.ages[register];
  }

  /** Stores the median age on a date in a register, with the terms of the bounds at both borders of the age. */
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
      this.falling[register] = NaN; // `isConstant` then returns false
    }
  }

  /** True if the age is proven constant from the date of register `first` to the date of register `last`. */
  isConstant(first: number, last: number): boolean {
    if (this.ages[first] !== this.ages[last]) return false;
    if (this.ages[first] === NO_AGE) return true; // earlier cohorts are empty on the first date, Own on the last
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

  /** Moves the slot to the youngest age for which F reaches the border. */
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

  /** People of the slot's cohort (step 0) or of the preceding cohort (step -1). */
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
    const hasNoYoungerPeople = this.slot >= this.ownCohort; // F(-1) = 0 is always below the border
    const between = this.people(living, day, this.split, 0);
    const toComeBelow = this.people(toCome, day, this.split, 0);
    this.fallingBelow[register] = hasNoYoungerPeople ? -total : (1 - HALF) * (this.young - between - own) + toComeBelow;
    this.risingBelow[register] = hasNoYoungerPeople ? 0 : (1 - HALF) * own - HALF * (old + between);
  }

  private isClose(register: number): boolean {
    const clearance = CLEARANCE * this.totals[register];
    return (
      Math.abs(this.falling[register] + this.rising[register]) < clearance ||
      Math.abs(this.fallingBelow[register] + this.risingBelow[register]) < clearance
    );
  }
}
