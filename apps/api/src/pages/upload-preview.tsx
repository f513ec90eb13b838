import { type BatchType } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { type Preview } from '../batches/preview-writer';
import { MappingFields } from './upload-mapping';
import { UploadRows, UploadSourceRows } from './upload-rows';
import { count } from './words';

const DELIMITERS: Readonly<Record<string, string>> = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar |' };
const ENCODINGS = { 'utf-8': 'UTF-8', 'windows-1252': 'Latin-1', mixed: 'UTF-8 and Latin-1' } as const;
const RECOGNISED = {
  openfec: 'Recognised as openFEC export: it needs no mapping.',
  itcont: 'Recognised as the FEC’s itcont.txt, which has no header line: it needs no mapping.',
} as const;

export interface PreviewProps {
  readonly preview: Preview;
  readonly type: BatchType;
  readonly filename: string;
}

/** What a file is read as, its columns to be confirmed or changed, and its first rows with their answers. */
export function UploadPreview({ preview, type, filename }: PreviewProps): VNode {
  const { recognised, warnings } = preview;
  return (
    <section class="preview" aria-labelledby="preview-title">
      <h2 id="preview-title" tabIndex={-1}>
        What <bdi>{filename || 'the file'}</bdi> is read as
      </h2>
      {recognised && <p class="recognised">{RECOGNISED[recognised]}</p>}
      <Facts preview={preview} />
      <details class="columns" open={isIncomplete(warnings) || recognised === null}>
        <summary>Columns</summary>
        <MappingFields
          type={type}
          columns={preview.columns}
          mapping={preview.mapping}
          none={preview.format === 'json' ? 'found by name, line by line' : 'in no column'}
        />
      </details>
      <Answers preview={preview} type={type} />
    </section>
  );
}

/** Nothing can be answered before it is said which column holds something that is needed. */
const isIncomplete = (warnings: Preview['warnings']): boolean => warnings.some(({ code }) => code === 'missing_column');

function Facts({ preview: { format, delimiter, encoding, columns } }: { readonly preview: Preview }): VNode {
  const facts: [string, string][] =
    format === 'json'
      ? [['Format', 'JSON lines']]
      : [
          ['Columns', count(columns?.length ?? 0)],
          ['Separated by', DELIMITERS[delimiter ?? ''] ?? '?'],
        ];
  return (
    <dl class="numbers tally">
      {[...facts, ['Letters', ENCODINGS[encoding]]].map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

const MOST_UNUSED = 20;

function Unused({ preview: { unused } }: { readonly preview: Preview }): VNode | null {
  if (unused === null || unused.length === 0) return null;
  const more = unused.length - MOST_UNUSED;
  return (
    <p class="quiet">
      Nothing is taken from {unused.slice(0, MOST_UNUSED).join(', ')}
      {more > 0 && ` and ${count(more)} more`}. All your columns come back untouched, ours beside them.
    </p>
  );
}

/** What changes with the mapping: replaced alone, so that the choice keeps the focus. */
const Answers = ({ preview, preview: { warnings, rows, columns }, type }: Omit<PreviewProps, 'filename'>): VNode => (
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
      <UploadSourceRows rows={rows} columns={columns ?? []} />
    ) : (
      <UploadRows rows={rows} type={type} />
    )}
  </div>
);
