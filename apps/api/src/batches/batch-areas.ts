import { type Batch, type ResultAreas, type SummaryTables } from '@donorlens/batches';
import { StoredItemReader } from '@donorlens/enrichment';
import { type Release } from '@donorlens/reference-data';
import { requestedAreas } from '../schemas/parameters';

/**
 * Area tables of the batch's data release for its results.
 * @throws Problem 409
 */
export function areasOf(batch: Batch, release: Release, tractIncome: boolean): ResultAreas {
  const { type, itemFormat: format, columns, mapping, ethnicityBasis } = batch;
  const hasIncomes = tractIncome && type === 'contributions';
  const { geography, tractIncomes } = requestedAreas(release, { ethnicityBasis, tractIncome: hasIncomes });
  const placed = geography && { geography, items: new StoredItemReader({ type, format, columns, mapping }, release) };
  return { placed, tractIncomes };
}

/** Tables of the batch's data release for its summary. @throws Problem 409 */
export const summaryTables = (batch: Batch, release: Release): SummaryTables => ({
  groupAges: release.demographics.groupAges,
  countyOf: (fips) => release.counties.find(fips),
  areas: areasOf(batch, release, false),
});
