export interface Point {
  readonly hours: number;
  readonly value: number;
}

export interface Line {
  readonly perHour: number;
  /** Of the points in the middle: what a slope is to be held against. */
  readonly mean: number;
  /** Of the slope: how far it may be off by chance alone. */
  readonly standardError: number;
}

/** The straight line of least squares. */
export function lineThrough(points: readonly Point[]): Line {
  const n = points.length;
  const meanOf = (of: (point: Point) => number): number => points.reduce((sum, point) => sum + of(point), 0) / n;
  const [atMean, mean] = [meanOf(({ hours }) => hours), meanOf(({ value }) => value)];
  const spread = points.reduce((sum, { hours }) => sum + (hours - atMean) ** 2, 0);
  const perHour = points.reduce((sum, { hours, value }) => sum + (hours - atMean) * (value - mean), 0) / spread;
  const left = points.reduce((sum, p) => sum + (p.value - mean - perHour * (p.hours - atMean)) ** 2, 0);
  return { perHour, mean, standardError: Math.sqrt(left / Math.max(1, n - 2) / spread) };
}
