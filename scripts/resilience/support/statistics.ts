/** The value below which a share of the values lies; NaN without values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))] ?? NaN;
}

export interface Point {
  readonly hours: number;
  readonly value: number;
}

export interface Trend {
  readonly perHour: number;
  readonly mean: number;
  readonly standardError: number;
}

/** Linear regression by least squares; the standard error is that of the slope. */
export function trendOf(points: readonly Point[]): Trend {
  const n = points.length;
  const meanOf = (of: (point: Point) => number): number => points.reduce((sum, point) => sum + of(point), 0) / n;
  const [atMean, mean] = [meanOf(({ hours }) => hours), meanOf(({ value }) => value)];
  const spread = points.reduce((sum, { hours }) => sum + (hours - atMean) ** 2, 0);
  const perHour = points.reduce((sum, { hours, value }) => sum + (hours - atMean) * (value - mean), 0) / spread;
  const residual = points.reduce((sum, p) => sum + (p.value - mean - perHour * (p.hours - atMean)) ** 2, 0);
  return { perHour, mean, standardError: Math.sqrt(residual / Math.max(1, n - 2) / spread) };
}
