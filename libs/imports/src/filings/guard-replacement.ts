import { FilingError, type StoredFiling } from '@donorlens/filings';
import { type CheckedFiling } from './checked-filing';
import { dollars } from './filing-notes';

/**
 * Keeps a filing in force from being replaced by the beginning of its amendment, or of itself: a text that is cut at the
 * end of a line looks whole, but it lacks rows that its form states.
 * @param inForce filings that this one would take the place of
 * @returns the one that has more rows, where the form does not state what they add up to, so that nothing tells
 * @throws FilingError `filing_incomplete`
 */
export function guardReplacement(
  { rows, summary: { reconciliation } }: CheckedFiling,
  inForce: readonly StoredFiling[],
): StoredFiling | undefined {
  const larger = inForce.find(({ kept }) => kept > rows);
  const { itemizedSummaryCents: stated, itemizedDifferenceCents: lacking } = reconciliation;
  if (larger === undefined || stated === null || lacking === null) return larger;
  if (lacking <= 0) return undefined;
  throw new FilingError(
    'filing_incomplete',
    `its rows lack ${dollars(lacking)} of the ${dollars(stated)} that its form states, and it has ${rows} rows where ` +
      `filing ${larger.fileNum}, whose place it would take, has ${larger.kept}`,
  );
}
