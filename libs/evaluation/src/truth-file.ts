import { parse } from 'csv-parse/sync';
import { type Gender, type Race, RACES } from '@donorlens/demographics';
import { parseContributionDate } from '@donorlens/enrichment';
import {
  AMBIGUOUS_NAME,
  type CivilDay,
  DomainError,
  FIELD_NAMES,
  foldedFieldName,
  formatCivilDay,
} from '@donorlens/primitives';
import { asUtf8 } from '@donorlens/tabular';

/** Columns of what is known of a person, and of the group, folded; the first name found is used. */
const TRUTH_NAMES = {
  birth_date: ['birth_date', 'birthdate', 'birthday', 'date_of_birth', 'dob'],
  age: ['age'],
  gender: ['gender', 'sex'],
  race: ['race', 'ethnicity', 'race_ethnicity'],
  group: ['group', 'congress', 'committee_id', 'cmte_id', 'cycle'],
  date: [...FIELD_NAMES.date, 'term_start', 'termstart'],
  geoid: ['geoid', 'geoid10', 'geoid20', 'tract_geoid', 'tract', 'census_tract'],
} as const;
const FULL_NAMES = [...FIELD_NAMES.contributor_name, AMBIGUOUS_NAME];
const DELIMITERS = [',', ';', '\t', '|'];

/** Completed years; an older person is a slip in the file, and has no age. */
export const MAX_AGE = 120;

const GENDERS: Readonly<Record<string, Gender>> = {
  ...{ m: 'm', male: 'm', man: 'm' },
  ...{ f: 'f', female: 'f', woman: 'f' },
};
/** Beside the values of ETHNICITY. */
const RACE_WORDS: Readonly<Record<string, Race>> = {
  ...{ asian: 'api', asian_or_pacific_islander: 'api', nhpi: 'api', native_hawaiian_or_pacific_islander: 'api' },
  ...{
    african_american: 'black',
    black_or_african_american: 'black',
    hispanic_or_latino: 'hispanic',
    latino: 'hispanic',
  },
  ...{ american_indian: 'aian', native_american: 'aian', american_indian_or_alaska_native: 'aian' },
  ...{ multiracial: '2prace', two_or_more_races: '2prace', two_or_more: '2prace' },
};

/** A row of a truth file: what enrichment reads of it, and what is known of the person. */
export interface TruthRow {
  /** by folded column name, as an item of a JSON batch */
  readonly item: Readonly<Record<string, string>>;
  readonly group: string;
  /** completed years on the date of the row; null: unknown */
  readonly age: number | null;
  readonly gender: Gender | null;
  readonly race: Race | null;
  /** tract of the address, eleven digits; null: unknown */
  readonly geoid: string | null;
}

export interface TruthOptions {
  /** column of the group */
  readonly group?: string;
  /** column of the date, or a date for all rows */
  readonly date?: string;
}

/** A truth file lacks columns, or cannot be read. */
export class TruthFileError extends DomainError {
  readonly code = 'truth_file';
}

const NEEDS =
  'a truth file needs first_name, surname or contributor_name, and one of: birth_date or age with a date, gender, race';

/** Columns of a truth file by content; undefined if there is none, or if the file has no names to use it with. */
interface TruthColumns {
  readonly birthDate: string | undefined;
  readonly age: string | undefined;
  readonly gender: string | undefined;
  readonly race: string | undefined;
  readonly group: string | undefined;
  readonly date: string | undefined;
  readonly geoid: string | undefined;
  /** Date of all rows; null if a column has it. */
  readonly fixedDate: CivilDay | null;
}

/**
 * Reads a CSV file of people with known attributes.
 * @throws TruthFileError that names the columns it needs
 */
export function readTruthFile(bytes: Buffer, options: TruthOptions = {}): TruthRow[] {
  const records = recordsOf(asUtf8(bytes).toString('utf8'));
  const columns = truthColumns(Object.keys(records.at(0) ?? {}), options);
  return records.map((record) => truthRow(record, columns));
}

