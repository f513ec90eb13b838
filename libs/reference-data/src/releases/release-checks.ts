import { type AreaTable, type BirthTable, type LifeTables } from '@donorlens/demographics';
import { type AreaPeople } from '../tables/acs-files';
import { type BirthFacts } from '../tables/birth-names';
import { type FirstNameFile } from '../tables/first-names';
import { type CountyIncome, type IncomeFile, type ListedCounty } from '../tables/county-files';
import { AGES } from '../tables/life-tables';
import { CheckError } from '../reference-data-error';
import { type SurnameFacts } from '../tables/surnames';
import { type ZipFile } from '../tables/zip-counties';

export interface CheckResult {
  readonly check: string;
  readonly found: number;
  readonly least: number;
  readonly most: number;
}

/** What the loaders found, before it is compiled. */
export interface LoadedFacts {
  readonly births: BirthTable;
  readonly birthFacts: BirthFacts;
  readonly life: LifeTables;
  readonly surnames2000: SurnameFacts;
  readonly surnames2010: SurnameFacts;
  readonly surnames2020: SurnameFacts | null;
  readonly income: IncomeFile;
  readonly listed: readonly ListedCounty[];
  readonly zips: ZipFile | null;
  readonly firstNames: FirstNameFile | null;
  readonly areas: AreaPeople | null;
  readonly tractIncomes: AreaTable | null;
}

/**
 * Holds loaded files against what is known about the published editions.
 * @param edition `published` for the official files, wherever they come from; `sample` for the one that ships with the
 *   project
 * @throws CheckError that names every bound that is broken
 */
export function checkLoaded(facts: LoadedFacts, edition: 'published' | 'sample'): CheckResult[] {
  const results = [...boundsOf(facts, edition === 'sample'), ...(edition === 'sample' ? [] : sentinels(facts))];
  const faults = results.filter(({ found, least, most }) => !(found >= least && found <= most));
  if (faults.length > 0) throw new CheckError(faults.map(sentence));
  return results;
}

const sentence = ({ check, found, least, most }: CheckResult): string =>
  `${check} is ${found}, expected ${least === most ? least : `${least} to ${most}`}`;

const checkRange = (check: string, found: number, least: number, most: number): CheckResult => ({
  check,
  found,
  least,
  most,
});

/** Sizes. Bounds leave room for later editions, not for half a file. */
function boundsOf(facts: LoadedFacts, sample: boolean): CheckResult[] {
  const { births, birthFacts, life, surnames2000, surnames2010, surnames2020 } = facts;
  const { income, listed, zips, firstNames, areas, tractIncomes } = facts;
  const size = (check: string, found: number, least: number, most: number, sampleLeast: number): CheckResult =>
    sample ? checkRange(check, found, sampleLeast, most) : checkRange(check, found, least, most);
  return [
    size('first names', births.names.size, 90_000, 200_000, 100),
    size('lines of the birth files', birthFacts.rows, 1_800_000, 4_000_000, 1_000),
    size('births', birthFacts.births, 330_000_000, 600_000_000, 1_000_000),
    checkRange('first birth year', births.firstYear, 1880, 1880),
    checkRange('last birth year', births.lastYear, 2015, 2100),
    checkRange('first year of the life tables', life.firstYear, 1900, 1900),
    checkRange('last year of the life tables', life.lastYear, 2080, 2150),
    checkRange('years of the life tables', life.q.length / (2 * AGES), 181, 251),
    size('surnames of 2000', surnames2000.rows, 150_000, 153_000, 100),
    size('surnames of 2010', surnames2010.rows, 160_000, 165_000, 100),
    size('people with a listed surname, 2000', surnames2000.people, 235e6, 250e6, 1e5),
    size('people with a listed surname, 2010', surnames2010.people, 260e6, 280e6, 1e5),
    checkRange(
      'surname rows of 2000 whose percentages do not add up to 99 to 100.05',
      surnames2000.oddSums,
      0,
      surnames2000.rows / 1000,
    ),
    checkRange(
      'surname rows of 2010 whose percentages do not add up to 99 to 100.05',
      surnames2010.oddSums,
      0,
      surnames2010.rows / 1000,
    ),
    ...(surnames2020
      ? [
          size('surnames of 2020', surnames2020.rows, 150_000, 250_000, 100),
          size('people with a listed surname, 2020', surnames2020.people, 260e6, 330e6, 1e5),
          checkRange(
            'surname rows of 2020 whose percentages do not add up to 99 to 100.05',
            surnames2020.oddSums,
            0,
            surnames2020.rows / 1000,
          ),
        ]
      : []),
    size('counties with an estimate', withIncome(income.counties), 3_100, 3_200, 20),
    size('states of the estimates', income.states, 51, 51, 5),
    size('counties of the list', listed.length, 3_100, 3_400, 20),
    checkRange('listed counties without a row of the estimates', countUnmatched(income, listed), 0, sample ? 0 : 130),
    ...(zips
      ? [
          size('ZIPs with a county', zips.zips, 30_000, 36_000, 20),
          size('lines of the ZIP file', zips.rows, 30_000, 60_000, 20),
          checkRange('ZIPs whose county is not listed', countUnlisted(zips, listed), 0, sample ? 0 : 30),
        ]
      : []),
    ...(firstNames ? [size('first names by race and ethnicity', firstNames.rows, 4_000, 200_000, 1)] : []),
    ...(areas ? areaBounds(areas, sample) : []),
    ...(tractIncomes
      ? [checkRange('tracts with an income', tractIncomes.codes.length, sample ? 1 : 70_000, 100_000)]
      : []),
  ];
}

