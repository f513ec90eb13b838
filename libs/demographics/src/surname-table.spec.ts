import fc from 'fast-check';
import { fillSuppressed, isTied, NO_RACE, RACES } from './surname-table';
import { surnameTable } from '../../../test/support/reference-data/synthetic-tables';

const raceOf = (cells: (number | null)[]) => RACES[fillSuppressed(cells).race];

describe('suppressed cells of a surname row (white, black, api, aian, 2prace, hispanic)', () => {
  it('share equally what the published cells leave of 100 %, rounded half up', () => {
    // 100 - 99.87 = 0.13 over two cells is 0.065 each: 0.07
    expect(fillSuppressed([140, null, 9593, null, 202, 52]).pct).toEqual([140, 7, 9593, 7, 202, 52]);
    // 100 - 99.00 = 1.00 over three cells is 0.333 each: 0.33
    expect(fillSuppressed([9000, null, null, null, 500, 400]).pct).toEqual([9000, 33, 33, 33, 500, 400]);
  });

  it('are zero, never negative, if the published cells exceed 100 %', () => {
    expect(fillSuppressed([9900, null, null, 0, 0, 101]).pct).toEqual([9900, 0, 0, 0, 0, 101]);
  });

  it('are marked as suppressed, unlike a published zero', () => {
    expect(fillSuppressed([9000, null, 0, null, 500, 400]).suppressed).toBe(0b001010);
  });

  it('are not filled in a row without suppression, even if it does not add up to 100 %', () => {
    const row = [9900, 0, 0, 0, 0, 0];
    expect(fillSuppressed(row)).toEqual({ pct: row, suppressed: 0, race: 0 });
  });

  it('add up to 100 % with the published cells, except for rounding', () => {
    const cells = fc.array(fc.option(fc.integer({ min: 0, max: 1600 })), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(cells, (row) => {
        const missing = row.filter((cell) => cell === null).length;
        const { pct } = fillSuppressed(row);
        const sum = pct.reduce((a, b) => a + b, 0);
        if (missing > 0) expect(Math.abs(sum - 10_000)).toBeLessThanOrEqual(missing / 2);
        row.forEach((cell, i) => cell !== null && expect(pct[i]).toBe(cell));
      }),
    );
  });
});

describe('race', () => {
  it('is the highest published cell, even without a majority', () => {
    expect(raceOf([513, 0, 4000, 0, 4820, 667])).toBe('2prace');
  });

  it('is the only published cell, even if that is zero', () => {
    expect(raceOf([null, null, null, 0, null, null])).toBe('aian');
  });

  it('is never a suppressed cell, even if its filled share is the largest', () => {
    expect(raceOf([null, 100, 50, 0, 0, null])).toBe('black');
  });

  it('is in a tie the first of white, black, hispanic, api, aian, 2prace', () => {
    expect(raceOf([4000, 4000, 2000, 0, 0, 0])).toBe('white');
    expect(raceOf([100, 4000, 900, 0, 1000, 4000])).toBe('black');
    expect(raceOf([100, 100, 4400, 500, 500, 4400])).toBe('hispanic');
    expect(raceOf([100, 100, 4400, 4400, 500, 500])).toBe('api');
    expect(raceOf([100, 100, 800, 4500, 4500, 0])).toBe('aian');
  });

  it('is unknown if every cell is suppressed', () => {
    expect(fillSuppressed([null, null, null, null, null, null]).race).toBe(NO_RACE);
  });

  it('is tied if another published cell is equal; a filled cell makes no tie', () => {
    const table = surnameTable(2010, {
      TIED: [4000, 4000, 2000, 0, 0, 0],
      CLEAR: [5000, 3000, 2000, 0, 0, 0],
      FILLED: [5000, null, 0, 0, 0, 0],
      HIDDEN: [null, null, null, null, null, null],
      LATE: [0, 0, 0, 5000, 5000, 0],
    });
    expect([0, 1, 2, 3, 4].map((row) => isTied(table, row))).toEqual([true, false, false, false, true]);
  });
});
