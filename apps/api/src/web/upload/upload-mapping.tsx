import { type BatchType } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { FIELD_LABELS } from '../batches/batch-labels';

type Field = keyof typeof FIELD_LABELS;

const NAME: readonly Field[] = ['contributor_name', 'entity_type'];
/** The fields that a type of batch reads. */
const FIELDS: Readonly<Record<BatchType, readonly Field[]>> = {
  age_gender: ['first_name', ...NAME, 'date'],
  ethnicity: ['surname', ...NAME, 'date', 'year'],
  contributions: [
    'first_name',
    'surname',
    ...NAME,
    'date',
    'year',
    'street',
    'street_2',
    'city',
    'state',
    'zip',
    'fips',
  ],
};

/** With more columns the fields are text inputs, because a dozen long select lists would make the page large. */
const MAX_OPTIONS = 150;

interface MappingProps {
  readonly type: BatchType;
  /** Null if the file was not read: then only the mapped fields are shown. */
  readonly columns: readonly string[] | null;
  /** Field to column. */
  readonly mapping: Readonly<Record<string, string>>;
  /** Label of the empty choice. */
  readonly none: string;
}

/** One choice of a column per field. */
export function MappingFields({ type, columns, mapping, none }: MappingProps): VNode {
  const names = columns && [...new Set(columns)].filter((name) => name.trim() !== '');
  const fields = FIELDS[type].filter((field) => names !== null || mapping[field] !== undefined);
  return (
    <div class="mapping">
      {names !== null && names.length > MAX_OPTIONS && (
        <datalist id="columns">
          {names.map((name) => (
            <option value={name} />
          ))}
        </datalist>
      )}
      {fields.map((field) => (
        <label>
          {FIELD_LABELS[field]}
          {names !== null && names.length <= MAX_OPTIONS ? (
            <Choice field={field} names={names} chosen={mapping[field]} none={none} />
          ) : (
            <input name={`map.${field}`} value={mapping[field]} list="columns" placeholder={none} autocomplete="off" />
          )}
        </label>
      ))}
    </div>
  );
}

interface ChoiceProps {
  readonly field: Field;
  readonly names: readonly string[];
  readonly chosen: string | undefined;
  readonly none: string;
}

const Choice = ({ field, names, chosen, none }: ChoiceProps): VNode => (
  <select name={`map.${field}`} autocomplete="off">
    <option value="">{none}</option>
    {names.map((name) => (
      <option value={name} selected={name === chosen}>
        {name}
      </option>
    ))}
  </select>
);
