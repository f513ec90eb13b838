import fc from 'fast-check';
import { civilDay, daysInYear, yearOf } from '@donorlens/primitives';
import { birthTable, mortal } from '../../../../test/support/reference-data/synthetic-tables';
import { ADULT_AGE } from './adult-ages';
import { AgeEstimator } from './age-estimator';
import { type GroupAges, GroupAgeEstimator, groupQuantile } from './group-ages';
import { NO_AGE, ageOrNull } from './living-ages';

/** Births of a name of one decade: most are in its ten years, and some in every other year. */
const ofDecade = (decade: number): Record<number, number> =>
  Object.fromEntries(
    Array.from({ length: 144 }, (_, at) => 1880 + at).map((year) => [
      year,
      year - (year % 10) === decade ? 900 : 20 + (year % 7),
    ]),
  );
const NAMES = ['ava', 'bea', 'cal', 'dan', 'eve', 'fay', 'gus'];
const births = birthTable(
  Object.fromEntries(NAMES.map((name, at) => [name, { [at % 2 === 0 ? 'f' : 'm']: ofDecade(1930 + 10 * at) }])),
);
const ages = new AgeEstimator(births, mortal);
const groups = new GroupAgeEstimator(births, ages.survival);
const ON = civilDay(2020, 12, 31);
const adults = groups.adults(ON);
const nameOf = (name: string): number => ages.nameIndex(name);
const sumOf = (shares: Float64Array): number => shares.reduce((sum, share) => sum + share, 0);
const peopleOf = (counts: readonly number[], on = ON) =>
  counts.map((people, at) => ({ name: nameOf(NAMES[at]), on, people }));

/** A group whose people are in equal parts of the given ages. */
const ofAges = (...all: number[]): GroupAges => {
  const shares = new Float64Array(adults.shares.length);
  for (const age of all) shares[age - ADULT_AGE] += 1 / all.length;
  return { shares, maleShare: 0, people: 1, effectivePeople: 1 };
};

/** Names of one or both sexes, some with gaps between their birth years. */
const MIXED: Record<string, { m?: Record<number, number>; f?: Record<number, number> }> = {
  ava: { f: ofDecade(1950), m: { 1980: 40, 1983: 25 } },
  bo: { m: { 1901: 30, 1955: 9, 1956: 700, 1990: 55 } },
  cal: { m: ofDecade(1930), f: { 1955: 80, 2004: 60 } },
};
const mixedTable = birthTable(MIXED);
const mixed = new GroupAgeEstimator(mixedTable, new AgeEstimator(mixedTable, mortal).survival);

const counts = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: NAMES.length, maxLength: NAMES.length });

describe('the age of a person of a group', () => {
  it('is the median of the ages of the group, each weighted by the share of its births with the name', () => {
    const table = birthTable({ twin: { f: { 1951: 40, 1991: 600 } }, rest: { f: { 1951: 60, 1991: 400 } } });
    const few = new GroupAgeEstimator(table, new AgeEstimator(table, mortal).survival);
    const [old, young] = [2020 - 1951, 2020 - 1991];
    const quartiles = (group: GroupAges) => few.quartiles(table.names.find('twin'), ON, group);
    // 0.4 of those born in 1951 and 0.6 of those born in 1991 have the name, a ratio of 2 to 3.
    expect(quartiles(ofAges(old, young))).toEqual({ median: young, q25: young, q75: old });
    // With three times as many old people, the ratio is 6 to 3.
    expect(quartiles(ofAges(old, old, old, young))).toEqual({ median: old, q25: young, q75: old });
  });

  it('is unknown for an unknown name, or if no age of the group has births of the name', () => {
    const unknown = { median: null, q25: null, q75: null };
    expect(groups.quartiles(-1, ON, adults)).toEqual(unknown);
    expect(groups.quartiles(nameOf('ava'), civilDay(1890, 1, 1), ofAges(40))).toEqual(unknown);
  });
});

