import { type CivilDay, yearOf } from '@donorlens/primitives';
import { ADULT_AGE } from './adult-ages';
import { type Quartiles } from './age-estimator';
import {
  type FittedAges,
  type Interval,
  addProducts,
  bootstrapDeviations,
  intervalAround,
  mirror,
} from './age-intervals';
import { type BirthTable, MALE, SEXES, birthYears, inverseBirths } from './birth-table';
import { type CohortSurvival } from './cohort-survival';
import { type DateStep, dateStep, fillCohortWeights, WEIGHTS_PER_COHORT } from './date-weights';
import { BORDER, LivingAges, orNull } from './living-ages';

/** Oldest completed age of a group. */
export const MAX_GROUP_AGE = 110;
const AGES = MAX_GROUP_AGE - ADULT_AGE + 1;

/** People of one first name, by its position in the birth files, and the day on which their ages are counted. */
export interface NamedPeople {
  readonly name: number;
  readonly on: CivilDay;
  readonly people: number;
}

/** Estimated ages of a group of adults. */
export interface GroupAges {
  /** 0 to 1 by completed age, ADULT_AGE first; they add up to 1 */
  readonly shares: Float64Array;
  /** 0 to 1 */
  readonly maleShare: number;
  /** people whose name tells anything: it is in the birth files in a year that an adult can be born in */
  readonly people: number;
  /** so many people of known age would tell as much about the mean age */
  readonly effectivePeople: number;
}

/** Estimated ages of a group, and how much they would vary if other people of the same kind were in it. */
export interface GroupIntervals extends GroupAges {
  /** completed years */
  readonly median: Interval;
  /** 0 to 1 by completed age, both ends included */
  readonly bands: readonly { readonly from: number; readonly to: number; readonly share: Interval }[];
}

const BAND_STARTS = [ADULT_AGE, 30, 40, 50, 60, 70, 80];

/** The parent counts as much as so many people of the group. */
const PRIOR_PEOPLE = 50;
/** Of the variance of ages, the part that first names explain: 0.20 among 4,952 people of known age. */
const TOLD_BY_NAMES = 0.2;
const MAX_ITERATIONS = 200;
/** Gain of the log-likelihood per person below which an estimate is final. */
const MIN_GAIN = 1e-6;
/** Dates are taken to the quarter of a year: names have counts by year of birth only. */
const STEPS_A_YEAR = 4;
const MAX_YEAR = 10_000;

/**
 * Standard deviation of the smoothing kernel in years: 8 below 156 people, 6 with 280, 3 from 1,111 on. Small groups need a
 * steady estimate, large ones show their shape.
 */
const smoothingYears = (people: number): number => Math.min(8, Math.max(3.5, 110 / Math.sqrt(people)));

/** Distinct names and dates of a group as parallel arrays. */
interface Observations {
  readonly names: Int32Array;
  /** position in `steps` */
  readonly step: Int32Array;
  readonly counts: Float64Array;
  readonly steps: readonly DateStep[];
}

/** What one pass over the names yields. */
interface Expectation {
  /** expected people by date step and cohort */
  readonly born: readonly Float64Array[];
  readonly males: number;
  readonly people: number;
  readonly logLikelihood: number;
  /** mean variance of the age given the name, in years squared */
  readonly varianceWithin: number;
}

/** Smallest completed age up to which at least the share p of a group has come. */
export function groupQuantile(shares: Float64Array, p: number): number {
  const border = p * shares.reduce((sum, share) => sum + share, 0) * BORDER;
  let sum = 0;
  const at = shares.findIndex((share) => (sum += share) >= border);
  return ADULT_AGE + at;
}

/**
 * Age distribution of a group from first names alone, by EM with smoothing (EMS), and ages of its people given their names.
 * P(name | sex, year of birth) is the name's share of all births in the files; survival cancels, because it does not depend
 * on the name. The sex ratio of the group is estimated with its ages.
 */
export class GroupAgeEstimator {
  private readonly cohorts: number;
  /** 1 / births of all names, by sex and cohort; 0 where there are none */
  private readonly perBirth: Float64Array;
  /** of the name at hand */
  private readonly cellShares: Float64Array;
  private readonly people: LivingAges;
  /** for `people`, of the group and date in `weighed` */
  private readonly weights: Float64Array;
  private weighed: { readonly step: DateStep; readonly group: GroupAges } | null = null;

