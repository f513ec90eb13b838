import fc from 'fast-check';
import { Backoff } from './supervisor';

describe('the wait before a restart', () => {
  const waits = (backoff: Backoff): number[] => Array.from({ length: 7 }, () => backoff.next(0));

  it('doubles from a quarter of a second up to ten seconds, or a given limit', () => {
    expect(waits(new Backoff())).toEqual([250, 500, 1000, 2000, 4000, 8000, 10_000]);
    expect(waits(new Backoff(3_000))).toEqual([250, 500, 1000, 2000, 3000, 3000, 3000]);
  });

  it('is 0 after a run of ten seconds', () => {
    const backoff = new Backoff();
    [1, 2, 3].forEach((ms) => backoff.next(ms));
    expect(backoff.next(10_000)).toBe(0);
    expect(backoff.next(0)).toBe(250);
  });

  it('is counted from the last start', () => {
    const backoff = new Backoff();
    expect([100, 100, 1_000, 300].map((ms) => backoff.next(ms))).toEqual([150, 400, 0, 1_700]);
  });

  it('never exceeds the limit between two starts, unless the process ran for longer', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20_000)), (runs) => {
        const backoff = new Backoff(3_000);
        for (const ranMs of runs) {
          const waitMs = backoff.next(ranMs);
          expect(waitMs).toBeGreaterThanOrEqual(Math.max(0, 250 - ranMs));
          expect(waitMs).toBeLessThanOrEqual(Math.max(0, 3_000 - ranMs));
        }
      }),
    );
  });
});