describe('quantiles of a name', () => {
  it('are those of P(age | name) summed age by age', () => {
    const day = fc.integer({ min: civilDay(1890, 1, 1), max: civilDay(2060, 12, 31) });
    const people = fc.array(fc.integer({ min: 1, max: 99 }), { minLength: 93, maxLength: 93 });
    fc.assert(
      fc.property(
        fc.constantFrom('ava', 'bo', 'cal'),
        day,
        people,
        fc.integer({ min: 0, max: 100 }),
        (name, on, shares, malePct) => {
          const maleShare = malePct / 100;
          const year = yearOf(on);
          const passed = (on - civilDay(year, 1, 1) + 1) / daysInYear(year);
          const born = (who: string, sex: 'm' | 'f', birthYear: number) => MIXED[who][sex]?.[birthYear] ?? 0;
          const tells = (sex: 'm' | 'f', birthYear: number) => {
            const all = Object.keys(MIXED).reduce((sum, who) => sum + born(who, sex, birthYear), 0);
            return all === 0 ? 0 : born(name, sex, birthYear) / all;
          };
          const posterior = shares.map((share, at) =>
            (['m', 'f'] as const).reduce((sum, sex) => {
              const birthYear = year - ADULT_AGE - at;
              const told = passed * tells(sex, birthYear) + (1 - passed) * tells(sex, birthYear - 1);
              return sum + (sex === 'm' ? maleShare : 1 - maleShare) * share * told;
            }, 0),
          );
          const total = posterior.reduce((sum, share) => sum + share, 0);
          const group = { shares: Float64Array.from(shares), maleShare, people: 1, effectivePeople: 1 };
          const at = (p: number) => (total > 0 ? groupQuantile(Float64Array.from(posterior), p) : null);
          const index = mixedTable.names.find(name);
          expect(mixed.quartiles(index, on, group)).toEqual({ median: at(0.5), q25: at(0.25), q75: at(0.75) });
          expect(ageOrNull(mixed.median(index, on, group).age)).toBe(at(0.5));
        },
      ),
    );
  });
});

