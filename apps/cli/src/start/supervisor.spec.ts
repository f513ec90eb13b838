import fc from 'fast-check';
import { Backoff } from './supervisor';

describe('waiting before a restart', () => {
  const waits = (backoff: Backoff): number[] => Array.from({ length: 7 }, () => backoff.next(10));

  it('doubles from a quarter of a second up to ten seconds, or a given limit', () => {
    expect(waits(new Backoff())).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000]);
    expect(waits(new Backoff(3_000))).toEqual([250, 500, 1000, 2000, 3000, 3000, 3000]);
  });

  it('is left out after ten healthy seconds', () => {
    const backoff = new Backoff();
    [1, 2, 3].forEach((ms) => backoff.next(ms));
    expect(backoff.next(10_000)).toBe(0);
    expect(backoff.next(9_999)).toBe(250);
  });

  it('is none exactly after ten healthy seconds, and never longer than the limit', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000)), (runs) => {
        const backoff = new Backoff(3_000);
        for (const ranMs of runs) {
          const waitMs = backoff.next(ranMs);
          expect(waitMs === 0).toBe(ranMs >= 10_000);
          expect(waitMs).toBeLessThanOrEqual(3_000);
        }
      }),
    );
  });
});
