import { type CivilDay, civilDay, daysInYear, yearOf } from '@donorlens/primitives';
import { ADULT_AGE } from './adult-ages';
import { type Quartiles } from './age-estimator';
import { extrapolate, gaussianKernel, normalize, smooth, sumOf, varianceOf } from './age-shares';
import { type FittedAges, type Interval, NameProducts, bootstrapDeviations, shareInterval } from './age-intervals';
import { type BirthTable, FEMALE, MALE, SEXES, type Sex, birthYears, inverseBirths } from './birth-table';
import { type CohortSurvival } from './cohort-survival';
import { type DateStep, dateStep, fillCohortWeights, WEIGHTS_PER_COHORT } from './date-weights';
import { type NamedPeople, type Observations, MAX_GROUP_AGE, observationsOf } from './group-observations';
import { BORDER, NO_AGE } from './living-ages';

const AGES = MAX_GROUP_AGE - ADULT_AGE + 1;

/** Estimated age distribution of a group of adults. */
export interface GroupAges {
  /** 0 to 1 by completed age, starting with ADULT_AGE; they add up to 1 */
  readonly shares: Float64Array;
  /** 0 to 1 */
  readonly maleShare: number;
  /** people with an informative name: the birth files list it in a birth year of adults */
  readonly people: number;
  /** number of people of known age that would give the same precision of the mean age */
  readonly effectivePeople: number;
}

/** Estimated age distribution of a group with 95 % sampling intervals. */
export interface GroupIntervals extends GroupAges {
  /** completed years */
  readonly median: Interval;
  /** 0 to 1 by completed age, both ends included */
  readonly bands: readonly { readonly from: number; readonly to: number; readonly share: Interval }[];
}

const BAND_STARTS = [ADULT_AGE, 30, 40, 50, 60, 70, 80];

/** Weight of the parent distribution, as the number of people whose first names carry the same weight. */
const PRIOR_PEOPLE = 50;
/** Share of the variance of ages that first names explain: 0.20 among 4,952 people of known age. */
const EXPLAINED_BY_NAMES = 0.2;
/** Of two iterations each. */
const MAX_ITERATION_PAIRS = 100;
/** Iterations stop if one changes the log-likelihood per person by less than this. */
const MIN_CHANGE = 1e-6;

/**
 * Standard deviation of the smoothing kernel in years: 8 up to 189 people, 5.5 for 400, 3.5 from 988 on. Small groups
 * need more smoothing for a stable estimate; large groups need less to show the shape of the distribution.
 */
const smoothingYears = (people: number): number => Math.min(8, Math.max(3.5, 110 / Math.sqrt(people)));

/** People whom the parent adds, by age. */
const priorPeople = ({ shares }: GroupAges): Float64Array =>
  shares.map((share) => PRIOR_PEOPLE * EXPLAINED_BY_NAMES * share);

/** Parameters that EM estimates. */
type EmParameters = Pick<GroupAges, 'shares' | 'maleShare'>;

/** Result of the E-step. */
interface Expectation {
  /** expected people by date step and cohort */
  readonly born: readonly Float64Array[];
  readonly males: number;
  readonly people: number;
  readonly logLikelihood: number;
}

/** Median age in completed years (NO_AGE for an uninformative name), and first and last day on which it applies. */
export interface MedianDateRange {
  readonly age: number;
  readonly from: CivilDay;
  readonly to: CivilDay;
}

/** In days: dates closer than this to a change of the median are computed singly, so that rounding never decides. */
const CLEAR_DAYS = 1e-6;

/** Smallest completed age that at least the share p of a group has not exceeded. */
export function groupQuantile(shares: Float64Array, p: number): number {
  const border = p * sumOf(shares) * BORDER;
  let sum = 0;
  const at = shares.findIndex((share) => (sum += share) >= border);
  return ADULT_AGE + at;
}

/**
 * Estimates the age distribution of a group from first names by EM with smoothing (EMS), and ages of persons by name.
 * P(name | sex, birth year) is the name's share of all births in the files. Survival cancels out, because it does not
 * depend on the name. The estimator fits the sex ratio of the group together with its ages.
 */
