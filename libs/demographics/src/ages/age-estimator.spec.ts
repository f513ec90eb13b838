import { civilDay, formatCivilDay } from '@donorlens/primitives';
import fc from 'fast-check';
import { AgeEstimator } from './age-estimator';
import { birthTable, immortal, lifeTables, mortal } from '../../../../test/support/reference-data/synthetic-tables';
import { FEMALE, MALE } from './birth-table';

const births = birthTable({
  ada: { f: { 1990: 30, 2000: 20 } },
  even: { m: { 1990: 5, 2000: 5 } },
  pat: { m: { 1950: 6, 1951: 5 }, f: { 2010: 12 } },
  tie: { m: { 1900: 10 }, f: { 1990: 10 } },
  draw: { m: { 2000: 7 }, f: { 2000: 7 } },
  late: { m: { 2023: 5 } },
  five: { f: { 1999: 5 } },
  first: { f: { 1880: 366 } },
});
const ever = new AgeEstimator(births, immortal);
const ages = new AgeEstimator(births, mortal);
const ageOf = (name: string, on: number, minAge?: number) => ever.ageDirect(ever.nameIndex(name), on, minAge);

describe('age, worked by hand without deaths', () => {
  it('is the median completed age of all people living on the date', () => {
    // 20 people are 19 or 20. Of the 30 born in 1990, 15.0 are 29: 183 of 365 birthdays are to come. Half is 25.
    expect(ageOf('ada', civilDay(2020, 7, 1))).toBe(29);
    expect(ageOf('ada', civilDay(2020, 12, 31))).toBe(30);
    expect(ageOf('ada', civilDay(2020, 1, 1))).toBe(29);
  });

  it('is the lower age if the sum equals half of the people exactly', () => {
    expect(ageOf('even', civilDay(2020, 12, 31))).toBe(20);
  });

  it('combines both sexes', () => {
    // The 12 girls born in 2010 are more than half of the 23 people.
    expect(ageOf('pat', civilDay(2020, 12, 31))).toBe(10);
  });

  it('has quartiles for a single sex', () => {
    const pat = ever.nameIndex('pat');
    const on = civilDay(2020, 12, 31);
    expect(ever.quartiles(pat, on, 0, FEMALE)).toEqual({ q25: 10, median: 10, q75: 10 });
    expect(ever.quartiles(pat, on, 0, MALE)).toEqual({ q25: 69, median: 70, q75: 70 });
    expect(ever.quartiles(pat, on, 18, FEMALE)).toEqual({ q25: null, median: null, q75: null });
    expect(ever.quartiles(pat, on)).toMatchObject({ median: 10 });
  });

  it('counts only people of at least the minimum age', () => {
    expect(ageOf('pat', civilDay(2020, 12, 31), 18)).toBe(70);
    expect(ageOf('ada', civilDay(2020, 12, 31), 20)).toBe(30);
    expect(ageOf('ada', civilDay(2020, 12, 31), 30)).toBe(30);
    expect(ageOf('ada', civilDay(2020, 12, 31), 31)).toBe(-1);
  });

  it('is unknown before the first birth and after the last death', () => {
    expect(ageOf('late', civilDay(2022, 12, 31))).toBe(-1);
    expect(ageOf('late', civilDay(2023, 1, 1))).toBe(0);
    expect(ageOf('late', civilDay(2024, 12, 31))).toBe(1);
    expect(ageOf('first', civilDay(1879, 12, 31))).toBe(-1);
    expect(ageOf('first', civilDay(1880, 1, 1))).toBe(0);
    expect(ageOf('late', civilDay(2143, 12, 31))).toBe(120); // the age of those born on December 31 is 43,829 days
    for (const year of [1000, 2144, 9999]) expect(ageOf('late', civilDay(year, 1, 1))).toBe(-1);
  });

  it('is unknown for an unknown name, and so is the gender', () => {
    expect(ever.nameIndex('Unheard')).toBe(-1);
    expect(ever.ageAt(-1, civilDay(2020, 1, 1))).toBe(-1);
    expect(ever.genderOf(-1, civilDay(2020, 1, 1))).toBeNull();
  });

  it('is the same if a date is queried repeatedly', () => {
    const names = ['ada', 'even', 'pat', 'tie', 'draw', 'five', 'first'].map((name) => ages.nameIndex(name));
    const on = civilDay(2019, 5, 17);
    const answers = (estimator: AgeEstimator) => names.map((name) => estimator.ageDirect(name, on, 18));
    const often = new AgeEstimator(births, mortal);
    const ada = often.nameIndex('ada');
    for (let i = 0; i < 300; i++) often.ageDirect(ada, on);
    expect(answers(often)).toEqual(answers(new AgeEstimator(births, mortal)));
    for (const year of [1890, 1990, 2100])
      for (let i = 0; i < 300; i++)
        expect(often.ageDirect(ada, civilDay(year, 6, 1))).toBe(ages.ageDirect(ada, civilDay(year, 6, 1)));
  });

  it('comes from the step table if that covers the name and date, else from the sum', () => {
    const on = civilDay(2020, 1, 10);
    const ada = ages.nameIndex('ada');
    const steps = {
      from: on,
      to: on + 1,
      start: Uint32Array.from({ length: births.names.size + 1 }, (_, name) => (name > ada ? 2 : 0)),
      day: Uint16Array.of(0, 1),
      age: Uint8Array.of(77, 255),
    };
    const told = new AgeEstimator(births, immortal, steps);
    expect(told.ageAt(ada, on)).toBe(77);
    expect(told.ageAt(ada, on, 0)).toBe(77);
    expect(told.ageAt(ada, on + 1)).toBe(-1);
    expect(told.ageAt(ada, on, 1)).toBe(29);
    expect(told.ageAt(ada, on - 1)).toBe(29);
    expect(told.ageAt(told.nameIndex('even'), on)).toBe(20);
    expect(told.ageAt(-1, on)).toBe(-1);
    expect(told.ageDirect(-1, on)).toBe(-1);
  });

  it('counts people who have just reached the minimum age, not those who reach it tomorrow', () => {
    const first = ever.nameIndex('first');
    const living = (on: number, minAge: number): number => ever.distribution(first, on, minAge).livingF;
    expect(living(civilDay(1890, 1, 1), 10)).toBeCloseTo(1, 6); // those born on January 1, 1880
    expect(living(civilDay(1890, 1, 2), 10)).toBeCloseTo(2, 6);
    expect(living(civilDay(1889, 12, 31), 9)).toBeCloseTo(366, 6);
    expect(living(civilDay(1889, 12, 31), 10)).toBe(0);
    expect(living(civilDay(1890, 1, 1), 9)).toBeCloseTo(366, 6);
  });

  it('is unknown for years far outside the tables, and so is a tied gender', () => {
    for (const on of [civilDay(1879, 12, 31), civilDay(2145, 1, 1), civilDay(9999, 1, 1)]) {
      expect(ever.genderOf(ever.nameIndex('draw'), on)).toBeNull();
      expect(ever.quartiles(0, on)).toEqual({ median: null, q25: null, q75: null });
      expect(ever.distribution(0, on)).toMatchObject({ livingM: 0, livingF: 0 });
    }
  });

  it('does not count people who died', () => {
    const oldDie = new AgeEstimator(
      births,
      lifeTables((_sex, _year, age) => (age >= 60 ? 0.9 : 0)),
    );
    const pat = oldDie.nameIndex('Pat');
    expect(oldDie.ageDirect(pat, civilDay(2020, 12, 31), 5)).toBe(10);
    expect(oldDie.distribution(pat, civilDay(2020, 12, 31)).livingM).toBeLessThan(1e-6);
  });

  it('uses a separate life table for each sex', () => {
    const womenDie = new AgeEstimator(
      birthTable({ kim: { m: { 1950: 10 }, f: { 1990: 20 } } }),
      lifeTables((sex) => (sex === FEMALE ? 0.5 : 0)),
    );
    expect(womenDie.ageDirect(0, civilDay(2020, 12, 31))).toBe(70);
  });
});

