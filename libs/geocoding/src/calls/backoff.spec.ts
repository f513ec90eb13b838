import { backoffMs } from './backoff';

describe('the wait after a failed call', () => {
  const longest = (failures: number): number => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0.999999);
    const waitMs = backoffMs(failures);
    random.mockRestore();
    return waitMs;
  };

  it('is at most 1, 2, 4, 8 seconds, and never more than a minute', () => {
    expect([1, 2, 3, 4, 7, 50].map(longest)).toEqual([999, 1_999, 3_999, 7_999, 59_999, 59_999]);
  });

  it('may be nothing at all: calls that failed together do not come back together', () => {
    const random = jest.spyOn(Math, 'random').mockReturnValue(0);
    expect(backoffMs(6)).toBe(0);
    random.mockRestore();
  });
});
