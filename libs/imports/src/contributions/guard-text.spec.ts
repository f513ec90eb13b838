import { guardText } from './itcont-reading';

const counts = { source: 'indiv16.zip', cycle: 2016, linesRead: 100_000, kept: 500, rejected: 3, datedInCycle: 480 };
const refused = (change: Partial<typeof counts>, isWhole = true): string | undefined => {
  try {
    guardText({ ...counts, ...change }, isWhole);
    return undefined;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('a text of contributions', () => {
  it('may have a few unreadable lines, rows of other cycles, and no row of a presidential committee', () => {
    expect(refused({})).toBeUndefined();
    expect(refused({ rejected: 1_000, linesRead: 2_500 })).toBeUndefined();
    expect(refused({ kept: 0, datedInCycle: 0 })).toBeUndefined();
    expect(refused({ kept: 99, datedInCycle: 0 })).toBeUndefined();
    expect(refused({ kept: 500, datedInCycle: 50 })).toBeUndefined();
  });

  it('is rejected as soon as more than a tenth of its lines, and more than 1,000, are unreadable', () => {
    expect(refused({ rejected: 1_001, linesRead: 5_000 }, false)).toBe('not_itcont');
    expect(refused({ rejected: 1_000, linesRead: 1_000 }, false)).toBeUndefined();
  });

  it('is rejected at its end if it is empty or most of its lines are unreadable', () => {
    expect(refused({ linesRead: 0, kept: 0, rejected: 0, datedInCycle: 0 })).toBe('not_itcont');
    expect(refused({ linesRead: 3, kept: 1, rejected: 2, datedInCycle: 1 })).toBe('not_itcont');
  });

  it('is rejected if almost no row has a date in its cycle', () => {
    expect(refused({ kept: 500, datedInCycle: 49 }, false)).toBe('other_cycle');
  });
});
