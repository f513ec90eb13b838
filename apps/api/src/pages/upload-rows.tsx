import { type BatchType } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type Preview } from '../batches/preview-writer';
import { OUTCOME_WORDS } from './batch-words';
import { count, GENDERS } from './words';

type Row = Preview['rows'][number];
type Column = readonly [heading: string, cell: (row: Row) => string];

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
const joined = ({ read }: Row, ...fields: string[]): string => fields.flatMap((field) => read[field] ?? []).join(' ');
const nameOf = (row: Row): string => joined(row, 'first_name', 'surname') || joined(row, 'contributor_name');

const WHO: Column = ['Name', nameOf];
const WHEN: Column = ['Date', (row) => joined(row, 'date') || joined(row, 'year')];
const AGE: readonly Column[] = [
  ['Age', ({ result }) => text(result.age)],
  ['Gender', ({ result: { gender } }) => (gender === 'm' || gender === 'f' ? GENDERS[gender] : '')],
];
const OUTCOME: Column = ['Outcome', ({ outcome }) => OUTCOME_WORDS[outcome as keyof typeof OUTCOME_WORDS]];

/** What is known of an address before it is looked up. */
function countyOf({ result: { county, geocode_status: status } }: Row): string {
  if (typeof county === 'string') return county;
  return status === 'PENDING' ? 'looked up after the start' : '';
}

const COLUMNS: Readonly<Record<BatchType, readonly Column[]>> = {
  age_gender: [WHO, WHEN, ...AGE, OUTCOME],
  ethnicity: [WHO, WHEN, ['Ethnicity', ({ result }) => text(result.race)], OUTCOME],
  contributions: [
    WHO,
    WHEN,
    ['Address', (row) => joined(row, 'street', 'street_2', 'city', 'state', 'zip')],
    ...AGE,
    ['Ethnicity', ({ result }) => text(result.ethnicity)],
    ['County', countyOf],
    ['Income', ({ result: { hh_income_median: income } }) => (typeof income === 'number' ? `$${count(income)}` : '')],
    OUTCOME,
  ],
};

/** The first rows of a file: what is read of them, and what is answered. */
export const UploadRows = ({ rows, type }: { readonly rows: Preview['rows']; readonly type: BatchType }): VNode => (
  <div class="scroll" role="region" aria-label="First rows with their answers" tabIndex={0}>
    <table class="rows">
      <caption>The first rows as they would be answered. Nothing is stored.</caption>
      <thead>
        <tr>
          <th scope="col">Row</th>
          {COLUMNS[type].map(([heading]) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row">{row.row}</th>
            {COLUMNS[type].map(([, cell]) => (
              <td>{cell(row) || '–'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
