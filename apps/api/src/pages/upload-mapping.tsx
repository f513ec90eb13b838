import { type BatchType } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { FIELD_WORDS } from './batch-words';

type Field = keyof typeof FIELD_WORDS;

const NAME: readonly Field[] = ['contributor_name', 'entity_type'];
/** The fields that a kind of batch looks at. */
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

/** A choice of more columns than these is typed: a dozen long lists would make a heavy page. */
const MOST_OPTIONS = 150;

interface MappingProps {
  readonly type: BatchType;
  /** Null where the file has not been read: then only what was said before is shown. */
  readonly columns: readonly string[] | null;
  /** Our field to the caller's column. */
  readonly mapping: Readonly<Record<string, string>>;
  /** What it means that no column is chosen. */
  readonly none: string;
}

/** One choice per field of ours. */
export function MappingFields({ type, columns, mapping, none }: MappingProps): VNode {
  const names = columns && [...new Set(columns)].filter((name) => name.trim() !== '');
  const fields = FIELDS[type].filter((field) => names !== null || mapping[field] !== undefined);
  return (
    <div class="mapping">
      {names !== null && names.length > MOST_OPTIONS && (
        <datalist id="columns">
          {names.map((name) => (
            <option value={name} />
          ))}
        </datalist>
      )}
      {fields.map((field) => (
        <label>
          {FIELD_WORDS[field]}
          {names !== null && names.length <= MOST_OPTIONS ? (
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
