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
  /** sum over people of P(age | name) times P(other age | name), as a symmetric row-major matrix */
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
    for (let c = 0; c < size; c++) {
      let response = step[a * size + c] * expected[c];
      for (let b = 0; b < size; b++) response -= step[a * size + b] * products[c * size + b];
      matrix[c * size + a] = (a === c ? 1 : 0) - (shares[c] > 0 ? response / shares[c] : 0);
    }
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

/** Names whose products are computed together. */
const NAMES_PER_BLOCK = 64;

/**
 * Sums over the names of a group: expected people by age, and P(age | name) times P(other age | name). Products are
 * computed for a block of names and two by two ages at once, so that the four sums stay in registers.
 */
export class NameProducts {
  /** expected number of people by age */
  readonly expected: Float64Array;
  /** `size`, rounded up to even */
  private readonly rows: number;
  /** P(age | name) times the square root of the number of people, by age and name */
  private readonly block: Float64Array;
  private namesInBlock = 0;
  /** complete on and above the diagonal only */
  private readonly sums: Float64Array;

  /** @param size - number of ages */
  constructor(private readonly size: number) {
    this.expected = new Float64Array(size);
    this.rows = size + (size % 2);
    this.block = new Float64Array(this.rows * NAMES_PER_BLOCK);
    this.sums = new Float64Array(this.rows * this.rows);
  }

  /**
   * @param ages - unnormalized P(age | name)
   * @param total - sum of `ages`, above 0
   * @param people - with the name
   */
  add(ages: Float64Array, total: number, people: number): void {
    const perAge = people / total;
    const weight = Math.sqrt(people) / total;
    for (let a = 0; a < this.size; a++) {
      this.expected[a] += perAge * ages[a];
      this.block[a * NAMES_PER_BLOCK + this.namesInBlock] = weight * ages[a];
    }
    this.namesInBlock++;
    if (this.namesInBlock === NAMES_PER_BLOCK) this.addBlock();
  }

  /** Sums over people, as a row-major symmetric matrix. */
  computeProducts(): Float64Array {
    this.addBlock();
    const { size, rows, sums } = this;
    const products = new Float64Array(size * size);
    for (let a = 0; a < size; a++)
      for (let b = a; b < size; b++) products[a * size + b] = products[b * size + a] = sums[a * rows + b];
    return products;
  }

  private addBlock(): void {
    const { rows, block, sums } = this;
    for (let a = 0; a < rows; a += 2)
      for (let b = a; b < rows; b += 2) {
        let sum00 = 0;
        let sum01 = 0;
        let sum10 = 0;
        let sum11 = 0;
        for (let i = a * NAMES_PER_BLOCK, j = b * NAMES_PER_BLOCK, end = i + this.namesInBlock; i < end; i++, j++) {
          const first = block[i];
          const second = block[i + NAMES_PER_BLOCK];
          const other = block[j];
          const next = block[j + NAMES_PER_BLOCK];
          sum00 += first * other;
          sum01 += first * next;
          sum10 += second * other;
          sum11 += second * next;
        }
        sums[a * rows + b] += sum00;
        sums[a * rows + b + 1] += sum01;
        sums[(a + 1) * rows + b] += sum10;
        sums[(a + 1) * rows + b + 1] += sum11;
      }
    this.namesInBlock = 0;
  }
}
