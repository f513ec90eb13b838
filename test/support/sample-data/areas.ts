import { crc32 } from 'node:zlib';
import { countyCodes, zipCodes } from './counties';

/** Not an edition; the number only says that the files have the layout of 2024. */
const EDITION = 2024;
const TRACTS_PER_COUNTY = 4;

/** Lines of table B03002 with counts: White, Black, AIAN, Asian, Pacific Islander, other, two or more, Hispanic. */
const LINES = [3, 4, 5, 6, 7, 8, 9, 12];
const LINE_COUNT = 21;
/** People in thousandths; a mix of a model, around which areas vary. */
const MIX = [620, 120, 10, 55, 5, 5, 30, 155];

const share = (text: string): number => crc32(Buffer.from(text, 'latin1')) / 2 ** 32;

/** People of an area, by line of LINES: each group has between a quarter and four times its part of the mix. */
const peopleOf = (geoId: string, people: number): number[] =>
  MIX.map((part, at) => Math.round((people * part * 4 ** (2 * share(`${geoId} ${at}`) - 1)) / 1000));

/** A row of a table of the summary file. Margins of error are 0. */
export const acsRow = (geoId: string, estimates: readonly number[]): string =>
  [geoId, ...estimates.flatMap((estimate) => [estimate, 0])].join('|');

/** The header of a table with this number of lines. */
export const acsHeader = (table: string, lines: number): string => {
  const names = Array.from({ length: lines }, (_, at) => String(at + 1).padStart(3, '0'));
  return ['GEO_ID', ...names.flatMap((name) => [`${table}_E${name}`, `${table}_M${name}`])].join('|');
};

/** A row of B03002 with these people by line of LINES. */
export function peopleRow(geoId: string, people: readonly number[]): string {
  const estimates = Array<number>(LINE_COUNT).fill(0);
  LINES.forEach((line, at) => (estimates[line - 1] = people[at]));
  estimates[1] = people.slice(0, 7).reduce((sum, one) => sum + one, 0);
  estimates[0] = estimates[1] + people[7];
  return acsRow(geoId, estimates);
}

const tractCodes = (): string[] =>
  countyCodes().flatMap((fips) =>
    Array.from({ length: TRACTS_PER_COUNTY }, (_, at) => `${fips}${String(100 * (at + 1)).padStart(6, '0')}`),
  );

/** Tables B03002 and B19013 by path in the official layout. */
export function areaFiles(): [string, Buffer][] {
  const tracts = tractCodes().map((code) => `1400000US${code}`);
  const people = [
    acsHeader('B03002', LINE_COUNT),
    peopleRow(
      '0100000US',
      MIX.map((part) => part * 330_000),
    ),
    ...countyCodes().map((fips) => peopleRow(`0500000US${fips}`, peopleOf(fips, 100_000))),
    ...tracts.map((geoId) => peopleRow(geoId, peopleOf(geoId, 4_000))),
    ...zipCodes().map((zip) => peopleRow(`860Z200US${zip}`, peopleOf(zip, 10_000))),
  ];
  const incomes = tracts.map((geoId) => acsRow(geoId, [Math.round(300 + 1200 * share(geoId)) * 100]));
  const file = (table: string, lines: readonly string[]): [string, Buffer] => [
    `census/acs/acsdt5y${EDITION}-${table}.dat`,
    Buffer.from(lines.map((line) => `${line}\n`).join(''), 'latin1'),
  ];
  return [file('b03002', people), file('b19013', [acsHeader('B19013', 1), ...incomes])];
}
