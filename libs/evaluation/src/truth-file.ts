import { parse } from 'csv-parse/sync';
import { type Gender, type Race, RACES } from '@donorlens/demographics';
import { parseContributionDate } from '@donorlens/enrichment';
import { AMBIGUOUS_NAME, DomainError, FIELD_NAMES, foldedFieldName, formatCivilDay } from '@donorlens/primitives';
import { asUtf8 } from '@donorlens/tabular';

/** Columns of what is known of a person, and of the group, folded; the first name found is used. */
const TRUTH_NAMES = {
  birth_date: ['birth_date', 'birthdate', 'birthday', 'date_of_birth', 'dob'],
  age: ['age'],
  gender: ['gender', 'sex'],
  race: ['race', 'ethnicity', 'race_ethnicity'],
  group: ['group', 'congress', 'committee_id', 'cmte_id', 'cycle'],
  date: [...FIELD_NAMES.date, 'term_start', 'termstart'],
} as const;
const FULL_NAMES = [...FIELD_NAMES.contributor_name, AMBIGUOUS_NAME];
const DELIMITERS = [',', ';', '\t', '|'];

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

/**
 * Reads a CSV file of people with known attributes.
 * @throws TruthFileError that names the columns it needs
 */
export function readTruthFile(bytes: Buffer, options: TruthOptions = {}): TruthRow[] {
  const records = recordsOf(asUtf8(bytes).toString('utf8'));
  const columns = Object.keys(records.at(0) ?? {});
  const columnOf = (names: readonly string[]): string | undefined => names.find((name) => columns.includes(name));
  const column = (field: keyof typeof TRUTH_NAMES): string | undefined => columnOf(TRUTH_NAMES[field]);
  const given = (name: string): string => {
    const found = columnOf([foldedFieldName(name)]);
    if (found === undefined) throw lacking(`there is no column ${name}`, columns);
    return found;
  };
  const fixed = options.date === undefined ? NaN : parseContributionDate(options.date);
  const isFixed = !Number.isNaN(fixed);
  const date = options.date === undefined || isFixed ? column('date') : given(options.date);
  const group = options.group === undefined ? column('group') : given(options.group);
  const hasFull = columnOf(FULL_NAMES) !== undefined;
  const hasFirst = hasFull || columnOf(FIELD_NAMES.first_name) !== undefined;
  const hasDate = isFixed || date !== undefined;
  const birthDate = hasFirst && hasDate ? column('birth_date') : undefined;
  const age = hasFirst && hasDate ? column('age') : undefined;
  const gender = hasFirst ? column('gender') : undefined;
  const race = hasFull || columnOf(FIELD_NAMES.surname) !== undefined ? column('race') : undefined;
  if ([birthDate, age, gender, race].every((one) => one === undefined)) throw lacking(NEEDS, columns);
  const cell = (record: Record<string, string>, name: string | undefined): string =>
    name === undefined ? '' : record[name];
  return records.map((record) => {
    const on = isFixed ? fixed : parseContributionDate(cell(record, date));
    return {
      item: { ...record, date: Number.isNaN(on) ? '' : formatCivilDay(on) },
      group: cell(record, group),
      age: birthDate === undefined ? yearsIn(cell(record, age)) : completedYears(cell(record, birthDate), on),
      gender: GENDERS[cell(record, gender).toLowerCase()] ?? null,
      race: raceOf(cell(record, race)),
    };
  });
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
