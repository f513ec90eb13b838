import {
  AMBIGUOUS_NAME,
  type BatchType,
  CONTRIBUTION_FIELDS,
  type ContributionField,
  FIELD_NAMES,
  type FieldMapping,
  foldedFieldName,
} from '@donorlens/primitives';
import { type Batch } from '../batch';
import { addColumnsByValues } from './column-values';
import { IntakeError } from './intake-error';

/** Columns of the FEC's bulk files only; there, NAME is the contributor's full name. */
const FEC_COLUMNS = ['transaction_dt', 'entity_tp', 'cmte_id'];

/** At least one field of each group must have a column. */
const NEEDED: Readonly<Record<BatchType, readonly (readonly ContributionField[])[]>> = {
  age_gender: [['first_name', 'contributor_name'], ['date']],
  ethnicity: [
    ['surname', 'contributor_name'],
    ['year', 'date'],
  ],
  contributions: [
    ['contributor_name', 'first_name', 'surname'],
    ['date', 'year'],
  ],
};

/** Which field the bare column `name` is. */
function fieldOfName(type: BatchType, folded: readonly string[]): ContributionField {
  if (type === 'age_gender' && !folded.some((column) => FEC_COLUMNS.includes(column))) return 'first_name';
  return 'contributor_name';
}

/**
 * Maps fields to columns: by the client's mapping, otherwise by known names, otherwise by header and values together.
 * @param given - `map.<field>=<column>`; an empty column excludes the field
 * @param isDraft - required columns may still be missing
 * @param rows - cells of the first rows; without them values are not looked at
 * @throws IntakeError for a missing field or column, for a used column that exists twice, and if a required column of
 *   the batch type is missing
 */
export function mapColumns(
  columns: readonly string[],
  type: BatchType,
  given: Readonly<Record<string, string>> = {},
  isDraft = false,
  rows: readonly (readonly string[])[] = [],
): FieldMapping {
  const folded = columns.map(foldedFieldName);
  const mapping: FieldMapping = {};
  for (const field of CONTRIBUTION_FIELDS) {
    const column = detectedColumn(field, type, folded);
    if (column >= 0) mapping[field] = column;
  }
  applyGiven(mapping, given, columns);
  addColumnsByValues(mapping, columns, rows, given);
  for (const field of CONTRIBUTION_FIELDS) refuseTwin(field, mapping[field], folded);
  if (!isDraft) refuseMissing(mapping, type);
  return mapping;
}

function applyGiven(mapping: FieldMapping, given: Readonly<Record<string, string>>, columns: readonly string[]): void {
  for (const [name, column] of Object.entries(given)) {
    const field = knownField(name);
    if (column === '') delete mapping[field];
    else mapping[field] = givenColumn(field, column, columns);
  }
}

/**
 * The mapping of a repeated batch, with changes.
 * @throws IntakeError as `mapColumns`
 */
export function changedMapping(
  { columns, mapping, itemFormat }: Pick<Batch, 'columns' | 'mapping' | 'itemFormat'>,
  type: BatchType,
  given: Readonly<Record<string, string>>,
): FieldMapping {
  const names = columns ?? [];
  const changed = { ...mapping };
  applyGiven(changed, given, names);
  const folded = names.map(foldedFieldName);
  for (const field of Object.keys(given)) refuseTwin(knownField(field), changed[knownField(field)], folded);
  if (itemFormat === 'csv') refuseMissing(changed, type);
  return changed;
}

/** Number of known columns, which identifies the right delimiter. */
export const knownColumns = (columns: readonly string[]): number => {
  const names = new Set([AMBIGUOUS_NAME, ...FEC_COLUMNS, ...Object.values(FIELD_NAMES).flat()]);
  return columns.filter((column) => names.has(foldedFieldName(column))).length;
};

/** Two columns that no other file has together. */
const OPENFEC_COLUMNS = ['contributor_name', 'contribution_receipt_date'];

/** A Schedule A export of openFEC, as a file. */
export function isOpenFec(columns: readonly string[]): boolean {
  const folded = columns.map(foldedFieldName);
  return OPENFEC_COLUMNS.every((column) => folded.includes(column));
}

function detectedColumn(field: ContributionField, type: BatchType, folded: readonly string[]): number {
  for (const name of FIELD_NAMES[field]) {
    const at = folded.indexOf(name);
    if (at >= 0) return at;
  }
  return field === fieldOfName(type, folded) ? folded.indexOf(AMBIGUOUS_NAME) : -1;
}

export function knownField(field: string): ContributionField {
  const known = CONTRIBUTION_FIELDS.find((candidate) => candidate === field);
  if (known) return known;
  throw new IntakeError(
    'unknown_field',
    `map.<field> names an unknown field; the fields are ${CONTRIBUTION_FIELDS.join(', ')}`,
  );
}

function givenColumn(field: ContributionField, name: string, columns: readonly string[]): number {
  const exact = columns.indexOf(name);
  const at = exact >= 0 ? exact : columns.map(foldedFieldName).indexOf(foldedFieldName(name));
  if (at < 0)
    throw new IntakeError('unknown_column', `map.${field} names a column that is not in the header`, { field });
  return at;
}

function refuseTwin(field: ContributionField, column: number | undefined, folded: readonly string[]): void {
  if (column !== undefined && folded.indexOf(folded[column]) !== folded.lastIndexOf(folded[column]))
    throw new IntakeError('duplicate_column', `the column for ${field} is in the header more than once`, {
      field,
      line: 1,
    });
}

/** Groups of fields of which one is needed and none has a column. */
export const missingFields = (mapping: FieldMapping, type: BatchType): readonly (readonly ContributionField[])[] =>
  NEEDED[type].filter((group) => group.every((field) => mapping[field] === undefined));

function refuseMissing(mapping: FieldMapping, type: BatchType): void {
  const [group] = missingFields(mapping, type);
  if (group)
    throw new IntakeError(
      'unmapped_columns',
      `a batch of ${type} needs a column for ${group.join(' or ')}; name it with ${group.map((field) => `map.${field}=<column>`).join(' or ')}`,
      { line: 1, needs: group.join(' ') },
    );
}
