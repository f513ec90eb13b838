export { storedAddresses } from './addresses/stored-addresses';
export { ChunkMismatchError } from './chunk-items';
export { ChunkLines } from './chunk-lines';
export { type ChunkSpec } from './chunk-spec';
export { type Contribution, emptyContribution } from './contribution';
export { parseContributionDate } from './contribution-date';
export { type EnrichOptions, type EnrichedChunk, type EnrichedRow, enrichChunk, enrichRows } from './enrich-chunk';
export { type EnrichmentRules, type EnrichmentTables, enrichContribution } from './enrich-contribution';
export { enrichItem, wronglyTyped } from './enrich-item';
export { type EnrichedLines } from './enriched-lines';
export { jsonKeys } from './json-contribution';
export { linesOf } from './lines-of';
export { FiledLines } from './filed/filed-lines';
export { EnrichedItem } from './enriched-item';
export {
  type AgeGenderResult,
  type Attributes,
  CONTRIBUTION_COLUMNS,
  type ContributionResult,
  type EthnicityResult,
  ageGenderResult,
  contributionResult,
  ethnicityResult,
} from '@donorlens/primitives';
