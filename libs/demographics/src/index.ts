export { ADULT_AGE } from './ages/adult-ages';
export {
  AGE_BASES,
  type AgeBasis,
  AgeBasisError,
  type GroupBasis,
  GroupedAges,
  type YearGroup,
  basisOf,
  minAgeForBasis,
  yearGroup,
} from './ages/age-basis';
export { type AgeDistribution, type CohortCount, type Quartiles, AgeEstimator } from './ages/age-estimator';
export { type Interval } from './ages/age-intervals';
export { type BirthTable, FEMALE, MALE, type Sex, frequentNames } from './ages/birth-table';
export { type GroupAges, type GroupIntervals, GroupAgeEstimator, groupQuantile } from './ages/group-ages';
export { type NamedPeople } from './ages/group-observations';
export { type KnownNames, type NameKind, type ParsedName, parseContributorName } from './names/contributor-name';
export {
  type AgeAndGender,
  type AgeOptions,
  type ReferenceTables,
  type SurnameEthnicity,
  Demographics,
  ageAndGender,
  emptyAgeAndGender,
  emptyEthnicity,
  surnameEthnicity,
} from './demographic-lookups';
export { type Gender, mayHaveTitleOrOrganization } from './names/name-parts';
export { type DonorName, NO_DONOR, donorName } from './names/donor-name';
export { firstNameKey, baseLetters } from './names/first-name-key';
export { type KeyIndex, type KeyIndexParts, PackedKeyIndex } from './names/key-index';
export { type LifeTables, TABLE_AGES } from './ages/cohort-survival';
export { type DateWindow, type StepTable } from './ages/step-table';
export { buildStepTable } from './ages/step-table-builder';
export { AreaTable } from './area-table';
export {
  AREA_LEVELS,
  type AreaCodes,
  type AreaLevel,
  type EthnicGeography,
  type EthnicityBasis,
  type FirstNamePeople,
  type NameLookup,
  type PlaceEthnicity,
  emptyPlaceEthnicity,
  needsNameLookup,
  placeEthnicity,
  tractIncome,
} from './place-ethnicity';
export { surnameKeys } from './names/surname-key';
export {
  NO_RACE,
  PCT_COLUMNS,
  RACES,
  type Census,
  type Race,
  type SurnameRow,
  type SurnameTable,
  censusFor,
  fillSuppressed,
  isTied,
  raceAt,
} from './surname-table';