export class GroupAgeEstimator {
  private readonly cohorts: number;
  /** 1 / births of all names, by sex and cohort; 0 for a cohort without births */
  private readonly perBirth: Float64Array;
  /** unnormalized P(age | name) of the name in `setAges`, before all birthdays of the year and after all of them */
  private readonly before = new Float64Array(AGES);
  private readonly after = new Float64Array(AGES);

  constructor(
    private readonly births: BirthTable,
    private readonly survival: CohortSurvival,
  ) {
    this.cohorts = birthYears(births);
    this.perBirth = inverseBirths(births);
  }

  /** Living adult population on a date, from the births of all names: the parent of groups without another parent. */
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
   * Estimate for a group, shrunk toward its parent. A group without known names gets the distribution of its parent.
   * @param people - people by name and date; unknown names (-1) are ignored
   * @returns equal inputs give equal results
   * Source: Silverman, Jones, Wilson, Nychka (1990), A smoothed EM approach to indirect estimation problems.
   */
  estimate(people: Iterable<NamedPeople>, parent: GroupAges): GroupAges {
    return this.fitGroup(observationsOf(people, this.births), parent);
  }

  /**
   * Median and quartiles of the age of one person in the group; null for an uninformative name.
   * @param name - position in the birth files, or -1
   */
  quartiles(name: number, on: CivilDay, group: GroupAges): Quartiles {
    const ages = name < 0 ? null : this.agesOf(name, dateStep(on), group);
    if (ages === null || !(sumOf(ages) > 0)) return { median: null, q25: null, q75: null };
    const [q25, median, q75] = [0.25, 0.5, 0.75].map((p) => groupQuantile(ages, p));
    return { median, q25, q75 };
  }

  /**
   * Median of the ages that `quartiles` uses. Within a year, the people of each age are linear in the share of
   * birthdays that have passed. So the values at both ends of the year determine the day on which the median changes.
   * @param name - position in the birth files
   */
  median(name: number, on: CivilDay, group: GroupAges): MedianDateRange {
    const { year, passed } = dateStep(on);
    this.setAges(name, year, group);
    const { before, after } = this;
    let [first, last] = [-0.5 * BORDER * sumOf(before), -0.5 * BORDER * sumOf(after)];
    const isReached = (): boolean => (1 - passed) * first + passed * last >= 0;
    const onlyOn = { from: on, to: on };
    if (isReached()) return { age: NO_AGE, ...onlyOn };
    for (let at = 0; at < AGES; at++) {
      first += before[at];
      last += after[at];
      if (!isReached()) continue;
      const range = dateRangeOf(year, { first: first - before[at], last: last - after[at] }, { first, last });
      return { age: ADULT_AGE + at, ...(range.from <= on && on <= range.to ? range : onlyOn) };
    }
    return { age: NO_AGE, ...onlyOn };
  }

  /**
   * Estimate with 95 % intervals of the median and of the shares of age bands. One pass computes them; they
   * approximate the intervals from 200 bootstrap resamples of the names.
   */
  intervals(people: Iterable<NamedPeople>, parent: GroupAges): GroupIntervals {
    const observed = observationsOf(people, this.births);
    const group = this.fitGroup(observed, parent);
    const { shares } = group;
    const median = groupQuantile(shares, 0.5);
    const bands = BAND_STARTS.map((from, at) => ({ from, to: (BAND_STARTS[at + 1] ?? MAX_GROUP_AGE + 1) - 1 }));
    const sums = [{ from: ADULT_AGE, to: median }, ...bands].map(({ from, to }) =>
      shares.map((_, at) => (from <= ADULT_AGE + at && ADULT_AGE + at <= to ? 1 : 0)),
    );
    const [ofMedian, ...ofBands] = bootstrapDeviations(this.fitted(observed, group, parent), sums);
    const { low, high } = shareInterval(0.5, ofMedian);
    return {
      ...group,
      median: { value: median, low: groupQuantile(shares, low), high: groupQuantile(shares, high) },
      bands: bands.map((band, at) => {
        const share = shares.reduce((sum, one, age) => sum + one * sums[at + 1][age], 0);
        return { ...band, share: shareInterval(share, ofBands[at]) };
      }),
    };
  }

