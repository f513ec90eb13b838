/** Less than the width of any line, in units of the picture. */
const TOLERANCE = 0.4;

/**
 * Days that are enough to draw a line: at every day left out it runs at most 0.4 units above or below where it should.
 * From a day that is kept, the line may go on in all directions that pass by every day since; where none is left, the day
 * before is kept.
 * @param heights one for each day
 * @returns days, ascending, the first and the last among them
 */
export function daysToDraw(heights: readonly number[]): number[] {
  const kept = [0];
  let [from, steepest, flattest] = [0, Infinity, -Infinity];
  for (let day = 1; day < heights.length;) {
    const slope = (heights[day] - heights[from]) / (day - from);
    if (slope > steepest || slope < flattest) {
      from = day - 1;
      kept.push(from);
      [steepest, flattest] = [Infinity, -Infinity];
    } else {
      steepest = Math.min(steepest, slope + TOLERANCE / (day - from));
      flattest = Math.max(flattest, slope - TOLERANCE / (day - from));
      day++;
    }
  }
  if (heights.length > 1) kept.push(heights.length - 1);
  return kept;
}
