import fc from 'fast-check';
import { TokenBucket } from './token-bucket';

describe('the token bucket', () => {
  it('allows a minute of requests at once, then one each second at 60 a minute', () => {
    const bucket = new TokenBucket();
    const first = Array.from({ length: 61 }, () => bucket.take('k', 60, 0));
    expect(first.filter(({ allowed }) => allowed)).toHaveLength(60);
    expect(first[0]).toEqual({ allowed: true, limit: 60, remaining: 59, resetSeconds: 1, retryAfterSeconds: 0 });
    expect(first[60]).toEqual({ allowed: false, limit: 60, remaining: 0, resetSeconds: 60, retryAfterSeconds: 1 });
    expect(bucket.take('k', 60, 999).allowed).toBe(false);
    expect(bucket.take('k', 60, 1000).allowed).toBe(true);
  });

  it('keeps each key apart', () => {
    const bucket = new TokenBucket();
    expect(bucket.take('a', 1, 0).allowed).toBe(true);
    expect(bucket.take('a', 1, 0).allowed).toBe(false);
    expect(bucket.take('b', 1, 0).allowed).toBe(true);
  });

  it('stands still when the clock is set back', () => {
    const bucket = new TokenBucket();
    bucket.take('k', 1, 100_000);
    expect(bucket.take('k', 1, 50_000).allowed).toBe(false);
  });

  const steps = fc.array(fc.integer({ min: 0, max: 5_000 }), { minLength: 1, maxLength: 200 });
  const limits = fc.integer({ min: 1, max: 1_000 });

  it('never allows more than the bucket held and what flowed in since', () => {
    fc.assert(
      fc.property(limits, steps, (limit, gaps) => {
        const bucket = new TokenBucket();
        let now = 0;
        let allowed = 0;
        for (const gap of gaps) {
          now += gap;
          if (bucket.take('k', limit, now).allowed) allowed++;
          expect(allowed).toBeLessThanOrEqual(limit + (now * limit) / 60_000 + 1e-6);
        }
      }),
    );
  });

  it('allows a request that waits as long as it was told', () => {
    fc.assert(
      fc.property(limits, steps, (limit, gaps) => {
        const bucket = new TokenBucket();
        let now = 0;
        for (const gap of gaps) {
          now += gap;
          const answer = bucket.take('k', limit, now);
          expect(answer.remaining).toBeGreaterThanOrEqual(0);
          expect(answer.remaining).toBeLessThan(limit);
          if (answer.allowed) continue;
          now += answer.retryAfterSeconds * 1000;
          expect(bucket.take('k', limit, now).allowed).toBe(true);
        }
      }),
    );
  });

  it('forgets buckets that are full again, so that many keys do not fill the memory', () => {
    const bucket = new TokenBucket();
    for (let n = 0; n < 10_000; n++) bucket.take(`old${n}`, 1, 0);
    bucket.take('new', 1, 60_000);
    expect((bucket as unknown as { buckets: Map<string, unknown> }).buckets.size).toBe(1);
  });
});