  /** Unnormalized P(age | name). */
  private agesOf(name: number, { year, passed }: DateStep, group: GroupAges): Float64Array {
    this.setAges(name, year, group);
    return this.before.map((before, at) => (1 - passed) * before + passed * this.after[at]);
  }

  private setAges(name: number, year: number, { shares, maleShare }: GroupAges): void {
    const { before, after, cohorts, perBirth } = this;
    const { rowStart, yearOffset, count, firstYear } = this.births;
    const ofAge = year - firstYear - ADULT_AGE; // cohort that turns 18 in the year
    before.fill(0);
    after.fill(0);
    for (const sex of SEXES) {
      const ofSex = sex === MALE ? maleShare : 1 - maleShare;
      const end = rowStart[2 * name + sex + 1];
      for (let cell = rowStart[2 * name + sex]; cell < end; cell++) {
        const at = ofAge - yearOffset[cell];
        if (at < 0 || at > AGES) continue;
        const share = ofSex * count[cell] * perBirth[sex * cohorts + yearOffset[cell]];
        if (at < AGES) after[at] += share * shares[at];
        if (at > 0) before[at - 1] += share * shares[at - 1];
      }
    }
  }

  private fitGroup(observed: Observations, parent: GroupAges): GroupAges {
    let current: EmParameters = parent;
    let expected = this.expect(observed, current);
    const { people } = expected;
    if (!(people > 0)) return { ...parent, people: 0, effectivePeople: 0 };
    const variance = varianceOf(parent.shares);
    const explainedShare =
      variance > 0 ? Math.min(1, Math.max(0, 1 - this.varianceWithin(observed, parent) / variance)) : 0;
    const kernel = gaussianKernel(AGES, smoothingYears(people));
    const prior = priorPeople(parent);
    const maximize = ({ born, males, people: all }: Expectation, { shares }: EmParameters): EmParameters => {
      const ages = this.expectedAges(observed.steps, born, shares).map((sum, age) => sum + prior[age]);
      return { shares: smooth(ages, kernel), maleShare: males / all };
    };
    for (let pairs = 1; ; pairs++) {
      const first = maximize(expected, current);
      const expectedOfFirst = this.expect(observed, first);
      const second = maximize(expectedOfFirst, first);
      const change = Math.abs(expectedOfFirst.logLikelihood - expected.logLikelihood);
      if (change < MIN_CHANGE || pairs === MAX_ITERATION_PAIRS)
        return { ...second, people, effectivePeople: explainedShare * people };
      // The share of males needs no extrapolation: most names have one sex, so that it settles in a few iterations.
      current = { shares: extrapolate(current.shares, first.shares, second.shares), maleShare: second.maleShare };
      expected = this.expect(observed, current);
    }
  }

  /** Input of `bootstrapDeviations` for a group. */
  private fitted({ names, step, counts, steps }: Observations, group: GroupAges, parent: GroupAges): FittedAges {
    const sums = new NameProducts(AGES);
    names.forEach((name, i) => {
      const ages = this.agesOf(name, steps[step[i]], group);
      const total = sumOf(ages);
      if (total > 0) sums.add(ages, total, counts[i]);
    });
    return {
      shares: group.shares,
      kernel: gaussianKernel(AGES, smoothingYears(group.people)),
      prior: priorPeople(parent),
      expected: sums.expected,
      products: sums.computeProducts(),
    };
  }

  /** E-step: expected people by year of birth, over all names. */
  private expect(observed: Observations, { shares, maleShare }: EmParameters): Expectation {
    const { step, counts, steps } = observed;
    const weights = steps.map((one) => this.weightsByCohort(one, shares, maleShare));
    const perWeight = weights.map(({ length }) => new Float64Array(length));
    const sums = { males: 0, people: 0, logLikelihood: 0 };
    for (let i = 0; i < counts.length; i++) {
      const males = this.weigh(observed, i, MALE, weights[step[i]]);
      const total = males + this.weigh(observed, i, FEMALE, weights[step[i]]);
      if (!(total > 0) || counts[i] === 0) continue;
      for (const sex of SEXES) this.addBirths(observed, i, sex, counts[i] / total, perWeight[step[i]]);
      sums.people += counts[i];
      sums.males += (counts[i] * males) / total;
      sums.logLikelihood += counts[i] * Math.log(total);
    }
    const born = perWeight.map((people, at) => {
      const all = people.map((one, index) => one * weights[at][index]);
      return all.subarray(0, this.cohorts).map((males, cohort) => males + all[this.cohorts + cohort]);
    });
    return { ...sums, born, logLikelihood: sums.logLikelihood / sums.people };
  }

