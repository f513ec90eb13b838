import { type BatchType } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { splitFields } from '@donorlens/tabular';
import { type Preview } from '../../batches/preview-writer';
import { FIELD_LABELS, OUTCOME_LABELS, sentence } from '../batches/batch-labels';
import { GROUPS } from '../ethnicity/ethnicity-labels';
import { KeyFigures } from '../layout/headline';
import { count, GENDERS } from '../layout/labels';
import { MappingFields } from './upload-mapping';

const DELIMITERS: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe |' };
const ENCODINGS = {
  'utf-8': 'UTF-8',
  'utf-16': 'UTF-16',
  'windows-1252': 'windows-1252',
  mixed: 'UTF-8 and windows-1252',
} as const;
const DETECTED = {
  openfec: 'Detected an openFEC export. No column mapping is needed.',
  itcont: 'Detected the FEC’s itcont.txt without a header row. No column mapping is needed.',
} as const;

export interface PreviewProps {
  readonly preview: Preview;
  readonly type: BatchType;
  readonly filename: string;
}

/** How a file is read, the column mapping, and the first rows with their results. */
export function UploadPreview({ preview, type, filename }: PreviewProps): VNode {
  const { recognised, warnings } = preview;
  return (
    <section class="preview" aria-labelledby="preview-title">
      <h2 id="preview-title" tabIndex={-1}>
        How <bdi>{filename || 'the file'}</bdi> is read
      </h2>
      {recognised && <p class="recognised">{DETECTED[recognised]}</p>}
      <Facts preview={preview} />
      <Sheets preview={preview} />
      <details class="columns" open={isIncomplete(warnings) || recognised === null}>
        <summary>Columns</summary>
        <MappingFields
          type={type}
          columns={preview.columns}
          mapping={preview.mapping}
          none={preview.format === 'json' ? 'By field name' : 'Not in my file'}
        />
      </details>
      <Results preview={preview} type={type} />
    </section>
  );
}

/** A required column is not mapped yet. */
const isIncomplete = (warnings: Preview['warnings']): boolean => warnings.some(({ code }) => code === 'missing_column');

function Facts({ preview }: { readonly preview: Preview }): VNode {
  const facts: readonly Fact[] =
    preview.format === 'json' ? [['Format', 'JSON lines'], encodingOf(preview)] : ofTable(preview);
  return <KeyFigures facts={facts} isCompact />;
}

type Fact = readonly [name: string, value: string];

const encodingOf = ({ encoding }: Preview): Fact => ['Encoding', ENCODINGS[encoding]];

function ofTable(preview: Preview): readonly Fact[] {
  const { sheet, delimiter, columns } = preview;
  const width: Fact = ['Columns', count(columns?.length ?? 0)];
  if (sheet !== undefined) return [width, ['Sheet', sheet]];
  return [width, ['Delimiter', DELIMITERS[delimiter ?? ''] ?? '?'], encodingOf(preview)];
}

/** The sheets of a workbook that has several, as suggestions for the field. */
const Sheets = ({ preview: { sheets = [] } }: { readonly preview: Preview }): VNode | null =>
  sheets.length < 2 ? null : (
    <p class="quiet">
      The file has the sheets {sheets.slice(0, MAX_NAMED).join(', ')}
      {sheets.length > MAX_NAMED && ` and ${count(sheets.length - MAX_NAMED)} more`}. Name another under “Sheet”.
      <datalist id="sheets">
        {sheets.map((name) => (
          <option value={name} />
        ))}
      </datalist>
    </p>
  );

const MAX_NAMED = 20;

function Unused({ preview: { unused } }: { readonly preview: Preview }): VNode | null {
  if (unused === null || unused.length === 0) return null;
  const more = unused.length - MAX_NAMED;
  return (
    <p class="quiet">
      {sentence(
        `Unused columns: ${unused.slice(0, MAX_NAMED).join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`,
      )}{' '}
      The results have all your columns, followed by the added ones. In the CSV, text that a spreadsheet would run as a
      formula gets a leading <code>&#39;</code>.
    </p>
  );
}

/** The part that depends on the mapping. The script replaces only this part, so that the mapping keeps the focus. */
const Results = ({
  preview,
  preview: { warnings, rows, columns, mapping },
  type,
}: Omit<PreviewProps, 'filename'>): VNode => (
  <div data-part="answers" data-incomplete={isIncomplete(warnings) || undefined}>
    <Unused preview={preview} />
    {warnings.length > 0 && (
      <ul class="warnings" aria-label="Warnings">
        {warnings.map(({ message }) => (
          <li>{message}</li>
        ))}
      </ul>
    )}
    {isIncomplete(warnings) ? (
      <UploadSourceRows rows={rows} columns={columns ?? []} mapping={mapping} />
    ) : (
      <UploadRows rows={rows} type={type} mapping={mapping} />
    )}
  </div>
);

