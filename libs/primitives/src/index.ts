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
export { type Fips, isFips } from './geoid';
