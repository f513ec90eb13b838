import { type ContributionField, type FieldMapping } from '@donorlens/primitives';
import { asUtf8, splitFields } from '@donorlens/tabular';
import { ChunkBuilder } from './chunk-builder';
import { type Dialect, RecordScanner } from './record-scanner';

/**
 * Bytes after the header whose rows are examined. Less than `freeBytes` and `previewBytes`, so that an upload without a
 * slot and a preview have all of them.
 */
export const SAMPLE_BYTES = 32 * 1024;
/** Share of a column's non-blank values that must match the rule; the rest may be typing errors. */
const MIN_SHARE = 0.8;

interface ColumnRule {
  readonly field: ContributionField;
  /** The header, as words in lower case with blanks between them. */
  readonly header: RegExp;
  /** Words of headers that belong to another kind of column. */
  readonly others: RegExp;
  readonly value: RegExp;
  /** Fields that hold the same: the rule is not used beside them. */
  readonly instead?: readonly ContributionField[];
}

const LETTERS = /^\p{L}[\p{L}\p{M} .'’-]*$/u;
const NO_DONOR = /\b(committee|candidate|company|employer|spouse|user|file)\b/;
const NOT_THE_PLACE = /\b(birth|employer|committee|candidate|work|email|web|ip|line ?2|2)\b/;

/** Headers and values of fields; a column needs both. */
const RULES: readonly ColumnRule[] = [
  {
    field: 'date',
    header: /\b(date|day|dt|when|received|given|donated)\b/,
    others: /\b(birth|birthday|born|dob|entered|created|updated|modified|load|end)\b/,
    value: /^(\d{4}-\d\d-\d\d([T ].*)?|\d{1,2}\/\d{1,2}\/\d{4}|[01]\d[0-3]\d(19|20)\d\d)$/,
  },
  { field: 'first_name', header: /\b(first|given|fore) ?names?\b/, others: NO_DONOR, value: LETTERS },
  { field: 'surname', header: /\b(last|family|sur) ?names?\b/, others: NO_DONOR, value: LETTERS },
  {
    field: 'contributor_name',
    header: /\bname\b|^(donor|contributor)s?$/,
    others: /\b(committee|candidate|company|employer|spouse|user|file|first|last|middle|county|city|state)\b/,
    value: /^[\p{L}.'’-]+,? +\p{L}/u,
    instead: ['first_name', 'surname'],
  },
  {
    field: 'street',
    header: /\b(street|address|addr)\b/,
    others: NOT_THE_PLACE,
    value: /^(\d+[\p{L}\d/-]* +\S|p\.? ?o\.? +box)/iu,
  },
  { field: 'city', header: /\b(city|town|municipality)\b/, others: NOT_THE_PLACE, value: LETTERS },
  { field: 'state', header: /\b(st|state)\b/, others: NOT_THE_PLACE, value: /^[A-Z]{2}$/i },
  { field: 'zip', header: /\b(zip|postal|postcode)/, others: NOT_THE_PLACE, value: /^\d{5}(-?\d{4})?$/ },
];

/**
 * Adds the fields whose column header and values both look like theirs, if exactly one column does.
 * @param mapping - columns that are known already, by header or from the client
 * @param given - fields that the client set, also to no column
 * @param rows - cells of the first rows
 */
export function addColumnsByValues(
  mapping: FieldMapping,
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  given: Readonly<Record<string, string>> = {},
): void {
  const headers = columns.map(wordsOf);
  for (const rule of RULES) {
    const { field, instead = [] } = rule;
    if ([field, ...instead].some((one) => mapping[one] !== undefined) || field in given) continue;
    const taken = new Set(Object.values(mapping));
    const found = columns.flatMap((_, at) =>
      !taken.has(at) && rule.header.test(headers[at]) && !rule.others.test(headers[at]) && areValues(rows, at, rule)
        ? [at]
        : [],
    );
    if (found.length === 1) [mapping[field]] = found;
  }
}

function areValues(rows: readonly (readonly string[])[], column: number, { value }: ColumnRule): boolean {
  const values = rows.map((cells) => (cells[column] ?? '').trim()).filter((cell) => cell !== '');
  return values.length > 0 && values.filter((cell) => value.test(cell)).length >= MIN_SHARE * values.length;
}

const DAY_FIRST = /^(1[3-9]|2\d|3[01])\/(0?[1-9]|1[0-2])\/\d{4}$/;

/** The first date whose first number can only be a day, such as 25/12/2016; null if all may have their month first. */
export function dayFirstDate(rows: readonly (readonly string[])[], column: number | undefined): string | null {
  if (column === undefined) return null;
  return rows.map((cells) => (cells[column] ?? '').trim()).find((cell) => DAY_FIRST.test(cell)) ?? null;
}

/** `DateOf Gift (USD)` as `date of gift usd`. */
const wordsOf = (header: string): string =>
  header
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^\p{L}\d]+/gu, ' ')
    .trim();

/** Cells of the whole records in the first bytes after a header. */
export function sampleRows(bytes: Buffer, dialect: Dialect): string[][] {
  const records = new RecordTexts();
  const isWhole = bytes.length < SAMPLE_BYTES; // its last line may lack its end
  const sample = isWhole
    ? Buffer.concat([bytes, Buffer.from(dialect.crLines ? '\r' : '\n')])
    : bytes.subarray(0, SAMPLE_BYTES);
  new RecordScanner(dialect, records, 1).push(sample);
  return records.texts.map((text) => splitFields(text, String.fromCharCode(dialect.delimiter ?? 0), true));
}

/** Keeps records as text instead of building chunks of them. */
class RecordTexts extends ChunkBuilder {
  readonly texts: string[] = [];

  constructor() {
    super(Infinity);
  }

  override add(bytes: Buffer, start: number, end: number): void {
    this.texts.push(asUtf8(bytes.subarray(start, end)).toString('utf8'));
  }

  override addRewritten(bytes: Buffer, start: number, end: number): void {
    this.add(bytes, start, end);
  }
}
