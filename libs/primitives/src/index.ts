export {
  type CivilDay,
  FIRST_YEAR,
  LAST_YEAR,
  civilDay,
  dayOfYear,
  daysInMonth,
  daysInYear,
  formatCivilDay,
  isLeapYear,
  parseCivilDay,
  parseFecDay,
  yearOf,
  FIRST_CYCLE,
  LAST_CYCLE,
  cycleOfYear,
  firstDayOfCycle,
  lastDayOfCycle,
} from './civil-date';
export { DomainError } from './domain-error';
export {
  BATCH_TYPES,
  type BatchType,
  OUTCOMES,
  type Outcome,
  type OutcomeCounts,
  emptyCounts,
  countedRows,
  ITEM_ERRORS,
  type ItemErrorCode,
} from './batch-item';
export {
  type Fips,
  fipsOf,
  type CountyFinder,
  type ZipCounty,
  type ZipCountyFinder,
  GEOCODE_OUTCOMES,
  type GeocodeOutcome,
  type GeocodeStatus,
  type Location,
  NO_PLACE,
  type Place,
  placeOf,
} from './place';
export {
  AMBIGUOUS_NAME,
  CONTRIBUTION_FIELDS,
  type ContributionField,
  FIELD_NAMES,
  type FieldMapping,
  foldedFieldName,
} from './contribution-field';
export {
  ADDED_KINDS,
  ETHNICITY_OPTIONS,
  type EthnicityOption,
  type AgeGenderResult,
  type Attributes,
  CONTRIBUTION_COLUMNS,
  type ContributionResult,
  type EthnicityResult,
  NAME_DETAIL_COLUMNS,
  type NameDetail,
  type NameDetailColumn,
  nameDetailCells,
  PCT_ORDER,
  ageGenderResult,
  contributionResult,
  ethnicityResult,
} from './attributes';
export { counted, grouped } from './counted';
export { type ImportSpec } from './import-spec';
export { TimeoutError, withTimeout } from './with-timeout';
export { DEFAULT_OFFICES, FEC_OFFICES, type FecOffice, OFFICE_NAMES, officeOf } from './office';