  constructor(
    private readonly births: BirthTable,
    private readonly survival: CohortSurvival,
  ) {
    this.cohorts = birthYears(births);
    this.perBirth = inverseBirths(births);
    this.cellShares = new Float64Array(SEXES.length * this.cohorts);
    this.people = new LivingAges(births);
    this.weights = new Float64Array(SEXES.length * this.cohorts * WEIGHTS_PER_COHORT);
  }

  /** The adult population at a date: births of all names that are living. It is the parent of groups without another. */
  adults(on: CivilDay): GroupAges {
    const weights = new Float64Array(SEXES.length * this.cohorts * WEIGHTS_PER_COHORT);
    const shares = new Float64Array(AGES);
    for (const sex of SEXES)
      for (let cohort = 0; cohort < this.cohorts; cohort++) {
        fillCohortWeights(this.survival, sex, this.births.firstYear + cohort, on, weights);
        const index = sex * this.cohorts + cohort;
        const born = this.perBirth[index] === 0 ? 0 : 1 / this.perBirth[index];
        const at = yearOf(on) - this.births.firstYear - cohort - ADULT_AGE;
        for (const [age, weight] of [
          [at, weights[WEIGHTS_PER_COHORT * index]],
          [at - 1, weights[WEIGHTS_PER_COHORT * index + 1]],
        ])
          if (age >= 0 && age < AGES) shares[age] += born * weight;
      }
    normalize(shares);
    return { shares, maleShare: 0.5, people: 0, effectivePeople: 0 };
  }

  /**
   * Estimate for a group, shrunk toward its parent: a group without known names is its parent.
   * @param people - names that are not in the birth files (-1) count for nothing
   * @returns equal inputs give equal results
   * Source: Silverman, Jones, Wilson, Nychka (1990), A smoothed EM approach to indirect estimation problems.
   */
  estimate(people: Iterable<NamedPeople>, parent: GroupAges): GroupAges {
    return this.fit(this.observationsOf(people), parent);
  }

  /**
   * Median and quartiles of the age of one person of the group; null where the name tells nothing.
   * @param name - position in the birth files, or -1
   */
  quartiles(name: number, on: CivilDay, group: GroupAges): Quartiles {
    if (name < 0) return { median: null, q25: null, q75: null };
    this.count(name, dateStep(on), group);
    const [q25, median, q75] = [0.25, 0.5, 0.75].map((p) => orNull(this.people.quantile(p)));
    return { median, q25, q75 };
  }

  /** One quantile of the same ages, p from 0 to 1. */
  quantile(p: number, name: number, on: CivilDay, group: GroupAges): number | null {
    if (name < 0) return null;
    this.count(name, dateStep(on), group);
    return orNull(this.people.quantile(p));
  }

  /**
   * The estimate with 95 % intervals of the median and of the shares of age bands, as 200 resamples of the names would
   * give them; computed in one pass.
   */
  intervals(people: Iterable<NamedPeople>, parent: GroupAges): GroupIntervals {
    const observed = this.observationsOf(people);
    const group = this.fit(observed, parent);
    const { shares } = group;
    const median = groupQuantile(shares, 0.5);
    const bands = BAND_STARTS.map((from, at) => ({ from, to: (BAND_STARTS[at + 1] ?? MAX_GROUP_AGE + 1) - 1 }));
    const sums = [{ from: ADULT_AGE, to: median }, ...bands].map(({ from, to }) =>
      shares.map((_, at) => (from <= ADULT_AGE + at && ADULT_AGE + at <= to ? 1 : 0)),
    );
    const [ofMedian, ...ofBands] = bootstrapDeviations(this.fitted(observed, group, parent), sums);
    const { low, high } = intervalAround(0.5, ofMedian);
    return {
      ...group,
      median: { value: median, low: groupQuantile(shares, low), high: groupQuantile(shares, high) },
      bands: bands.map((band, at) => {
        const share = shares.reduce((sum, one, age) => sum + one * sums[at + 1][age], 0);
        return { ...band, share: intervalAround(share, ofBands[at]) };
      }),
    };
  }

  /** Fills `people` with P(age | name), not normalized. */
  private count(name: number, step: DateStep, group: GroupAges): void {
    const { weighed } = this;
    if (group !== weighed?.group || step.year !== weighed.step.year || step.passed !== weighed.step.passed)
      this.setWeights(step, group);
    this.people.count(name, step.year, this.weights);
  }