/** A file may lack a level, but not a part of it. */
function areaBounds({ nation, county, zcta, tract }: AreaPeople, sample: boolean): CheckResult[] {
  const level = (check: string, { codes }: AreaTable, least: number, most: number): CheckResult =>
    checkRange(check, codes.length, sample || codes.length === 0 ? 0 : least, most);
  const people = nation.reduce((sum, hundredths) => sum + hundredths / 100, 0);
  return [
    checkRange('people by group', people, sample ? 1 : 280e6, 450e6),
    level('counties with people by group', county, 3_100, 3_300),
    level('ZCTAs with people by group', zcta, 30_000, 36_000),
    level('tracts with people by group', tract, 70_000, 100_000),
  ];
}

/** Single published values; birth counts are revised a little with every edition, the rest never. */
function sentinels({ births, life, surnames2000, surnames2010, income }: LoadedFacts): CheckResult[] {
  const bornNear = (name: string, sex: 0 | 1, year: number, count: number): CheckResult =>
    checkRange(
      `${name} ${sex === 1 ? 'F' : 'M'} ${year}`,
      bornIn(births, name, sex, year),
      count * 0.995,
      count * 1.005,
    );
  const checkValue = (check: string, found: number | null | undefined, value: number): CheckResult =>
    checkRange(check, found ?? NaN, value, value);
  const checkDeathRate = (sex: 0 | 1, q: number): CheckResult =>
    checkRange(`q(0) of ${sex === 0 ? 'males' : 'females'} 1900`, qAt(life, sex, 1900, 0), q * 0.98, q * 1.02);
  return [
    bornNear('mary', 1, 1880, 7065),
    bornNear('linda', 1, 1947, 99_693),
    bornNear('jennifer', 1, 1972, 63_605),
    bornNear('james', 0, 1947, 94_761),
    checkDeathRate(0, 0.145957),
    checkDeathRate(1, 0.119694),
    checkValue('count of SMITH 2000', surnames2000.smith?.count, 2_376_206),
    checkValue('count of SMITH 2010', surnames2010.smith?.count, 2_442_977),
    checkValue('rank of SMITH 2010', surnames2010.smith?.rank, 1),
    checkValue('median household income of the country', income.usMedian, 61_937),
    checkValue('median household income of 06037', incomeIn(income, '06037'), 67_986),
    checkValue('median household income of 51107', incomeIn(income, '51107'), 140_382),
  ];
}

const withIncome = (counties: readonly CountyIncome[]): number =>
  counties.filter((county) => county.medianHouseholdIncome !== null).length;

/** Territories and county codes that were given up since; see county-table.ts. */
function countUnmatched(income: IncomeFile, listed: readonly ListedCounty[]): number {
  const known = new Set(income.counties.map((county) => county.fips));
  return listed.filter((county) => !known.has(county.fips)).length;
}

function countUnlisted({ columns }: ZipFile, listed: readonly ListedCounty[]): number {
  const known = new Set([0, ...listed.map(({ fips }) => Number(fips))]);
  return columns.fips.reduce((count, fips) => count + (known.has(fips) ? 0 : 1), 0);
}

const incomeIn = (income: IncomeFile, fips: string): number | null | undefined =>
  income.counties.find((county) => county.fips === fips)?.medianHouseholdIncome;

const qAt = (life: LifeTables, sex: 0 | 1, year: number, age: number): number =>
  life.q[(sex * (life.lastYear - life.firstYear + 1) + year - life.firstYear) * AGES + age];

/** Births of one name, sex and year; 0 if the file has none. */
export function bornIn(births: BirthTable, key: string, sex: 0 | 1, year: number): number {
  const name = births.names.find(key);
  if (name < 0) return 0;
  const row = 2 * name + sex;
  for (let cell = births.rowStart[row]; cell < births.rowStart[row + 1]; cell++)
    if (births.firstYear + births.yearOffset[cell] === year) return births.count[cell];
  return 0;
}
