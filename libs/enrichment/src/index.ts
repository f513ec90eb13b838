export { storedAddresses, ChunkMismatchError } from './chunk-items';
export {
  ChunkLines,
  type EnrichOptions,
  type EnrichedChunk,
  type EnrichedRow,
  enrichChunk,
  enrichRows,
  createEnrichedLines,
} from './enrich-chunk';
export { type ChunkSpec, type EnrichedLines } from './chunk';
export { type Contribution, emptyContribution, parseContributionDate } from './contribution';
export {
  type EnrichmentRules,
  type EnrichmentTables,
  enrichContribution,
  placeRules,
  EnrichedItem,
} from './enrich-contribution';
export { enrichItem, jsonKeys, nonStringKeys } from './json-contribution';
export { ImportLines } from './import-lines';
export { filedNameDetail, itemDetails } from './name-detail';
export { StoredItemReader } from './item-reader';
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
