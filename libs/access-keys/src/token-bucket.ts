export interface BucketAnswer {
  readonly allowed: boolean;
  /** Requests per minute. */
  readonly limit: number;
  /** Whole requests left now. */
  readonly remaining: number;
  /** Seconds until the bucket is full again, rounded up. */
  readonly resetSeconds: number;
  /** Seconds until one request is allowed again; 0 where one is left. */
  readonly retryAfterSeconds: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

const MINUTE_MS = 60_000;
const SWEEP_ABOVE = 10_000;

/**
 * One bucket per key: it holds a minute's requests and refills evenly. The clock is passed in.
 * Each api process has buckets of its own, so n replicas allow up to n times the limit.
 */
export class TokenBucket {
  private readonly buckets = new Map<string, Bucket>();

  /**
   * @param limit  requests per minute, 1 or more
   * @param now    milliseconds; a clock that is set back refills nothing and takes nothing
   */
  take(keyId: string, limit: number, now: number): BucketAnswer {
    const bucket = this.buckets.get(keyId) ?? this.fresh(keyId, limit, now);
    const refill = (Math.max(0, now - bucket.at) * limit) / MINUTE_MS;
    const tokens = Math.min(limit, bucket.tokens + refill);
    const allowed = tokens >= 1;
    bucket.tokens = allowed ? tokens - 1 : tokens;
    bucket.at = now;
    const secondsFor = (missing: number): number => Math.ceil((missing * MINUTE_MS) / limit / 1000);
    return {
      allowed,
      limit,
      remaining: Math.floor(bucket.tokens),
      resetSeconds: secondsFor(limit - bucket.tokens),
      retryAfterSeconds: bucket.tokens >= 1 ? 0 : secondsFor(1 - bucket.tokens),
    };
  }

  private fresh(keyId: string, limit: number, now: number): Bucket {
    if (this.buckets.size >= SWEEP_ABOVE) this.sweep(now);
    const bucket = { tokens: limit, at: now };
    this.buckets.set(keyId, bucket);
    return bucket;
  }

  /** A bucket that was left alone for a minute is full, and a full one need not be kept. */
  private sweep(now: number): void {
    for (const [keyId, { at }] of this.buckets) if (now - at >= MINUTE_MS) this.buckets.delete(keyId);
  }
}
