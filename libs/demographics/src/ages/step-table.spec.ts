import { type CivilDay, civilDay } from '@donorlens/primitives';
import fc from 'fast-check';
import { AgeEstimator } from './age-estimator';
import type { LifeTables } from './cohort-survival';
import {
  birthTable,
  immortal,
  lifeTables,
  type SyntheticBirths,
  mortal,
} from '../../../../test/support/reference-data/synthetic-tables';
import { NOT_COVERED, type StepTable, stepAge } from './step-table';
import { buildStepTable } from './step-table-builder';

const [FIRST, LAST] = [1880, 2023];

/** Compares the table with the direct sum on every day of its window, and on the days just before and after it. */
function expectEqualEveryDay(births: ReturnType<typeof birthTable>, life: LifeTables, from: CivilDay, to: CivilDay) {
  const steps = buildStepTable(births, life, { from, to }, 1);
  const ages = new AgeEstimator(births, life, steps);
  for (let name = 0; name < births.names.size; name++) {
    for (let on = from; on <= to; on++)
      if (stepAge(steps, name, on) !== ages.ageDirect(name, on))
        throw new Error(`name ${name} on ${on}: ${stepAge(steps, name, on)} is not ${ages.ageDirect(name, on)}`);
    for (const on of [from - 1, to + 1]) expect(ages.ageAt(name, on)).toBe(ages.ageDirect(name, on));
  }
  return steps;
}

describe('the step table', () => {
  it('contains each date on which the age changes, worked by hand without deaths', () => {
    const births = birthTable({ ada: { f: { 1999: 365 } } });
    const steps = buildStepTable(births, immortal, { from: civilDay(2016, 1, 1), to: civilDay(2017, 12, 31) }, 1);
    // One birth per day. On July 2, 183 of 365 birthdays have passed, more than half, so F(a - 1) = 182 < 182.5.
    expect([...steps.day]).toEqual([0, civilDay(2016, 7, 2) - steps.from, civilDay(2017, 7, 2) - steps.from]);
    expect([...steps.age]).toEqual([16, 17, 18]);
  });

  it('has no age before the first birth and after the last death', () => {
    const births = birthTable({ ada: { f: { 1990: 10 } }, old: { m: { 1880: 10 } } });
    const from = civilDay(1989, 11, 1);
    const steps = expectEqualEveryDay(births, mortal, from, civilDay(1990, 2, 28));
    expect(stepAge(steps, 0, from)).toBe(-1);
    for (const end of [civilDay(2000, 1, 1), civilDay(2001, 1, 1)])
      expectEqualEveryDay(births, immortal, end - 30, end + 30);
  });

  it('does not cover names without steps and dates outside the window', () => {
    const births = birthTable({ ada: { f: { 1990: 10, 1991: 10 } }, bea: { f: { 1990: 10 } } });
    const window = { from: civilDay(2000, 1, 1), to: civilDay(2000, 1, 31) };
    const steps = buildStepTable(births, mortal, window, 2);
    expect(stepAge(steps, 0, window.from)).toBe(9);
    expect(stepAge(steps, 1, window.from)).toBe(NOT_COVERED);
    for (const on of [window.from - 1, window.to + 1, NaN]) expect(stepAge(steps, 0, on)).toBe(NOT_COVERED);
  });

  it('rejects an empty window and one that is too long for 16-bit day numbers', () => {
    const births = birthTable({ ada: { f: { 1990: 10 } } });
    expect(() => buildStepTable(births, mortal, { from: 1, to: 0 })).toThrow(RangeError);
    expect(() => buildStepTable(births, mortal, { from: 0, to: 65_536 })).toThrow(
      new RangeError('a step table covers 1 to 65536 days'),
    );
    expect(() => buildStepTable(births, mortal, { from: NaN, to: 0 })).toThrow(RangeError);
  });

  it('is not used with a minimum age', () => {
    const births = birthTable({ pat: { m: { 1950: 5 }, f: { 2010: 9 } } });
    const on = civilDay(2020, 12, 31);
    const steps: StepTable = buildStepTable(births, immortal, { from: on, to: on }, 1);
    const ages = new AgeEstimator(births, immortal, steps);
    expect([ages.ageAt(0, on), ages.ageAt(0, on, 18)]).toEqual([10, 70]);
  });

  const yearly = fc.dictionary(
    fc.integer({ min: FIRST, max: LAST }).map(String),
    fc.integer({ min: 5, max: 100_000 }),
    { minKeys: 1, maxKeys: 40 },
  );
  const names = fc.dictionary(fc.stringMatching(/^[a-z]{2,6}$/), fc.record({ m: yearly, f: yearly }), {
    minKeys: 1,
    maxKeys: 4,
  });
  const window = fc
    .record({
      from: fc.integer({ min: civilDay(1878, 1, 1), max: civilDay(2100, 1, 1) }),
      days: fc.oneof({ weight: 4, arbitrary: fc.nat(60) }, fc.nat(500)),
    })
    .map(({ from, days }) => ({ from, to: from + days }));

  it.each([
    ['mortal', mortal, 10],
    ['immortal', immortal, 5],
    ['new-borns that hardly live', lifeTables((_sex, _year, age) => (age === 0 ? 0.99 : 0.02)), 5],
    ['jagged', lifeTables((sex, year, age) => ((year * 7 + age * 13 + sex * 5) % 11) / 20), 5],
  ])('equals the direct sum on every day of any window: %s', (_name, life, numRuns) => {
    fc.assert(
      fc.property(names, window, (made: SyntheticBirths, { from, to }) => {
        expectEqualEveryDay(birthTable(made), life, from, to);
      }),
      { numRuns },
    );
  });
});