  /** Births times a weight are people of that age: a cohort has two of them, after and before the birthday. */
  private setWeights(step: DateStep, group: GroupAges): void {
    const { weights, cohorts, perBirth } = this;
    const { shares, maleShare } = group;
    this.weighed = { step, group };
    weights.fill(0);
    const ofAge = step.year - this.births.firstYear - ADULT_AGE; // cohort of the age of 18
    for (let index = 0; index < perBirth.length; index++) {
      const isMale = index < cohorts;
      const at = ofAge - (isMale ? index : index - cohorts);
      if (at < 0 || at > AGES) continue;
      const share = perBirth[index] * (isMale ? maleShare : 1 - maleShare);
      if (at < AGES) weights[2 * index] = share * step.passed * shares[at];
      if (at > 0) weights[2 * index + 1] = share * (1 - step.passed) * shares[at - 1];
    }
  }

  private fit(observed: Observations, parent: GroupAges): GroupAges {
    let { shares, maleShare } = parent;
    const { people, varianceWithin } = this.expect(observed, parent.shares, parent.maleShare);
    if (!(people > 0)) return { ...parent, people: 0, effectivePeople: 0 };
    const variance = varianceOf(parent.shares);
    const told = variance > 0 ? Math.min(1, Math.max(0, 1 - varianceWithin / variance)) : 0;
    const kernel = gaussian(smoothingYears(people));
    let last = -Infinity;
    for (let i = 0; i < MAX_ITERATIONS; i++) {
      const expected = this.expect(observed, shares, maleShare);
      const next = this.expectedAges(observed.steps, expected.born, shares);
      for (let age = 0; age < AGES; age++) next[age] += PRIOR_PEOPLE * TOLD_BY_NAMES * parent.shares[age];
      shares = smoothed(next, kernel);
      maleShare = expected.males / expected.people;
      const gain = expected.logLikelihood - last;
      if (gain < MIN_GAIN) break;
      last = expected.logLikelihood;
    }
    return { shares, maleShare, people, effectivePeople: told * people };
  }

  /** What the intervals of a group follow from. The quarters of a year are taken together, which takes half the time. */
  private fitted(observed: Observations, group: GroupAges, parent: GroupAges): FittedAges {
    const expected = new Float64Array(AGES);
    const products = new Float64Array(AGES * AGES);
    for (const { name, step, people } of byYear(observed)) {
      this.count(name, step, group);
      const ages = Float64Array.from({ length: AGES }, (_, at) => this.people.at(ADULT_AGE + at));
      const total = this.people.total();
      if (total > 0) addProducts(ages, people / total, 1 / total, expected, products);
    }
    mirror(products);
    const prior = parent.shares.map((share) => PRIOR_PEOPLE * TOLD_BY_NAMES * share);
    return { shares: group.shares, kernel: gaussian(smoothingYears(group.people)), prior, expected, products };
  }

  /** E-step: expected people by year of birth, over all names. */
  private expect(observed: Observations, shares: Float64Array, maleShare: number): Expectation {
    const { names, step, counts, steps } = observed;
    const priors = steps.map((one) => this.sharesByCohort(one, shares));
    const born = steps.map(() => new Float64Array(this.cohorts));
    const sums = { males: 0, people: 0, logLikelihood: 0, variance: 0 };
    for (let i = 0; i < names.length; i++) {
      const { total, males, variance } = this.weigh(names[i], priors[step[i]], maleShare);
      if (!(total > 0) || counts[i] === 0) continue;
      this.addTo(born[step[i]], names[i], counts[i] / total);
      sums.people += counts[i];
      sums.males += (counts[i] * males) / total;
      sums.logLikelihood += counts[i] * Math.log(total);
      sums.variance += counts[i] * variance;
    }
    const { people } = sums;
    return { ...sums, born, logLikelihood: sums.logLikelihood / people, varianceWithin: sums.variance / people };
  }

  /** P(name, year of birth) of each cell of a name, in `cellShares`. */
  private weigh(
    name: number,
    prior: Float64Array,
    maleShare: number,
  ): { total: number; males: number; variance: number } {
    const { rowStart, yearOffset, count } = this.births;
    const first = rowStart[2 * name];
    let [total, males, sum, squares] = [0, 0, 0, 0];
    for (const sex of SEXES) {
      const ofSex = sex === MALE ? maleShare : 1 - maleShare;
      const end = rowStart[2 * name + sex + 1];
      for (let cell = rowStart[2 * name + sex]; cell < end; cell++) {
        const cohort = yearOffset[cell];
        const share = ofSex * count[cell] * this.perBirth[sex * this.cohorts + cohort] * prior[cohort];
        this.cellShares[cell - first] = share;
        total += share;
        sum += share * cohort;
        squares += share * cohort * cohort;
      }
      if (sex === MALE) males = total;
    }
    return { total, males, variance: squares / total - (sum / total) ** 2 };
  }

