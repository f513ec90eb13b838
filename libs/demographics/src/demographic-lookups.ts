import { type CivilDay } from '@donorlens/primitives';
import { AgeEstimator } from './ages/age-estimator';
import { type BirthTable, clearSexOf } from './ages/birth-table';
import { type LifeTables } from './ages/cohort-survival';
import { GroupAgeEstimator } from './ages/group-ages';
import { type StepTable } from './ages/step-table';
import {
  type KnownNames,
  type ParsedGiven,
  type ParsedName,
  givenNames,
  parseContributorName,
  surnameKeyOf,
} from './names/contributor-name';
import { type Gender } from './names/name-parts';
import { hasParticle, surnameRow } from './names/surname-key';
import { type Census, type Race, type SurnameTable, censusFor, raceAt } from './surname-table';

/** The tables of one data release that lookups of names use. */
export interface ReferenceTables {
  readonly births: BirthTable;
  readonly life: LifeTables;
  readonly steps: StepTable | null;
  readonly surnames2000: SurnameTable;
  readonly surnames2010: SurnameTable;
  /** Undefined if the data release was built without the surnames of the 2020 Census. */
  readonly surnames2020?: SurnameTable;
}

/** Estimates from one data release. The api and enrichment hold one object per data release. */
export class Demographics {
  readonly ages: AgeEstimator;
  private groups: GroupAgeEstimator | undefined;
  private readonly known: Readonly<Record<Census, KnownNames>>;

  constructor(private readonly tables: ReferenceTables) {
    this.ages = new AgeEstimator(tables.births, tables.life, tables.steps);
    const knownBy = (surnames: SurnameTable): KnownNames => ({
      firstName: (key) => tables.births.names.find(key) >= 0,
      clearSex: (key) => clearSexOf(tables.births, tables.births.names.find(key)),
      surname: (key) => surnames.names.find(key) >= 0,
    });
    const { surnames2000, surnames2010, surnames2020 = surnames2010 } = tables;
    this.known = { 2000: knownBy(surnames2000), 2010: knownBy(surnames2010), 2020: knownBy(surnames2020) };
  }

  /** Created on first use, because the constructor sums the births of all names. */
  get groupAges(): GroupAgeEstimator {
    return (this.groups ??= new GroupAgeEstimator(this.tables.births, this.ages.survival));
  }

  /** Spelling in the birth files of the first name at a position. */
  firstNameKey(name: number): string {
    return this.tables.births.names.keyAt(name);
  }

  /** Census whose surname file is used for a year. */
  censusOf(year: number): Census {
    return censusFor(year, this.tables.surnames2020 !== undefined);
  }

  /** Census surname file for a year. A surname that it does not list is not looked up in the other files. */
  surnamesOf(year: number): SurnameTable {
    const { surnames2000, surnames2010, surnames2020 = surnames2010 } = this.tables;
    const census = this.censusOf(year);
    return census === 2000 ? surnames2000 : census === 2010 ? surnames2010 : surnames2020;
  }

  /** Parses a contributor name as filed. The keys are those of the birth files and of the surname file for the year. */
  parseName(raw: string, entityType: string | undefined, year: number): ParsedName {
    return parseContributorName(raw, entityType, this.known[this.censusOf(year)]);
  }

  /** Parses the text of a given-name column. The key is one of the birth files. */
  givenNames(raw: string): ParsedGiven {
    return givenNames(raw, this.known[2010]);
  }

  /** Returns a filed surname as it is, or, if it has a particle, its key in the file for the year (null if unknown). */
  filedSurname(raw: string, year: number): string | null {
    return hasParticle(raw) ? surnameKeyOf(raw, this.known[this.censusOf(year)]) : raw;
  }
}

/** Options of a first-name lookup. One object can be reused for any number of queries. */
export interface AgeOptions {
  /** Counts only people of at least this age, in completed years, 0 to 100; null counts people of any age. */
  readonly minAge: number | null;
  /**
   * True if the text comes from a column of given names: it may contain titles, initials, nicknames, and further
   * names (`Dr. Thomas J.`). If false, the text is looked up as one first name.
   */
  readonly hasGivenNames: boolean;
}

