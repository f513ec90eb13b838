import fc from 'fast-check';
import { ageScores, medianOf } from './age-scores';

const quartiles = (q25: number, median: number, q75: number) => ({ q25, median, q75 });

describe('the scores of ages', () => {
  it('are the errors of persons and of the medians of their groups', () => {
    const people = [
      { group: 'x', age: 40 },
      { group: 'x', age: 60 },
      { group: 'x', age: 90 },
      { group: 'y', age: 30 },
    ];
    const medians: Readonly<Record<string, number>> = { x: 55, y: 33 };
    const persons = [quartiles(30, 38, 41), quartiles(61, 66, 70), null, quartiles(20, 30, 40)];
    expect(ageScores(people, { persons, medianOf: (group) => medians[group] })).toEqual({
      rows: 3,
      groups: 2,
      group_median_error: 4, // 60 − 55, 33 − 30: the true median is that of all people of the group
      bias: 4 / 3, // −2, 6, 0
      mean_absolute_error: 8 / 3,
      coverage: 2 / 3, // 40 and 30
    });
  });

  it('do not exist without estimates of the basis', () => {
    const nothing = { persons: [{ median: null, q25: null, q75: null }], medianOf: () => null };
    expect(ageScores([{ group: '', age: 40 }], nothing)).toBeNull();
  });

  it('have a mean absolute error that is never below the bias', () => {
    const age = fc.integer({ min: 18, max: 110 });
    fc.assert(
      fc.property(fc.array(fc.tuple(age, age), { minLength: 1 }), (drawn) => {
        const people = drawn.map(([known]) => ({ group: '', age: known }));
        const persons = drawn.map(([, median]) => quartiles(median, median, median));
        const scores = ageScores(people, { persons, medianOf: () => 50 })!;
        expect(scores.mean_absolute_error).toBeGreaterThanOrEqual(Math.abs(scores.bias));
        expect(scores.coverage).toBe(drawn.filter(([known, median]) => known === median).length / drawn.length);
      }),
    );
  });
});

it('the median of an even number of values is the mean of the middle two', () => {
  expect([medianOf([9, 1, 4]), medianOf([9, 1, 4, 6])]).toEqual([4, 5]);
});
