import { birthTable } from '../../../../test/support/reference-data/synthetic-tables';
import { FEMALE, MALE, type Sex, birthYears } from './birth-table';
import { WEIGHTS_PER_COHORT } from './date-weights';
import { LivingAges, NO_AGE, UNDECIDED } from './living-ages';

const births = birthTable({ pat: { m: { 1970: 50, 1971: 30 }, f: { 1980: 100 } } });
const COHORTS = birthYears(births);

/** Weights on a date after all birthdays of the year, except for the share `toCome` of each cohort. */
function weights(livingM: number, livingF: number, toCome = 0): Float64Array {
  const all = new Float64Array(2 * COHORTS * WEIGHTS_PER_COHORT);
  for (let at = 0; at < all.length; at += WEIGHTS_PER_COHORT) {
    const living = at < COHORTS * WEIGHTS_PER_COHORT ? livingM : livingF;
    all[at] = living * (1 - toCome);
    all[at + 1] = living * toCome;
  }
  return all;
}

function countedAges(dateWeights: Float64Array, only?: Sex): LivingAges {
  const ages = new LivingAges(births);
  ages.count(0, 2019, weights(3, 3, 0.5)); // an earlier count leaves nothing behind
  ages.dropBelow(200);
  ages.count(0, 2020, dateWeights, only);
  return ages;
}

describe('living people by age', () => {
  it('have the age of their cohort, or one year less before the birthday', () => {
    const ages = countedAges(weights(1, 1, 0.5), MALE);
    // 15 of the cohort of 1971 are 48; with 25 of 1970 and 15 of 1971, 40 are 49; 25 are 50.
    expect(ages.total()).toBe(80);
    expect([0.18, 0.19, 0.68, 0.69, 1].map((p) => ages.quantile(p))).toEqual([48, 49, 49, 50, 50]);
  });

  it('are those of both sexes, or of one', () => {
    const all = weights(1, 0.5);
    expect([countedAges(all), countedAges(all, MALE), countedAges(all, FEMALE)].map((ages) => ages.total())).toEqual([
      130, 80, 50,
    ]);
    expect(
      [countedAges(all), countedAges(all, MALE), countedAges(all, FEMALE)].map((ages) => ages.quantile(0.5)),
    ).toEqual([...[49, 50, 40]]);
  });

  it('below a minimum age are not counted', () => {
    const ages = countedAges(weights(1, 1));
    const countedFrom = (minAge: number): number[] => {
      ages.dropBelow(minAge);
      return [ages.total(), ages.quantile(0.5)];
    };
    expect([0, 40, 41, 49, 50, 51, 200].map(countedFrom)).toEqual([
      ...[
        [180, 40],
        [180, 40],
        [80, 50],
      ],
      ...[
        [80, 50],
        [50, 50],
        [0, NO_AGE],
        [0, NO_AGE],
      ],
    ]);
  });

  it('born in the first or last year of the edition are counted', () => {
    const ends = birthTable({ eve: { f: { 1880: 5, 2023: 6 } } });
    const ages = new LivingAges(ends);
    ages.count(0, 2024, weights(1, 1, 0.5));
    expect(ages.total()).toBe(11);
    expect([0.2, 0.5, 0.6, 0.8].map((p) => ages.quantile(p))).toEqual([0, 1, 143, 144]);
    ages.dropBelow(143);
    expect(ages.roundedMedian()).toBe(UNDECIDED); // one half at each of two ages
  });
});

describe('the median from rounded weights', () => {
  it.each([
    ['clearly fewer than', 0.7, 49],
    ['4e-5 fewer than', 0.8 * (1 - 4e-5), 49],
    ['1e-6 fewer than', 0.8 * (1 - 1e-6), UNDECIDED],
    ['as many as', 0.8, UNDECIDED],
    ['1e-6 more than', 0.8 * (1 + 1e-6), UNDECIDED],
    ['4e-5 more than', 0.8 * (1 + 4e-5), 40],
    ['clearly more than', 1, 40],
  ])('is undecided if rounding could change it: %s half of the people are 40', (_number, livingF, age) => {
    const ages = countedAges(weights(1, livingF));
    expect(ages.roundedMedian()).toBe(age);
    if (age !== UNDECIDED) expect(ages.quantile(0.5)).toBe(age);
  });

  it('is undecided if so few people are left that their weights have lost digits', () => {
    expect(countedAges(weights(0, 0)).roundedMedian()).toBe(UNDECIDED);
    expect(countedAges(weights(1e-23, 1e-23)).roundedMedian()).toBe(UNDECIDED);
    expect(countedAges(weights(1e-21, 1e-21)).roundedMedian()).toBe(40);
    expect(countedAges(weights(1e-23, 1e-23)).quantile(0.5)).toBe(40);
  });
});
