import { type PoolClient } from 'pg';
import { type ContributionStore } from '@donorlens/campaign-finance';
import { type StoredImport } from '../engine/stored-import';
import { recordCycleReleases } from '../contributions/reenrich.repository';
import { type CheckedFiling } from './checked-filing';
import { type FilingReport, type StoredFacts, dollars } from './filing-report';
import { type FilingRepository, type StoredFiling } from './filing.repository';
import { FilingError } from './parser/filing';

type FinishedFiling = StoredFacts & Pick<FilingReport, 'outcome' | 'stored'>;

/**
 * Runs in the last transaction of the import of a filing, after all of its rows are stored: the last filing of the
 * report becomes current, and the rows of the others are removed.
 * @param larger - a replaced filing that has more rows
 */
export async function finishFiling(
  client: PoolClient,
  { filings, store }: { readonly filings: FilingRepository; readonly store: ContributionStore },
  stored: StoredImport,
  { filing, summary }: CheckedFiling,
  larger?: StoredFiling,
): Promise<FinishedFiling> {
  const { fileNum, amends } = filing;
  const { original, earlier, later } = await filings.chainOf(client, filing);
  const counts = await filings.rowCounts(client, stored, fileNum);
  await recordCycleReleases(client, await filings.cyclesOf(client, fileNum));
  const inForce = later.at(-1);
  const replaced = inForce ? [] : earlier.filter((other) => other.state === 'current').map((other) => other.fileNum);
  for (const gone of inForce ? [fileNum] : replaced) await store.removeFiling(client, gone);
  await filings.supersede(client, replaced);
  const state = inForce ? 'superseded' : 'current';
  await filings.finish(client, stored.id, filing, { original, state, reconciliation: summary.reconciliation });
  const amendedInProcessed = await store.removeAmendedRows(client, fileNum);
  const replacedByProcessed = await store.removeReplacedRows(client, fileNum);
  const isKnown = earlier.length + later.length + amendedInProcessed > 0;
  return {
    outcome: inForce ? 'superseded' : 'imported',
    importId: stored.id,
    ...(amends !== null && { amends: { fileNumber: amends, isKnown } }),
    ...(larger && { replacedLarger: { fileNumber: larger.fileNum, kept: larger.kept } }),
    ...(inForce && { supersededBy: inForce.fileNum }),
    supersedes: replaced,
    ...counts,
    replacedByProcessed,
    amendedInProcessed,
    stored: await filings.storedRows(fileNum, client),
  };
}

/**
 * Protects a current filing from being replaced by a truncated file. A text that is cut at the end of a line looks
 * complete, but its rows do not add up to the total of its form.
 * @param inForce - current filings that this one would replace
 * @returns the one that has more rows, if the form does not state a total to compare with
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
    `its rows lack ${dollars(lacking)} of the ${dollars(stated)} that its form states, and it has ${rows} rows, but ` +
      `filing ${larger.fileNum}, which it would replace, has ${larger.kept}`,
  );
}
