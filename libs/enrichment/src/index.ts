export { storedAddresses, ChunkMismatchError } from './chunk-items';
export {
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
export { filedNameDetail, itemDetails } from './name-detail';
export { StoredItemReader } from './item-reader';
