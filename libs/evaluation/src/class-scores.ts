/** A row whose class is known, and what was estimated of it. */
export interface ClassEstimate<Class extends string> {
  readonly truth: Class;
  readonly label: Class | null;
  /** 0 to 1 by class, in the order of the classes; they add up to 1 */
  readonly probabilities: readonly number[];
}

interface ClassScore {
  readonly value: string;
  /** rows of this class */
  readonly rows: number;
  /** 0 to 1: share of these rows that have the label; null without such rows */
  readonly recall: number | null;
  /** 0 to 1: share of the rows with the label that are of this class; null if no row has the label */
  readonly precision: number | null;
}

interface CalibrationDecile {
  /** probabilities from `from` to below `to`; the last decile holds 1 as well */
  readonly from: number;
  readonly to: number;
  /** pairs of row and class */
  readonly rows: number;
  /** mean probability; null without rows */
  readonly predicted: number | null;
  /** share of the pairs that are true */
  readonly observed: number | null;
}

/** How well classes were estimated. All shares are from 0 to 1. */
export interface ClassScores {
  readonly rows: number;
  readonly accuracy: number;
  /** mean of −ln(probability of the true class) */
  readonly log_loss: number;
  /** mean of the squared differences between probabilities and truth, summed over classes: 0 to 2 */
  readonly brier: number;
  readonly classes: readonly ClassScore[];
  readonly calibration: readonly CalibrationDecile[];
}

/** The smallest share that the surname files publish. A true class with probability 0 costs −ln of it. */
const MIN_PROBABILITY = 1e-4;
const DECILES = 10;

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

/** @returns null without rows */
export function classScores<Class extends string>(
  classes: readonly Class[],
  rows: readonly ClassEstimate<Class>[],
): ClassScores | null {
  if (rows.length === 0) return null;
  const probabilityOfTruth = ({ truth, probabilities }: ClassEstimate<Class>): number =>
    Math.max(MIN_PROBABILITY, probabilities[classes.indexOf(truth)]);
  const squares = ({ truth, probabilities }: ClassEstimate<Class>): number =>
    probabilities.reduce((sum, p, at) => sum + (p - (classes[at] === truth ? 1 : 0)) ** 2, 0);
  return {
    rows: rows.length,
    accuracy: mean(rows.map(({ truth, label }) => (truth === label ? 1 : 0))),
    log_loss: mean(rows.map((row) => -Math.log(probabilityOfTruth(row)))),
    brier: mean(rows.map(squares)),
    classes: classes.map((value) => scoreOf(value, rows)),
    calibration: calibrationOf(classes, rows),
  };
}

function scoreOf<Class extends string>(value: Class, rows: readonly ClassEstimate<Class>[]): ClassScore {
  const own = rows.filter(({ truth }) => truth === value).length;
  const labeled = rows.filter(({ label }) => label === value);
  const hits = labeled.filter(({ truth }) => truth === value).length;
  return { value, rows: own, recall: ratio(hits, own), precision: ratio(hits, labeled.length) };
}

function calibrationOf<Class extends string>(
  classes: readonly Class[],
  rows: readonly ClassEstimate<Class>[],
): CalibrationDecile[] {
  const deciles = Array.from({ length: DECILES }, () => ({ rows: 0, predicted: 0, observed: 0 }));
  for (const { truth, probabilities } of rows)
    probabilities.forEach((p, at) => {
      const decile = deciles[Math.min(DECILES - 1, Math.floor(p * DECILES))];
      decile.rows++;
      decile.predicted += p;
      if (classes[at] === truth) decile.observed++;
    });
  return deciles.map(({ rows: n, predicted, observed }, at) => ({
    from: at / DECILES,
    to: (at + 1) / DECILES,
    rows: n,
    predicted: ratio(predicted, n),
    observed: ratio(observed, n),
  }));
}
