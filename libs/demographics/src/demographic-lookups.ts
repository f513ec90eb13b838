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
  /** Only in a data release that was built with them. */
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

  /** Made at the first use: it sums the births of all names. */
  get groupAges(): GroupAgeEstimator {
    return (this.groups ??= new GroupAgeEstimator(this.tables.births, this.ages.survival));
  }

  /** Spelling of a first name in the birth files. */
  firstNameKey(name: number): string {
    return this.tables.births.names.keyAt(name);
  }

  /** The Census whose surname file answers for a year. */
  censusOf(year: number): Census {
    return censusFor(year, this.tables.surnames2020 !== undefined);
  }

  /** The Census surname file that answers for a year. The other files are never used. */
  surnamesOf(year: number): SurnameTable {
    const { surnames2000, surnames2010, surnames2020 = surnames2010 } = this.tables;
    const census = this.censusOf(year);
    return census === 2000 ? surnames2000 : census === 2010 ? surnames2010 : surnames2020;
  }

  /** A contributor name as filed, with keys of the birth files and of the surname file of the year. */
  parseName(raw: string, entityType: string | undefined, year: number): ParsedName {
    return parseContributorName(raw, entityType, this.known[this.censusOf(year)]);
  }

  /** Given names from a column of their own, with a key of the birth files. */
  givenNames(raw: string): ParsedGiven {
    return givenNames(raw, this.known[2010]);
  }

  /** A surname of a filed name; with a particle, the key in the file of the year or null. */
  filedSurname(raw: string, year: number): string | null {
    return hasParticle(raw) ? surnameKeyOf(raw, this.known[this.censusOf(year)]) : raw;
  }
}

/** How a first name is looked up. One object serves any number of queries. */
export interface AgeOptions {
  /** Counts only people of that age or more, in completed years, 0 to 100; null counts everyone. */
  readonly minAge: number | null;
  /**
   * True for a column of given names as donors write them: the text may hold titles, initials, nicknames and further
   * names (`Dr. Thomas J.`). False looks up the text as one first name.
   */
  readonly hasGivenNames: boolean;
}

/** Result of `ageAndGender`. */
export interface AgeAndGender {
  /**
   * Position of the first name in the birth files, for `AgeEstimator`; -1: the name is unknown, and both values are
   * null.
   */
  nameIndex: number;
  /** Median age in completed years; null without a date or if no one with the name is alive at the date. */
  ageYears: number | null;
  /** Null for a tie that the date does not decide. */
  gender: Gender | null;
  /** What decided the gender; null if gender is null. */
  genderSource: 'title' | 'name' | null;
}

/** Result of `surnameEthnicity`. */
export interface SurnameEthnicity {
  /** Census file of the year, if it lists the surname; null for an unknown surname. */
  surnameTable: SurnameTable | null;
  /** Row of the surname in that table; -1: unknown. Its six shares begin at `pct[6 * surnameRow]`. */
  surnameRow: number;
  /** Group with the highest published share; null if the surname is unknown or every cell is suppressed. */
  race: Race | null;
}

/** A single initial: `Jean A` is not Jeana. Or a title that decides the gender: `Sr. Ann` is not Srann. */
const INITIAL_OR_TITLE = /(?:^|[ .])(?:[A-Z]|MRS?|MS|MISS|SIR|DAME|SR)(?:[ .,]|$)/i;
const BLANK = 32;
const FULL_STOP = 46;

/** One plain word, as most names are, costs no regular expression. */
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
 * Gender is the sex with more births of that name over all years; a tie is decided by the people alive at the date.
 * A title among given names decides it before the name does.
 * @param name - first name, or given names (`options.hasGivenNames`); any text; ASCII text allocates nothing
 * @param on - civil date of the donation; NaN without a date: then the age is null
 * @param options - condition on the age and form of the name
 * @param demographics - tables of one data release
 * @param result - is overwritten and returned, so that a bulk request allocates nothing per row
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
    title = given.title;
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
 * Years up to 2005 are answered from the 2000 Census, later ones from the 2010 Census, never from the other file. A
 * data release with surnames of 2020 answers years from 2016 on from them.
 * @param surname - any text; hyphenated surnames, suffixes and particles are tried in the documented order
 * @param year - year of the donation, any whole number
 * @param demographics - tables of one data release
 * @param result - is overwritten and returned, so that a bulk request allocates nothing per row
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

/** An empty result for `ageAndGender`, to be reused. */
export const emptyAgeAndGender = (): AgeAndGender => ({
  nameIndex: -1,
  ageYears: null,
  gender: null,
  genderSource: null,
});

/** An empty result for `surnameEthnicity`, to be reused. */
export const emptyEthnicity = (): SurnameEthnicity => ({ surnameTable: null, surnameRow: -1, race: null });
