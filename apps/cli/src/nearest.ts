/** Fewer letters begin too many words. */
const LEAST_BEGUN = 3;

/** The word that somebody who wrote this one most likely meant; null where none is near. */
export function nearest(written: string, words: readonly string[]): string | null {
  const begun = words.filter((word) => written.length >= LEAST_BEGUN && word.startsWith(written.toLowerCase()));
  if (begun.length === 1) return begun[0];
  const [best] = words
    .map((word) => ({ word, edits: editsBetween(written.toLowerCase(), word.toLowerCase()) }))
    .sort((one, other) => one.edits - other.edits);
  return best && best.edits <= Math.max(1, Math.floor(best.word.length * 0.4)) ? best.word : null;
}

export function didYouMean(written: string, words: readonly string[]): string {
  const meant = nearest(written, words);
  return meant === null ? '' : ` Did you mean ${meant}?`;
}

/** Letters added, left out, changed or swapped with their neighbour. */
function editsBetween(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = one[i - 1] === other[j - 1] ? 0 : 1;
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(
        Math.min(
          rows[i - 1][j] + 1,
          row[j - 1] + 1,
          rows[i - 1][j - 1] + change,
          isSwap ? rows[i - 2][j - 2] + 1 : Infinity,
        ),
      );
    }
    rows.push(row);
  }
  return rows[one.length][other.length];
}