/** Result of `ageAndGender`. */
export interface AgeAndGender {
  /** Position of the first name in the birth files, for `AgeEstimator`; -1 if the name is unknown. */
  nameIndex: number;
  /** Median age in completed years. Null without a date, or if no person with the name is alive on the date. */
  ageYears: number | null;
  /** Null if the name is unknown and no title decides, or for a tie that the people alive on the date do not break. */
  gender: Gender | null;
  /** What decided the gender; null if `gender` is null. */
  genderSource: 'title' | 'name' | null;
}

/** Result of `surnameEthnicity`. */
export interface SurnameEthnicity {
  /** Census file for the year; null if that file does not list the surname. */
  surnameTable: SurnameTable | null;
  /** Row of the surname in that table; -1 if unknown. Its six shares begin at `pct[6 * surnameRow]`. */
  surnameRow: number;
  /** Group with the highest published share. Null if the surname is unknown or every cell is suppressed. */
  race: Race | null;
}

/** A single initial (`Jean A` is not Jeana), or a title that decides the gender (`Sr. Ann` is not Srann). */
const INITIAL_OR_TITLE = /(?:^|[ .])(?:[A-Z]|MRS?|MS|MISS|SIR|DAME|SR)(?:[ .,]|$)/i;
const BLANK = 32;
const FULL_STOP = 46;

/** Skips the regular expression for a single word without full stops, because most names are one. */
function needsParsing(name: string): boolean {
  if (name.length === 1) return true;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code === BLANK || code === FULL_STOP) return INITIAL_OR_TITLE.test(name);
  }
  return false;
}

/**
 * Age and gender of a donor by first name and date. Every endpoint, the worker and the import call this function.
 * Gender is the sex with more births of that name over all years; the people alive on the date break a tie.
 * A title among the given names takes precedence over the name.
 * @param name - first name, or given names (`options.hasGivenNames`); any text; a known ASCII name allocates nothing
 * @param on - civil date of the donation; NaN without a date: then the age is null
 * @param options - minimum age and form of the name
 * @param demographics - tables of one data release
 * @param result - overwritten and returned, so that a bulk request allocates no result per row
 * @returns `result`; equal inputs give equal results for one data release
 * @see docs/method.md#age-and-gender
 */
export function ageAndGender<Result extends AgeAndGender>(
  name: string,
  on: CivilDay,
  options: AgeOptions,
  demographics: Demographics,
  result: Result,
): Result {
  const { ages } = demographics;
  let index = ages.nameIndex(name);
  let title: Gender | null = null;
  if (options.hasGivenNames && (index < 0 || needsParsing(name))) {
    const given = demographics.givenNames(name);
    index = ages.nameIndex(given.key ?? '');
    title = given.titleGender;
  }
  result.nameIndex = index;
  result.ageYears = null;
  result.gender = title ?? ages.genderOf(index, on);
  result.genderSource = result.gender === null ? null : title === null ? 'name' : 'title';
  if (index < 0) return result;
  const age = on === on ? ages.ageAt(index, on, options.minAge ?? 0) : -1;
  if (age >= 0) result.ageYears = age;
  return result;
}

/**
 * Ethnicity of a donor by surname and year. Every endpoint, the worker and the import call this function.
 * It uses the 2000 Census for years up to 2005 and the 2010 Census for later years, never the other file. In a data
 * release with surnames of the 2020 Census, it uses those for years from 2016 on.
 * @param surname - any text; hyphenated surnames, suffixes and particles are tried in the documented order
 * @param year - year of the donation, any whole number
 * @param demographics - tables of one data release
 * @param result - overwritten and returned, so that a bulk request allocates no result per row
 * @returns `result`; equal inputs give equal results for one data release
 * @see docs/method.md#ethnicity
 */
export function surnameEthnicity<Result extends SurnameEthnicity>(
  surname: string,
  year: number,
  demographics: Demographics,
  result: Result,
): Result {
  const table = demographics.surnamesOf(year);
  const row = surnameRow(table.names, surname);
  result.surnameTable = row < 0 ? null : table;
  result.surnameRow = row;
  result.race = row < 0 ? null : raceAt(table, row);
  return result;
}

/** Creates a result object that callers reuse for `ageAndGender`. */
export const emptyAgeAndGender = (): AgeAndGender => ({
  nameIndex: -1,
  ageYears: null,
  gender: null,
  genderSource: null,
});

/** Creates a result object that callers reuse for `surnameEthnicity`. */
export const emptyEthnicity = (): SurnameEthnicity => ({ surnameTable: null, surnameRow: -1, race: null });