describe('gender', () => {
  const genderOf = (name: string, on: number) => ages.genderOf(ages.nameIndex(name), on);

  it('is the sex with more births over all years, independent of the date', () => {
    for (const year of [1500, 1955, 2020, 3000])
      expect([genderOf('ada', civilDay(year, 1, 1)), genderOf('pat', civilDay(year, 1, 1))]).toEqual(['f', 'f']);
  });

  it('is decided by the living people if births are equal', () => {
    expect(genderOf('tie', civilDay(1950, 1, 1))).toBe('m');
    expect(genderOf('tie', civilDay(2000, 1, 1))).toBe('f');
  });

  it('is unknown if births are equal and equally many people, or none, of each sex are alive', () => {
    expect(genderOf('tie', civilDay(1890, 1, 1))).toBeNull();
    expect(genderOf('tie', civilDay(2500, 1, 1))).toBeNull();
    expect(ever.genderOf(ever.nameIndex('draw'), civilDay(2020, 1, 1))).toBeNull();
  });
});

describe('the distribution of a name', () => {
  const on = civilDay(2020, 12, 31);

  it('gives quartiles, births and survivors', () => {
    const even = ever.distribution(ever.nameIndex('even'), on);
    expect(even).toMatchObject({
      median: 20,
      q25: 20,
      q75: 30,
      bornM: 10,
      bornF: 0,
      gender: 'm',
      genderProbability: 1,
    });
    expect(even.livingM).toBeCloseTo(10, 9);
    expect(even.cohorts).toHaveLength(144);
    expect(even.cohorts[110]).toMatchObject({ year: 1990, bornM: 5, bornF: 0, livingF: 0 });
  });

  it('includes births of all years if a minimum age excludes people', () => {
    const pat = ever.distribution(ever.nameIndex('pat'), on, 18);
    expect(pat).toMatchObject({ bornM: 11, bornF: 12, livingF: 0, gender: 'f', median: 70 });
    expect(pat.livingM).toBeCloseTo(11, 9);
    expect(pat.genderProbability).toBeCloseTo(12 / 23, 12);
  });

  it('has null quartiles if no person with the name is alive', () => {
    const none = { median: null, q25: null, q75: null, livingM: 0, livingF: 0 };
    expect(ever.distribution(ever.nameIndex('ada'), civilDay(1900, 1, 1))).toMatchObject(none);
    expect(ever.distribution(ever.nameIndex('ada'), civilDay(1700, 1, 1))).toMatchObject(none);
    expect(ever.distribution(ever.nameIndex('draw'), on).genderProbability).toBeNull();
  });

  it('agrees with `ageAt` and `femaleShareLiving` for any name, date and minimum age', () => {
    const name = fc.integer({ min: 0, max: births.names.size - 1 });
    const day = fc.integer({ min: civilDay(1870, 1, 1), max: civilDay(2150, 12, 31) });
    fc.assert(
      fc.property(name, day, fc.integer({ min: 0, max: 100 }), (i, at, minAge) => {
        const { median, q25, q75, livingM, livingF, cohorts } = ages.distribution(i, at, minAge);
        const age = ages.ageAt(i, at, minAge);
        expect({ on: formatCivilDay(at), median: median ?? -1 }).toEqual({ on: formatCivilDay(at), median: age });
        if (median !== null && q25 !== null && q75 !== null) {
          expect([q25, median, q75]).toEqual([q25, median, q75].sort((a, b) => a - b));
          expect(q25).toBeGreaterThanOrEqual(minAge);
        }
        expect(livingM + livingF > 0).toBe(median !== null);
        const share = ages.femaleShareLiving(i, at, minAge);
        if (share === null) expect(median).toBeNull();
        else expect(share).toBeCloseTo(livingF / (livingM + livingF), 9);
        for (const cohort of cohorts) expect(cohort.livingM).toBeLessThanOrEqual(cohort.bornM * (1 + 1e-9));
      }),
    );
  });
});
