import type { CivilDay } from '@donorlens/primitives';
import type { BirthTable } from './birth-table';
import type { CohortSurvival } from './cohort-survival';
import { fillCohortWeights, WEIGHTS_PER_COHORT } from './date-weights';
import { FEMALE, MALE, type Sex, SEXES } from './sex';

/** 4,096 dates of 4.6 kB: eleven years of days, at most 19 MB. */
const DEFAULT_DATES = 4096;
/** A date asked more often is worked out for all cohorts: to ask which are there takes as long as to count a name. */
const OFTEN = 100;

/**
 * Cohort weights of the dates asked last, worked out cohort by cohort as names need them (about 0.4 us each).
 * A hit allocates nothing. Which date leaves is decided by second chance: least recently used, without a list.
 */
export class DateWeightCache {
  private readonly slotOf = new Map<CivilDay, number>();
  private readonly days: CivilDay[] = [];
  private readonly weights: Float64Array[] = [];
  private readonly usedAgain: Uint8Array;
  private readonly asked: Uint8Array;
  private hand = 0;
  private latestDay: CivilDay = NaN;
  private latest: Float64Array;
  private latestSlot = 0;

  constructor(
    private readonly births: BirthTable,
    private readonly survival: CohortSurvival,
    private readonly capacity = DEFAULT_DATES,
  ) {
    this.usedAgain = new Uint8Array(capacity);
    this.asked = new Uint8Array(capacity);
  }

  /**
   * Weights at a date, laid out as fillCohortWeights does; good for the cohorts of the name only.
   * To be read before the next call: the array serves another date later.
   */
  at(on: CivilDay, name: number): Float64Array {
    const weights = this.weightsOf(on);
    if (this.asked[this.latestSlot] > OFTEN) return weights;
    if (++this.asked[this.latestSlot] > OFTEN) this.completeAll(on, weights);
    else {
      this.complete(on, name, MALE, weights);
      this.complete(on, name, FEMALE, weights);
    }
    return weights;
  }

  private completeAll(on: CivilDay, weights: Float64Array): void {
    for (const sex of SEXES)
      for (let cohort = 0; cohort < this.survival.cohorts; cohort++)
        if (Number.isNaN(weights[WEIGHTS_PER_COHORT * (sex * this.survival.cohorts + cohort)]))
          fillCohortWeights(this.survival, sex, this.births.firstYear + cohort, on, weights);
  }

  private complete(on: CivilDay, name: number, sex: Sex, weights: Float64Array): void {
    const { rowStart, yearOffset, firstYear } = this.births;
    const base = sex * this.survival.cohorts;
    for (let cell = rowStart[2 * name + sex]; cell < rowStart[2 * name + sex + 1]; cell++)
      if (Number.isNaN(weights[WEIGHTS_PER_COHORT * (base + yearOffset[cell])]))
        fillCohortWeights(this.survival, sex, firstYear + yearOffset[cell], on, weights);
  }

  private weightsOf(on: CivilDay): Float64Array {
    if (on === this.latestDay) return this.latest;
    const slot = this.slotOf.get(on);
    if (slot !== undefined) this.usedAgain[slot] = 1;
    this.latestSlot = slot ?? this.enter(on);
    this.latest = this.weights[this.latestSlot];
    this.latestDay = on;
    return this.latest;
  }

  private enter(on: CivilDay): number {
    const slot = this.freeSlot();
    this.weights[slot].fill(NaN);
    this.days[slot] = on;
    this.asked[slot] = 0;
    this.slotOf.set(on, slot);
    return slot;
  }

  private freeSlot(): number {
    if (this.weights.length < this.capacity)
      return this.weights.push(new Float64Array(WEIGHTS_PER_COHORT * SEXES.length * this.survival.cohorts)) - 1;
    while (this.usedAgain[this.hand] === 1) {
      this.usedAgain[this.hand] = 0;
      this.hand = (this.hand + 1) % this.capacity;
    }
    const slot = this.hand;
    this.hand = (this.hand + 1) % this.capacity;
    this.slotOf.delete(this.days[slot]);
    return slot;
  }
}
