/** Waits before starting something again: doubled after each early end, short again after a healthy run. */
export const BACKOFF = {
  firstMs: 250, // a killed worker is back before its chunk's lease runs out
  mostMs: 30_000,
  healthyMs: 60_000,
} as const;

export class Backoff {
  private waitMs: number;

  constructor(private readonly limits: { firstMs: number; mostMs: number; healthyMs: number } = BACKOFF) {
    this.waitMs = limits.firstMs;
  }

  /** @param ranMs how long the last run lasted */
  next(ranMs: number): number {
    if (ranMs >= this.limits.healthyMs) this.waitMs = this.limits.firstMs;
    const now = this.waitMs;
    this.waitMs = Math.min(now * 2, this.limits.mostMs);
    return now;
  }
}
