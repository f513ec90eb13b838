export { type ChunkSpec } from './chunk-spec';
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
