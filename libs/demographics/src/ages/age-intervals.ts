/** A value and its 95 % interval. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** A fitted age distribution and the terms of the fit, all by completed age. */
export interface FittedAges {
  /** 0 to 1; they add up to 1 */
  readonly shares: Float64Array;
  /** weights of the smoothing kernel by distance in years */
  readonly kernel: Float64Array;
  /** pseudo-counts that the parent distribution adds */
  readonly prior: Float64Array;
  /** expected number of people */
  readonly expected: Float64Array;
  /** sum over people of P(age | name) times P(other age | name), as a row-major matrix */
  readonly products: Float64Array;
}

/** Standard deviations from the value to each end of a 95 % interval. */
const Z = 1.96;

/**
 * Standard deviations of sums of shares between Poisson bootstrap resamples of the names, without a refit. To first
 * order, a resample moves the fixed point of the EM iteration by a linear response, so one matrix gives the variance.
 * @param sums - for each sum, 1 for each completed age that it includes, else 0
 * @returns standard deviation of each sum
 */
export function bootstrapDeviations(fitted: FittedAges, sums: readonly Float64Array[]): number[] {
  const { products } = fitted;
  const size = fitted.shares.length;
  const step = stepResponse(fitted);
  const solutions = solve(transposedFeedback(fitted, step), sums);
  return solutions.map((solution) => {
    const influence = new Float64Array(size);
    for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) influence[b] += solution[a] * step[a * size + b];
    let variance = 0;
    for (let a = 0; a < size; a++)
      for (let b = 0; b < size; b++) variance += influence[a] * products[a * size + b] * influence[b];
    return Math.sqrt(Math.max(0, variance));
  });
}

/** 95 % interval of a share, limited to 0 and 1. */
export const shareInterval = (value: number, deviation: number): Interval => ({
  value,
  low: Math.max(0, value - Z * deviation),
  high: Math.min(1, value + Z * deviation),
});

/** Derivative of the smoothed shares with respect to the expected people before smoothing. */
function stepResponse({ shares, kernel, prior, expected }: FittedAges): Float64Array {
  const size = shares.length;
  const columns = new Float64Array(size);
  for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) columns[b] += kernel[Math.abs(a - b)];
  const total = columns.reduce((sum, column, b) => sum + column * (prior[b] + expected[b]), 0);
  const response = new Float64Array(size * size);
  for (let a = 0; a < size; a++)
    for (let b = 0; b < size; b++) response[a * size + b] = (kernel[Math.abs(a - b)] - shares[a] * columns[b]) / total;
  return response;
}

/** Transpose of the identity minus the derivative of one iteration with respect to its initial shares. */
function transposedFeedback({ shares, expected, products }: FittedAges, step: Float64Array): Float64Array {
  const size = shares.length;
  const matrix = new Float64Array(size * size);
  for (let a = 0; a < size; a++) {
    const row = new Float64Array(size);
    for (let b = 0; b < size; b++) {
      const weight = step[a * size + b];
      for (let c = 0; c < size; c++) row[c] -= weight * products[b * size + c];
      row[b] += weight * expected[b];
    }
    for (let c = 0; c < size; c++) matrix[c * size + a] = (a === c ? 1 : 0) - (shares[c] > 0 ? row[c] / shares[c] : 0);
  }
  return matrix;
}

/** Gaussian elimination with partial pivoting; overwrites the matrix. */
function solve(matrix: Float64Array, rightSides: readonly Float64Array[]): Float64Array[] {
  const results = rightSides.map((side) => Float64Array.from(side));
  const size = Math.sqrt(matrix.length);
  for (let k = 0; k < size; k++) {
    let pivot = k;
    for (let row = k + 1; row < size; row++)
      if (Math.abs(matrix[row * size + k]) > Math.abs(matrix[pivot * size + k])) pivot = row;
    for (let c = k; c < size; c++)
      [matrix[k * size + c], matrix[pivot * size + c]] = [matrix[pivot * size + c], matrix[k * size + c]];
    for (const side of results) [side[k], side[pivot]] = [side[pivot], side[k]];
    for (let row = k + 1; row < size; row++) {
      const factor = matrix[row * size + k] / matrix[k * size + k];
      if (factor === 0) continue;
      for (let c = k; c < size; c++) matrix[row * size + c] -= factor * matrix[k * size + c];
      for (const side of results) side[row] -= factor * side[k];
    }
  }
  for (const side of results)
    for (let k = size - 1; k >= 0; k--) {
      for (let c = k + 1; c < size; c++) side[k] -= matrix[k * size + c] * side[c];
      side[k] /= matrix[k * size + k];
    }
  return results;
}

/**
 * Adds expected people of a name, and products on and above the diagonal.
 * @param ages - unnormalized P(age | name)
 * @param scale - people with the name / sum of `ages`
 * @param inverseSum - 1 / sum of `ages`
 */
export function addProducts(
  ages: Float64Array,
  scale: number,
  inverseSum: number,
  expected: Float64Array,
  products: Float64Array,
): void {
  const size = ages.length;
  for (let a = 0; a < size; a++) {
    const people = scale * ages[a];
    if (people === 0) continue;
    expected[a] += people;
    const scaled = people * inverseSum;
    for (let b = a; b < size; b++) products[a * size + b] += scaled * ages[b];
  }
}

/** Copies the products above the diagonal to the cells below it. */
export function mirror(products: Float64Array): void {
  const size = Math.sqrt(products.length);
  for (let a = 0; a < size; a++) for (let b = 0; b < a; b++) products[a * size + b] = products[b * size + a];
}
