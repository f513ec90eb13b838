import { Backoff } from './supervisor';

describe('waiting before a restart', () => {
  it('doubles from a quarter of a second up to half a minute', () => {
    const backoff = new Backoff();
    expect(Array.from({ length: 9 }, () => backoff.next(10))).toEqual([
      250, 500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
    ]);
  });

  it('is short again after a healthy minute', () => {
    const backoff = new Backoff();
    [1, 2, 3].forEach((ms) => backoff.next(ms));
    expect(backoff.next(60_000)).toBe(250);
    expect(backoff.next(59_999)).toBe(500);
  });
});