  /** Adds the people of a name, as `weigh` has just shared them out, by year of birth. */
  private addTo(born: Float64Array, name: number, scale: number): void {
    const { rowStart, yearOffset } = this.births;
    const first = rowStart[2 * name];
    const end = rowStart[2 * name + SEXES.length];
    for (let cell = first; cell < end; cell++) born[yearOffset[cell]] += scale * this.cellShares[cell - first];
  }

  /** Shares of a group by year of birth. A completed age spans two of them. */
  private sharesByCohort({ year, passed }: DateStep, shares: Float64Array): Float64Array {
    const prior = new Float64Array(this.cohorts);
    for (let cohort = 0; cohort < this.cohorts; cohort++) {
      const at = year - this.births.firstYear - cohort - ADULT_AGE;
      if (at >= 0 && at < AGES) prior[cohort] += passed * shares[at];
      if (at >= 1 && at <= AGES) prior[cohort] += (1 - passed) * shares[at - 1];
    }
    return prior;
  }

  /** Expected people by completed age, from those by year of birth. */
  private expectedAges(steps: readonly DateStep[], born: readonly Float64Array[], shares: Float64Array): Float64Array {
    const people = new Float64Array(AGES);
    steps.forEach((one, at) => {
      const prior = this.sharesByCohort(one, shares);
      for (let age = 0; age < AGES; age++) {
        const cohort = one.year - this.births.firstYear - age - ADULT_AGE;
        const part = (index: number, share: number): number =>
          prior[index] > 0 ? (born[at][index] * share * shares[age]) / prior[index] : 0;
        people[age] += part(cohort, one.passed) + part(cohort - 1, 1 - one.passed);
      }
    });
    return people;
  }

  /** People by distinct name and date step, in the order of their first appearance. */
  private observationsOf(people: Iterable<NamedPeople>): Observations {
    const steps = new Map<number, number>();
    const counts = new Map<number, Map<number, number>>();
    for (const { name, on, people: n } of people) {
      if (name < 0) continue;
      const { year, passed } = dateStep(on);
      const key = year * STEPS_A_YEAR + Math.min(STEPS_A_YEAR - 1, Math.floor(passed * STEPS_A_YEAR));
      const step = steps.get(key) ?? steps.size;
      steps.set(key, step);
      const ofStep = counts.get(step) ?? new Map<number, number>();
      counts.set(step, ofStep.set(name, (ofStep.get(name) ?? 0) + n));
    }
    const all = [...counts].flatMap(([step, ofStep]) => [...ofStep].map(([name, n]) => ({ step, name, n })));
    return {
      names: Int32Array.from(all, ({ name }) => name),
      step: Int32Array.from(all, ({ step }) => step),
      counts: Float64Array.from(all, ({ n }) => n),
      steps: [...steps.keys()].map((key) => ({
        year: Math.floor(key / STEPS_A_YEAR),
        passed: ((key % STEPS_A_YEAR) + 0.5) / STEPS_A_YEAR,
      })),
    };
  }
}

/** Names with their people by calendar year, each at its first date. */
function byYear({
  names,
  step,
  counts,
  steps,
}: Observations): Iterable<{ name: number; step: DateStep; people: number }> {
  const all = new Map<number, { name: number; step: DateStep; people: number }>();
  names.forEach((name, i) => {
    const on = steps[step[i]];
    const key = name * MAX_YEAR + on.year;
    const one = all.get(key);
    if (one) one.people += counts[i];
    else all.set(key, { name, step: on, people: counts[i] });
  });
  return all.values();
}

function normalize(shares: Float64Array): Float64Array {
  const sum = shares.reduce((total, share) => total + share, 0);
  for (let at = 0; at < shares.length; at++) shares[at] /= sum;
  return shares;
}

/** Weights of a Gaussian by distance in years. */
const gaussian = (sd: number): Float64Array =>
  Float64Array.from({ length: AGES }, (_, years) => Math.exp(-0.5 * (years / sd) ** 2));

/** Convolved with the kernel; what would fall outside the ages is left out. */
function smoothed(people: Float64Array, kernel: Float64Array): Float64Array {
  const shares = new Float64Array(AGES);
  for (let from = 0; from < AGES; from++)
    for (let at = 0; at < AGES; at++) shares[at] += people[from] * kernel[Math.abs(at - from)];
  return normalize(shares);
}

function varianceOf(shares: Float64Array): number {
  const moment = (power: number): number => shares.reduce((sum, share, at) => sum + share * at ** power, 0);
  return moment(2) - moment(1) ** 2;
}
