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
} from './civil-date';
export { DomainError } from './domain-error';
export { BATCH_TYPES, type BatchType, OUTCOMES, type Outcome, type Tally, emptyTally, tallied } from './batch-type';
export { type Fips, fipsOf } from './geoid';
export {
  AMBIGUOUS_NAME,
  CONTRIBUTION_FIELDS,
  type ContributionField,
  FIELD_NAMES,
  type FieldMapping,
  ITCONT_COLUMNS,
  foldedFieldName,
} from './contribution-field';
export {
  type AgeGenderResult,
  type Attributes,
  CONTRIBUTION_COLUMNS,
  type ContributionResult,
  type EthnicityResult,
  PCT_ORDER,
  ageGenderResult,
  contributionResult,
  ethnicityResult,
} from './attributes';
export { counted, grouped } from './counted';
export { csvField, csvRecord, formulaGuarded } from './csv-text';
export { ITEM_ERRORS, type ItemErrorCode } from './item-error';
export { restoreFastStrings } from './fast-strings';
export { FIRST_CYCLE, cycleOfYear, firstDayOfCycle, lastDayOfCycle } from './cycle';
export { FIELD_SEPARATOR, type FiledSpec } from './filed-spec';
export { fromWindows1252 } from './windows-1252';
export {
  type CountyFinder,
  GEOCODE_OUTCOMES,
  type GeocodeOutcome,
  type GeocodeStatus,
  type Location,
  NO_PLACE,
  type Place,
  placeOf,
} from './place';