function truthColumns(columns: readonly string[], options: TruthOptions): TruthColumns {
  const columnOf = (names: readonly string[]): string | undefined => names.find((name) => columns.includes(name));
  const given = (name: string): string => {
    const found = columnOf([foldedFieldName(name)]);
    if (found === undefined) throw lacking(`there is no column ${name}`, columns);
    return found;
  };
  const day = options.date === undefined ? NaN : parseContributionDate(options.date);
  const fixedDate = Number.isNaN(day) ? null : day;
  const isNamed = options.date !== undefined && fixedDate === null;
  const date = isNamed ? given(options.date) : columnOf(TRUTH_NAMES.date);
  const hasFull = columnOf(FULL_NAMES) !== undefined;
  const hasFirst = hasFull || columnOf(FIELD_NAMES.first_name) !== undefined;
  const hasSurname = hasFull || columnOf(FIELD_NAMES.surname) !== undefined;
  const hasDate = fixedDate !== null || date !== undefined;
  const truths = {
    birthDate: hasFirst && hasDate ? columnOf(TRUTH_NAMES.birth_date) : undefined,
    age: hasFirst && hasDate ? columnOf(TRUTH_NAMES.age) : undefined,
    gender: hasFirst ? columnOf(TRUTH_NAMES.gender) : undefined,
    race: hasSurname ? columnOf(TRUTH_NAMES.race) : undefined,
  };
  if (Object.values(truths).every((one) => one === undefined)) throw lacking(NEEDS, columns);
  const group = options.group === undefined ? columnOf(TRUTH_NAMES.group) : given(options.group);
  return { ...truths, group, date, geoid: columnOf(TRUTH_NAMES.geoid), fixedDate };
}

function truthRow(record: Readonly<Record<string, string>>, columns: TruthColumns): TruthRow {
  const cell = (name: string | undefined): string => (name === undefined ? '' : record[name]);
  const { birthDate, age, gender, race, group, date, geoid, fixedDate } = columns;
  const on = fixedDate ?? parseContributionDate(cell(date));
  return {
    item: { ...record, date: Number.isNaN(on) ? '' : formatCivilDay(on) },
    group: cell(group),
    age: possible(birthDate === undefined ? yearsIn(cell(age)) : completedYears(cell(birthDate), on)),
    gender: GENDERS[cell(gender).toLowerCase()] ?? null,
    race: raceOf(cell(race)),
    geoid: tractIn(cell(geoid)),
  };
}

const lacking = (what: string, columns: readonly string[]): TruthFileError =>
  new TruthFileError(`${what}; its columns: ${columns.join(', ')}`, {});

function recordsOf(text: string): Record<string, string>[] {
  const header = text.slice(0, Math.max(0, text.search(/[\r\n]|$/)));
  const count = (delimiter: string): number => header.split(delimiter).length;
  const delimiter = DELIMITERS.reduce((best, one) => (count(one) > count(best) ? one : best));
  try {
    return parse(text, {
      ...{ bom: true, delimiter, trim: true, skip_empty_lines: true },
      columns: (names: string[]) => names.map(foldedFieldName),
    });
  } catch (error) {
    throw new TruthFileError(`not a CSV file with a header: ${error instanceof Error ? error.message : ''}`, {});
  }
}

const yearsIn = (text: string): number | null => (/^\d{1,3}$/.test(text) ? Number(text) : null);

/** GEOID of a tract, also of one of its blocks or block groups. */
const tractIn = (text: string): string | null => /^(?:1\d00000US)?(\d{11})(?:\d|\d{4})?$/.exec(text)?.[1] ?? null;

const possible = (age: number | null): number | null => (age !== null && age <= MAX_AGE ? age : null);

/** Null for a birth after the date, and if one of them is no date. */
function completedYears(birthDate: string, on: number): number | null {
  const born = parseContributionDate(birthDate);
  if (!(born <= on)) return null;
  const [birth, day] = [formatCivilDay(born), formatCivilDay(on)];
  const years = Number(day.slice(0, 4)) - Number(birth.slice(0, 4));
  return day.slice(4) < birth.slice(4) ? years - 1 : years;
}

function raceOf(text: string): Race | null {
  const word = text.toLowerCase().replace(/[^a-z0-9]+/g, '_');
  return RACES.find((race) => race === word) ?? RACE_WORDS[word] ?? null;
}