  /** P(name, sex): births times the weights of their cohorts. */
  private weigh({ range }: Observations, i: number, sex: Sex, weights: Float64Array): number {
    const { yearOffset, count } = this.births;
    const ofSex = sex * this.cohorts;
    const end = range[4 * i + 2 * sex + 1];
    let sum = 0;
    for (let cell = range[4 * i + 2 * sex]; cell < end; cell++) sum += count[cell] * weights[ofSex + yearOffset[cell]];
    return sum;
  }

  /** Adds the scaled births of an entry to the sums of their cohorts. */
  private addBirths({ range }: Observations, i: number, sex: Sex, scale: number, sums: Float64Array): void {
    const { yearOffset, count } = this.births;
    const ofSex = sex * this.cohorts;
    const end = range[4 * i + 2 * sex + 1];
    for (let cell = range[4 * i + 2 * sex]; cell < end; cell++) sums[ofSex + yearOffset[cell]] += scale * count[cell];
  }

  /** Mean variance of the age given the name, in years squared. */
  private varianceWithin(observed: Observations, { shares, maleShare }: GroupAges): number {
    const { step, counts, steps } = observed;
    const moments = [0, 1, 2].map((power) =>
      steps.map((one) =>
        this.weightsByCohort(one, shares, maleShare).map((weight, index) => weight * (index % this.cohorts) ** power),
      ),
    );
    let [people, variance] = [0, 0];
    for (let i = 0; i < counts.length; i++) {
      const [total, sum, squares] = moments.map(
        (weights) =>
          this.weigh(observed, i, MALE, weights[step[i]]) + this.weigh(observed, i, FEMALE, weights[step[i]]),
      );
      if (!(total > 0)) continue;
      people += counts[i];
      variance += counts[i] * (squares / total - (sum / total) ** 2);
    }
    return variance / people;
  }

  /** P(name, sex, year of birth) for each birth of the name, by sex and cohort. */
  private weightsByCohort(step: DateStep, shares: Float64Array, maleShare: number): Float64Array {
    const prior = this.sharesByCohort(step, shares);
    return this.perBirth.map(
      (perBirth, index) => (index < this.cohorts ? maleShare : 1 - maleShare) * perBirth * prior[index % this.cohorts],
    );
  }

  /** Shares of a group by birth year. A completed age spans two birth years. */
  private sharesByCohort({ year, passed }: DateStep, shares: Float64Array): Float64Array {
    const prior = new Float64Array(this.cohorts);
    for (let cohort = 0; cohort < this.cohorts; cohort++) {
      const at = year - this.births.firstYear - cohort - ADULT_AGE;
      if (at >= 0 && at < AGES) prior[cohort] += passed * shares[at];
      if (at >= 1 && at <= AGES) prior[cohort] += (1 - passed) * shares[at - 1];
    }
    return prior;
  }

  /** Converts expected people by birth year to expected people by completed age. */
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
}

/** Cumulative people minus the border of the median: before all birthdays of the year, and after all of them. */
interface Excess {
  readonly first: number;
  readonly last: number;
}

/** Days of a year on which the sum `below` an age is under the border and the sum with that age reaches it. */
function dateRangeOf(year: number, below: Excess, reached: Excess): Pick<MedianDateRange, 'from' | 'to'> {
  const dayAt = ({ first, last }: Excess): number =>
    civilDay(year, 1, 1) - 1 + (daysInYear(year) * first) / (first - last);
  const from = Math.max(below.first >= 0 ? dayAt(below) : -Infinity, reached.first < 0 ? dayAt(reached) : -Infinity);
  const to = Math.min(below.last >= 0 ? dayAt(below) : Infinity, reached.last < 0 ? dayAt(reached) : Infinity);
  return {
    from: Math.max(civilDay(year, 1, 1), Math.ceil(from + CLEAR_DAYS)),
    to: Math.min(civilDay(year, 12, 31), Math.floor(to - CLEAR_DAYS)),
  };
}
