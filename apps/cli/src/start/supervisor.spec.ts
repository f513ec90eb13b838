import { Backoff } from './supervisor';

describe('waiting before a restart', () => {
  const waits = (backoff: Backoff): number[] => Array.from({ length: 7 }, () => backoff.next(10));

  it('doubles from a quarter of a second up to ten seconds, or a given limit', () => {
    expect(waits(new Backoff())).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000]);
    expect(waits(new Backoff(3_000))).toEqual([250, 500, 1000, 2000, 3000, 3000, 3000]);
  });

  it('is short again after ten healthy seconds', () => {
    const backoff = new Backoff();
    [1, 2, 3].forEach((ms) => backoff.next(ms));
    expect(backoff.next(10_000)).toBe(250);
    expect(backoff.next(9_999)).toBe(500);
  });
});
