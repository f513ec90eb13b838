import { splitFields } from '@donorlens/batches';
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
/** Exports write days as midnights. */
const WHEN: Column = ['Date', (row) => joined(row, 'date').replace(/[T ]00:00:00.*$/, '') || joined(row, 'year')];
const AGE: readonly Column[] = [
  ['Age', ({ result }) => text(result.age)],
  ['Gender', ({ result: { gender } }) => (gender === 'm' || gender === 'f' ? GENDERS[gender] : '')],
];
const OUTCOME: Column = ['Outcome', ({ outcome }) => OUTCOME_WORDS[outcome as keyof typeof OUTCOME_WORDS]];

/** What is known of an address before it is looked up. */
function countyOf({ result: { county, geocode_status: status } }: Row): string {
  if (typeof county === 'string') return county;
  return status === 'PENDING' ? 'after the start' : '';
}

const COLUMNS: Readonly<Record<BatchType, readonly Column[]>> = {
  age_gender: [OUTCOME, WHO, WHEN, ...AGE],
  ethnicity: [OUTCOME, WHO, WHEN, ['Ethnicity', ({ result }) => text(result.race)]],
  contributions: [
    OUTCOME, // seen on the narrowest screen
    WHO,
    WHEN,
    ['Address', (row) => joined(row, 'street', 'street_2', 'city', 'state', 'zip')],
    ...AGE,
    ['Ethnicity', ({ result }) => text(result.ethnicity)],
    ['County', countyOf],
    ['Income', ({ result: { hh_income_median: income } }) => (typeof income === 'number' ? `$${count(income)}` : '')],
  ],
};

type Cells = (row: Row) => readonly string[];

interface TableProps {
  readonly rows: readonly Row[];
  readonly headings: readonly string[];
  readonly cells: Cells;
  readonly caption: string;
}

/** The first rows of a file: what is read of them, and what is answered. */
export const UploadRows = ({ rows, type }: { readonly rows: readonly Row[]; readonly type: BatchType }): VNode => (
  <Table
    rows={rows}
    headings={COLUMNS[type].map(([heading]) => heading)}
    cells={(row) => COLUMNS[type].map(([, cell]) => cell(row))}
    caption="The first rows as they would be answered. Nothing is stored."
  />
);

const MOST_COLUMNS = 40;

/** The first rows as they came, to see what the columns hold. */
export const UploadSourceRows = ({
  rows,
  columns,
}: {
  readonly rows: readonly Row[];
  readonly columns: readonly string[];
}): VNode => (
  <Table
    rows={rows}
    headings={columns.slice(0, MOST_COLUMNS)}
    cells={({ source }) => {
      const fields = splitFields(source, ',', true);
      return columns.slice(0, MOST_COLUMNS).map((_, at) => fields[at] ?? '');
    }}
    caption="The first rows of the file, to see what its columns hold."
  />
);

const Table = ({ rows, headings, cells, caption }: TableProps): VNode => (
  <div class="scroll" role="region" aria-label="First rows" tabIndex={0}>
    <table class="rows">
      <caption>
        <span>{caption}</span>
      </caption>
      <thead>
        <tr>
          <th scope="col">Row</th>
          {headings.map((heading) => (
            <th scope="col">{heading}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr>
            <th scope="row">{row.row}</th>
            {cells(row).map((cell) => (
              <td>{cell || '–'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);
