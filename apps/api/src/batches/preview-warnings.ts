import { type BatchPreview } from '@donorlens/batches';
import { type BatchType, type ContributionField, ITEM_ERRORS, type ItemErrorCode } from '@donorlens/primitives';

export interface PreviewWarning {
  /** Stable code for programs. */
  readonly code: string;
  /** Text for the user: the effect on the results, and what to do. */
  readonly message: string;
}

/** Input of the warnings. */
export interface PreviewFacts extends Pick<
  BatchPreview,
  'format' | 'columns' | 'mapping' | 'encoding' | 'missing' | 'oddQuotes' | 'dayFirstDate'
> {
  readonly type: BatchType;
  readonly rows: readonly {
    readonly outcome: string;
    readonly errorCode: ItemErrorCode | null;
    /** True if the street of the row cannot be geocoded. */
    readonly isUnsendable: boolean;
  }[];
}

/** Warnings before a file is submitted: values that results will lack, and content that may have been misread. */
export const previewWarnings = (facts: PreviewFacts): PreviewWarning[] => [
  ...missing(facts),
  ...mappingWarnings(facts),
  ...textWarnings(facts),
  ...rowWarnings(facts),
];

const FIELD_NAMES: Readonly<Record<string, string | undefined>> = {
  first_name: 'first name',
  surname: 'surname',
  contributor_name: 'full name',
  date: 'date',
  year: 'year',
};

/** Message for a group of fields, one of which the batch needs. */
export function missingColumn(group: readonly string[]): string {
  const names = group.map((field) => FIELD_NAMES[field] ?? field);
  return `Choose the ${[names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ')} column.`;
}

const missing = (facts: PreviewFacts): PreviewWarning[] =>
  facts.missing.map((group) => ({
    code: 'missing_column',
    message: missingColumn(group),
  }));

/** JSON items may have different keys: fields that the first items lack may be in the others. */
function mappingWarnings({ format, type, mapping }: PreviewFacts): PreviewWarning[] {
  if (format === 'json') return [];
  const has = (...fields: ContributionField[]): boolean => fields.some((field) => mapping[field] !== undefined);
  const lacks: [boolean, string, string][] = [
    [
      type === 'contributions' && has('surname') && !has('first_name', 'contributor_name'),
      'no_first_name',
      'No column holds first names: there will be no age and no gender.',
    ],
    [
      type === 'contributions' && has('first_name') && !has('surname', 'contributor_name'),
      'no_surname',
      'No column holds surnames: there will be no ethnicity.',
    ],
    [
      type === 'contributions' && has('year') && !has('date'),
      'no_date',
      'No column holds dates, only years: there will be no age.',
    ],
    [
      type === 'contributions' && !has('street'),
      'no_street',
      has('fips')
        ? 'No column holds a street: county and income come from the county code; there will be no tract and no block.'
        : has('zip')
          ? 'No column holds a street: county and income come from the ZIP code if the data release has ZIP codes; there will be no tract and no block.'
          : 'No column holds a street: there will be no county, tract, block or income.',
    ],
    [
      type === 'contributions' && has('street') && !has('zip') && !(has('city') && has('state')),
      'no_place',
      'Streets come without a ZIP code, or city and state: most of them will not be found.',
    ],
  ];
  return lacks.filter(([is]) => is).map(([, code, message]) => ({ code, message }));
}

function textWarnings({ format, columns, encoding, oddQuotes, dayFirstDate }: PreviewFacts): PreviewWarning[] {
  const warnings: PreviewWarning[] = [];
  if (encoding === 'windows-1252' || encoding === 'mixed')
    warnings.push({
      code: 'windows_1252',
      message: `${encoding === 'mixed' ? 'Some lines are' : 'The file is'} not UTF-8: read as windows-1252. Check the accents in the rows below; results are written as UTF-8.`,
    });
  const twice = repeated(columns ?? []);
  if (twice.length > 0)
    warnings.push({
      code: 'repeated_columns',
      message: `More than one column is called ${twice.map((name) => `“${name}”`).join(', ')}. They are returned unchanged; a column that is read must have a unique name.`,
    });
  if (format === 'csv' && columns?.length === 1)
    warnings.push({
      code: 'one_column',
      message: 'Only one column was found. Columns are separated by a comma, semicolon, tab or vertical bar.',
    });
  if (oddQuotes > 0)
    warnings.push({
      code: 'odd_quotes',
      message: 'Some rows have a misplaced quote; it is read as a character. Check the columns in the rows below.',
    });
  if (dayFirstDate !== null)
    warnings.push({
      code: 'day_first_dates',
      message: `Dates with slashes are read month first: ${dayFirstDate} is invalid, and 3/12/2016 is read as March 12. Write dates as 2016-12-03.`,
    });
  return warnings;
}

const MAX_NAMED = 5;

const repeated = (columns: readonly string[]): string[] =>
  [...new Set(columns.filter((name, at) => columns.indexOf(name) !== at))].slice(0, MAX_NAMED);

function rowWarnings({ type, rows, missing: needed }: PreviewFacts): PreviewWarning[] {
  if (needed.length > 0) return []; // no row has a result
  const warning = (code: string, of: (row: PreviewFacts['rows'][number]) => boolean, text: string): PreviewWarning => ({
    code,
    message: `${share(rows.filter(of).length, rows.length)}: ${text}.`,
  });
  const codes = [...new Set(rows.flatMap(({ errorCode }) => errorCode ?? []))];
  const warnings = codes.map((code) => warning(code, ({ errorCode }) => errorCode === code, ITEM_ERRORS[code]));
  if (type === 'contributions' && rows.some(({ isUnsendable }) => isUnsendable))
    warnings.push(
      warning(
        'no_address',
        ({ isUnsendable }) => isUnsendable,
        'the address is a post office box, abroad or incomplete, and is not geocoded',
      ),
    );
  if (rows.length > 1 && rows.every(({ outcome }) => outcome === 'not_found'))
    warnings.push({
      code: 'unknown_names',
      message: 'No name in the first rows is known. Check which columns are read as names.',
    });
  return warnings;
}

const share = (n: number, all: number): string => (all === 1 ? 'In the only row' : `In ${n} of the first ${all} rows`);
