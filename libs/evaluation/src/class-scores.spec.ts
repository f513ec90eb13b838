import fc from 'fast-check';
import { type ClassEstimate, classScores } from './class-scores';

type Letter = 'a' | 'b' | 'c';
const CLASSES: readonly Letter[] = ['a', 'b', 'c'];
const row = (truth: Letter, label: Letter | null, ...probabilities: number[]): ClassEstimate<Letter> => ({
  truth,
  label,
  probabilities,
});

describe('the scores of classes', () => {
  const scores = classScores(CLASSES, [
    row('a', 'a', 0.8, 0.1, 0.1),
    row('a', 'b', 0.3, 0.5, 0.2),
    row('b', 'b', 0.2, 0.6, 0.2),
    row('b', 'a', 1, 0, 0),
  ])!;

  it('are accuracy, log loss and Brier score', () => {
    expect([scores.rows, scores.accuracy]).toEqual([4, 0.5]);
    // −ln of 0.8, 0.3, 0.6 and, for a probability of 0, the smallest published share
    expect(scores.log_loss).toBeCloseTo(-(Math.log(0.8) + Math.log(0.3) + Math.log(0.6) + Math.log(1e-4)) / 4, 12);
    // 0.04+0.01+0.01, 0.49+0.25+0.04, 0.04+0.16+0.04, 1+1+0
    expect(scores.brier).toBeCloseTo((0.06 + 0.78 + 0.24 + 2) / 4, 12);
  });

  it('are recall and precision by class, unknown if no row has the class or the label', () => {
    expect(scores.classes).toEqual([
      { value: 'a', rows: 2, recall: 0.5, precision: 0.5 },
      { value: 'b', rows: 2, recall: 0.5, precision: 0.5 },
      { value: 'c', rows: 0, recall: null, precision: null },
    ]);
  });

  it('are the calibration by decile over all pairs of row and class', () => {
    const [first, second, third] = scores.calibration;
    // 0 and 0 of the last row: of a class that it is not, and b, which it is not in c
    expect(first).toEqual({ from: 0, to: 0.1, rows: 2, predicted: 0, observed: 0.5 });
    expect([second.rows, second.observed]).toEqual([2, 0]); // 0.1 twice
    expect([third.rows, third.observed]).toEqual([3, 0]); // 0.2 three times
    expect(scores.calibration[9]).toEqual({ from: 0.9, to: 1, rows: 1, predicted: 1, observed: 0 });
    expect(scores.calibration[7]).toEqual({ from: 0.7, to: 0.8, rows: 0, predicted: null, observed: null });
  });

  it('do not exist without rows', () => {
    expect(classScores(CLASSES, [])).toBeNull();
  });

  it('are within their ranges, best for certain and right estimates', () => {
    const letter = fc.constantFrom(...CLASSES);
    const shares = fc.array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(fc.tuple(letter, letter, shares), { minLength: 1 }), (drawn) => {
        const rows = drawn.map(([truth, label, values]) => {
          const sum = values.reduce((total, value) => total + value, 0);
          return row(truth, label, ...values.map((value) => value / sum));
        });
        const { accuracy, log_loss, brier, classes, calibration } = classScores(CLASSES, rows)!;
        const right = classScores(
          CLASSES,
          drawn.map(([truth]) => row(truth, truth, ...CLASSES.map((one) => (one === truth ? 1 : 0)))),
        )!;
        expect(accuracy >= 0 && accuracy <= 1).toBe(true);
        expect(brier >= 0 && brier <= 2).toBe(true);
        expect(log_loss).toBeGreaterThanOrEqual(0);
        expect(classes.reduce((sum, { rows: n }) => sum + n, 0)).toBe(rows.length);
        expect(calibration.reduce((sum, { rows: n }) => sum + n, 0)).toBe(3 * rows.length);
        expect(Math.abs(right.log_loss) + right.brier + (1 - right.accuracy)).toBe(0);
      }),
    );
  });
});