type Row = Preview['rows'][number];
/** A column of the preview, and the fields that it is read from. */
type Column = readonly [heading: string, cell: (row: Row) => string, fields?: readonly Field[]];

const text = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
type Field = keyof typeof FIELD_LABELS;
const ADDRESS: readonly Field[] = ['street', 'street_2', 'city', 'state', 'zip'];
const joined = ({ read }: Row, ...fields: string[]): string => fields.flatMap((field) => read[field] ?? []).join(' ');
const nameOf = (row: Row): string => joined(row, 'first_name', 'surname') || joined(row, 'contributor_name');

const WHO: Column = ['Name', nameOf, ['first_name', 'surname', 'contributor_name']];
/** Some exports write a day as midnight, which is removed. */
const WHEN: Column = [
  'Date',
  (row) => joined(row, 'date').replace(/[T ]00:00:00.*$/, '') || joined(row, 'year'),
  ['date', 'year'],
];
const AGE: readonly Column[] = [
  ['Age', ({ result }) => text(result.age)],
  ['Gender', ({ result: { gender } }) => (gender === 'm' || gender === 'f' ? GENDERS[gender] : '')],
];
const OUTCOME: Column = ['Result', ({ outcome }) => OUTCOME_LABELS[outcome as keyof typeof OUTCOME_LABELS]];

const dollars = (value: unknown): string | null => (typeof value === 'number' ? `$${count(value)}` : null);

const ethnicityText = (value: unknown): string => {
  const code = text(value);
  return Object.hasOwn(GROUPS, code) ? GROUPS[code as keyof typeof GROUPS] : code;
};

const LATER = 'later';

/** A value that may be known only after the address is geocoded. */
const placeText = (value: string | null, row: Row): string => value ?? (isPending(row) ? LATER : '');

const isPending = ({ result }: Row): boolean => result.geocode_status === 'PENDING';

const COLUMNS: Readonly<Record<BatchType, readonly Column[]>> = {
  age_gender: [OUTCOME, WHO, WHEN, ...AGE],
  ethnicity: [OUTCOME, WHO, WHEN, ['Ethnicity', ({ result }) => ethnicityText(result.race)]],
  contributions: [
    OUTCOME, // first, so that it is visible on narrow screens
    WHO,
    WHEN,
    ['Address', (row) => joined(row, ...ADDRESS), ADDRESS],
    ...AGE,
    ['Ethnicity', ({ result }) => ethnicityText(result.ethnicity)],
    ['County', (row) => placeText(text(row.result.county) || null, row)],
    ['Income', (row) => placeText(dollars(row.result.hh_income_median), row)],
  ],
};

interface Heading {
  readonly label: string;
  /** Small text below the label. */
  readonly note?: string;
}

type Cells = (row: Row) => readonly string[];

interface TableProps {
  readonly rows: readonly Row[];
  readonly headings: readonly Heading[];
  readonly cells: Cells;
  readonly caption: string;
}

interface RowsProps {
  readonly rows: readonly Row[];
  /** Field to column. */
  readonly mapping: Preview['mapping'];
}

const sourceOf = (fields: readonly Field[], mapping: Preview['mapping']): string | undefined =>
  fields.flatMap((field) => mapping[field] ?? []).join(', ') || undefined;

/** The first rows with their results. */
export const UploadRows = ({ rows, type, mapping }: RowsProps & { readonly type: BatchType }): VNode => (
  <Table
    rows={rows}
    headings={COLUMNS[type].map(([label, , fields = []]) => ({ label, note: sourceOf(fields, mapping) }))}
    cells={(row) => COLUMNS[type].map(([, cell]) => cell(row))}
    caption={`Preview of the first rows. Nothing is stored.${rows.some(isPending) ? ' County and income follow when the addresses are geocoded.' : ''}`}
  />
);

const MAX_COLUMNS = 40;

/** The field to which a column of the file is mapped. */
function fieldOf(column: string, mapping: Preview['mapping']): string {
  const field = Object.keys(mapping).find((one) => mapping[one] === column);
  return field !== undefined && Object.hasOwn(FIELD_LABELS, field) ? FIELD_LABELS[field as Field] : 'Unused';
}

/** The first rows of the file, unchanged. */
export const UploadSourceRows = ({
  rows,
  columns,
  mapping,
}: RowsProps & { readonly columns: readonly string[] }): VNode => (
  <Table
    rows={rows}
    headings={columns.slice(0, MAX_COLUMNS).map((label) => ({ label, note: fieldOf(label, mapping) }))}
    cells={({ source }) => {
      const fields = splitFields(source, ',', true);
      return columns.slice(0, MAX_COLUMNS).map((_, at) => fields[at] ?? '');
    }}
    caption="The first rows of the file."
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
            <th scope="col">
              {heading.label}
              {heading.note !== undefined && <small>{heading.note}</small>}
            </th>
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