describe('the median of a name', () => {
  const day = fc.integer({ min: civilDay(1995, 1, 1), max: civilDay(2060, 12, 31) });
  const people = fc.array(fc.nat(99), { minLength: 93, maxLength: 93 });

  it('is the same from the first to the last day of its range, and differs on the days before and after', () => {
    fc.assert(
      fc.property(fc.constantFrom('ava', 'bo', 'cal'), day, people, fc.nat(365), (name, on, shares, other) => {
        const group = { shares: Float64Array.from(shares), maleShare: 0.3, people: 1, effectivePeople: 1 };
        const index = mixedTable.names.find(name);
        const medianOn = (date: number) => mixed.quartiles(index, date, group).median;
        const { age, from, to } = mixed.median(index, on, group);
        expect([from <= on, on <= to]).toEqual([true, true]);
        for (const date of [from, from + (other % (to - from + 1)), to]) expect(medianOn(date)).toBe(ageOrNull(age));
        if (age === NO_AGE) return;
        for (const date of [from - 1, to + 1]) if (yearOf(date) === yearOf(on)) expect(medianOn(date)).not.toBe(age);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the ages of a group', () => {
  it('are those of its parent if it has no known name', () => {
    expect(groups.estimate([], adults)).toEqual({ ...adults, people: 0, effectivePeople: 0 });
    expect(groups.estimate([{ name: -1, on: ON, people: 9 }], ofAges(50)).shares).toEqual(ofAges(50).shares);
  });

  it('add up to 1 for any names, and do not depend on the order of rows', () => {
    fc.assert(
      fc.property(counts, fc.integer({ min: civilDay(1970, 1, 1), max: civilDay(2026, 1, 1) }), (people, on) => {
        const group = groups.estimate(peopleOf(people, on), groups.adults(on));
        expect(sumOf(group.shares)).toBeCloseTo(1, 9);
        expect(group.shares.every((share) => share >= 0)).toBe(true);
        expect(group.people).toBe(people.reduce((sum, n) => sum + n, 0));
        expect(group.effectivePeople).toBeGreaterThanOrEqual(0);
        expect(group.effectivePeople).toBeLessThanOrEqual(group.people);
        expect(group.maleShare).toBeGreaterThanOrEqual(0);
        expect(group.maleShare).toBeLessThanOrEqual(1 + 1e-12);
        const rows = peopleOf(people, on).flatMap((one) =>
          Array.from({ length: one.people }, () => ({ ...one, people: 1 })),
        );
        const again = groups.estimate(rows.reverse(), groups.adults(on));
        group.shares.forEach((share, at) => expect(again.shares[at]).toBeCloseTo(share, 9));
      }),
      { numRuns: 10 },
    );
  });

  it('are the fixed point of EM with smoothing, as 1,000 iterations without acceleration find it', () => {
    const parent = mixed.adults(ON);
    const people = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(people, (ofNames) => {
        const named = Object.keys(MIXED).map((name, at) => {
          return { name: mixedTable.names.find(name), on: ON, people: ofNames[at] };
        });
        const { shares, maleShare } = mixed.estimate(named, parent);
        const plain = plainEstimate(ofNames, parent);
        expect(sumOf(shares.map((share, at) => Math.abs(share - plain.shares[at])))).toBeLessThan(0.01);
        expect(Math.abs(maleShare - plain.maleShare)).toBeLessThan(0.01);
      }),
      { numRuns: 5 },
    );
  });

  it('move further from the parent toward the ages of the names with more people', () => {
    const medianOf = (people: number) => groupQuantile(groups.estimate(peopleOf([people]), adults).shares, 0.5);
    const [prior, few, some, many] = [groupQuantile(adults.shares, 0.5), medianOf(5), medianOf(40), medianOf(4000)];
    expect(prior).toBeLessThan(few);
    expect(few).toBeLessThan(some);
    expect(some).toBeLessThan(many);
    expect(Math.abs(many - 86)).toBeLessThanOrEqual(2); // most were born from 1930 to 1939
  });

  it('use the age of each person on the date of that person', () => {
    const earlier = civilDay(2010, 12, 31);
    const group = groups.estimate([...peopleOf([0, 0, 300]), ...peopleOf([0, 300], earlier)], adults);
    const median = groupQuantile(group.shares, 0.5);
    expect(Math.abs(median - 65.5)).toBeLessThanOrEqual(2); // most born 1950-1959, or 1940-1949 for the date in 2010
  });

  it('have intervals close to those from 200 resamples of the names, narrower for more people', () => {
    const random = randomNumbers(7);
    const widths = [20, 1000].map((scale) => {
      const people = peopleOf([3 * scale, scale, 2 * scale, 0, scale, 0, scale]);
      const { shares, median, bands } = groups.intervals(people, adults);
      const resampled = Array.from({ length: 200 }, () =>
        groups.estimate(
          people.map((one) => ({ ...one, people: poisson(one.people, random) })),
          adults,
        ),
      );
      expect(shares).toEqual(groups.estimate(people, adults).shares);
      expect(bands.map(({ from, to }) => to - from + 1)).toEqual([12, 10, 10, 10, 10, 10, 31]);
      expect(sumOf(Float64Array.from(bands, ({ share }) => share.value))).toBeCloseTo(1, 9);
      for (const { from, to, share } of bands) {
        const parts = resampled.map((one) => sumOf(one.shares.subarray(from - ADULT_AGE, to - ADULT_AGE + 1)));
        const deviation = Math.sqrt(parts.reduce((sum, part) => sum + (part - share.value) ** 2, 0) / parts.length);
        const width = Math.min(1, share.value + 1.96 * deviation) - Math.max(0, share.value - 1.96 * deviation);
        expect(Math.abs(share.high - share.low - width)).toBeLessThanOrEqual(0.2 * width);
      }
      const medians = resampled.map((one) => groupQuantile(one.shares, 0.5)).sort((a, b) => a - b);
      expect(Math.abs(median.low - medians[5])).toBeLessThanOrEqual(2);
      expect(Math.abs(median.high - medians[194])).toBeLessThanOrEqual(2);
      return median.high - median.low;
    });
    expect(widths[1]).toBeLessThan(widths[0]);
  });
});

/**
 * The estimate of up to 189 people with the names of MIXED, by its definition. ON counts as the middle of its quarter.
 */
function plainEstimate(people: readonly number[], parent: GroupAges): Pick<GroupAges, 'shares' | 'maleShare'> {
  const born = (name: string, sex: 'm' | 'f', year: number) => MIXED[name][sex]?.[year] ?? 0;
  const [PASSED, SMOOTHING_YEARS, PRIOR] = [0.875, 8, 50 * 0.2];
  const years = [...parent.shares.keys()].map((at) => 2020 - ADULT_AGE - at);
  const likely = (['m', 'f'] as const).map((sex) =>
    Object.keys(MIXED).map((name) => {
      const shareOf = (year: number) =>
        born(name, sex, year) /
        Math.max(1, sumOf(Float64Array.from(Object.keys(MIXED), (one) => born(one, sex, year))));
      return years.map((year) => PASSED * shareOf(year) + (1 - PASSED) * shareOf(year - 1));
    }),
  );
  let { shares, maleShare } = parent;
  for (let i = 0; i < 1000; i++) {
    const joint = people.map((n, name) => {
      const ofSex = [maleShare, 1 - maleShare].map((share, sex) =>
        shares.map((one, at) => share * one * likely[sex][name][at]),
      );
      const scale = n / (sumOf(ofSex[0]) + sumOf(ofSex[1]));
      return { males: scale * sumOf(ofSex[0]), ages: ofSex[0].map((one, at) => scale * (one + ofSex[1][at])) };
    });
    const ages = parent.shares.map((prior, at) => joint.reduce((sum, one) => sum + one.ages[at], PRIOR * prior));
    const smooth = ages.map((_, at) =>
      ages.reduce((sum, n, other) => sum + n * Math.exp(-0.5 * ((at - other) / SMOOTHING_YEARS) ** 2), 0),
    );
    const total = sumOf(smooth);
    shares = smooth.map((n) => n / total);
    maleShare = joint.reduce((sum, { males }) => sum + males, 0) / people.reduce((sum, n) => sum + n, 0);
  }
  return { shares, maleShare };
}

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
}

/** Draws a Poisson number; uses the normal approximation for means above 40. */
function poisson(mean: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
  if (mean > 40) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  let drawn = 0;
  for (let left = Math.exp(mean) * random(); left > 1; left *= random()) drawn++;
  return drawn;
}
