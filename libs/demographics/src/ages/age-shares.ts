/** Arithmetic of age distributions: shares by completed age, from the lowest age on. */

export function sumOf(values: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += values[at];
  return sum;
}

/** Divides the shares by their sum, in place. */
export function normalize(shares: Float64Array): Float64Array {
  const sum = sumOf(shares);
  for (let at = 0; at < shares.length; at++) shares[at] /= sum;
  return shares;
}

/** In years squared. */
export function varianceOf(shares: Float64Array): number {
  const moment = (power: number): number => shares.reduce((sum, share, at) => sum + share * at ** power, 0);
  return moment(2) - moment(1) ** 2;
}

/**
 * Unnormalized Gaussian weights by distance in years.
 * @param ages - number of ages
 * @param sd - standard deviation in years
 */
export const gaussianKernel = (ages: number, sd: number): Float64Array =>
  Float64Array.from({ length: ages }, (_, years) => Math.exp(-0.5 * (years / sd) ** 2));

/** Convolves with the kernel and normalizes; weight beyond the first and last age is dropped. */
export function smooth(people: Float64Array, kernel: Float64Array): Float64Array {
  const shares = new Float64Array(people.length);
  for (let from = 0; from < people.length; from++)
    for (let at = 0; at < people.length; at++) shares[at] += people[from] * kernel[Math.abs(at - from)];
  return normalize(shares);
}

/**
 * Extrapolates two consecutive iterations to where they lead, since EM converges slowly. The log-likelihood is not
 * compared: the iterations that follow correct a step that was too long.
 * @param start - shares that add up to 1, like those of the iterations
 * @returns shares that add up to 1; those of the second iteration if one would be negative or nothing changes
 * Source: Varadhan, Roland (2008), Simple and globally convergent methods for accelerating the convergence of any EM
 * algorithm; step length S3, at least that of an iteration.
 */
export function extrapolate(start: Float64Array, first: Float64Array, second: Float64Array): Float64Array {
  const step = first.map((share, at) => share - start[at]);
  const change = second.map((share, at) => share - first[at] - step[at]);
  const squares = (values: Float64Array): number => values.reduce((sum, value) => sum + value ** 2, 0);
  const length = Math.max(1, Math.sqrt(squares(step) / squares(change)));
  if (!Number.isFinite(length)) return second;
  const shares = start.map((share, at) => share + 2 * length * step[at] + length ** 2 * change[at]);
  return shares.every((share) => share >= 0) ? shares : second;
}
