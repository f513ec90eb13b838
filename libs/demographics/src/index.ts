export { type AgeDistribution, type CohortCount, type Quartiles } from './age-distribution';
export { AgeEstimator } from './age-estimator';
export { type BirthTable } from './birth-table';
export { type KnownNames, type NameKind, type ParsedName, parseContributorName } from './contributor-name';
export { Demographics, type ReferenceTables } from './demographics';
export { type DonorName, donorName } from './donor-name';
export { EthnicityLookup, type SurnameMatch, censusFor, raceAt } from './ethnicity';
export { firstNameKey } from './first-name-key';
export { type KeyIndex, type KeyIndexParts, PackedKeyIndex } from './key-index';
export { baseLetters } from './latin-letters';
export { type LifeTables, TABLE_AGES } from './life-table';
export { FEMALE, type Gender, MALE, type Sex } from './sex';
export { type DateWindow, type StepTable } from './step-table';
export { buildStepTable } from './step-table-builder';
export { surnameKeys } from './surname-key';
export {
  NO_RACE,
  PCT_COLUMNS,
  RACES,
  type Race,
  type SurnameRow,
  type SurnameTable,
  fillSuppressed,
  isTied,
} from './surname-table';
