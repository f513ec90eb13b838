import { type Batch } from '@donorlens/batches';
import { type BatchType, counted } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type SessionUser, withCsrf } from '../../access/sessions';
import { missingColumn } from '../../batches/preview-warnings';
import { Problem, type ProblemCode } from '../../http/problem';
import { FIELD_LABELS, sentence, TYPE_LABELS } from '../batches/batch-labels';
import { BatchEyebrow } from '../batches/batch-sections';
import { AGE_ERROR_YEARS } from '../layout/labels';
import { Layout, renderPage } from '../layout/layout';
import { Pointer } from '../layout/problem-page';
import { MappingFields } from './upload-mapping';
import { type PreviewProps, UploadPreview } from './upload-preview';

/** Choices of the form. */
export interface UploadChoices {
  readonly type: BatchType;
  readonly format: string;
  readonly sheet: string;
  readonly minAge: string;
  readonly ageBasis: string;
  readonly ethnicityBasis: string;
  readonly mapping: Readonly<Record<string, string>>;
}

export interface UploadPageProps {
  readonly user: SessionUser | null;
  readonly choices: UploadChoices;
  /** One per form, so that a form sent twice makes one batch. */
  readonly token: string;
  /** Set only without scripts; the user must then select the file again. */
  readonly preview?: PreviewProps;
  readonly problem?: Problem;
}

/** Part of the page that the script inserts. */
export const renderPreview = (props: PreviewProps): string => renderToString(<UploadPreview {...props} />);

/** Form to choose, preview and upload a file; a script makes it faster. */
export function renderUploadPage(props: UploadPageProps): string {
  const { user, problem, preview } = props;
  return renderPage(
    <Layout title={preview ? 'Preview' : 'Upload a file'} user={user} section="/upload" scripts={['upload']}>
      <h1>Upload a file</h1>
      <p class="lede">
        CSV, Excel (.xlsx), an openFEC export, the FEC&rsquo;s itcont.txt or JSON lines, with or without gzip. A preview
        shows how the file is read before anything is stored.
      </p>
      {problem && <UploadError problem={problem} />}
      <UploadForm {...props} />
    </Layout>,
  );
}

interface RepeatPageProps extends Pick<UploadPageProps, 'user' | 'choices' | 'token' | 'problem'> {
  readonly batch: Batch;
}

/** Form to repeat a batch with other options. */
export const renderRepeatPage = ({ user, batch, choices, token, problem }: RepeatPageProps): string =>
  renderPage(
    <Layout title="Repeat with other options" user={user} section="/batches">
      <BatchEyebrow name={batch.name} type={batch.type} options={batch} />
      <h1>Repeat with other options</h1>
      <p class="lede">
        Creates a new batch from the {counted(batch.rowsTotal, 'stored row')}. You do not need the file, and this batch
        stays as it is.
      </p>
      {problem && <UploadError problem={problem} />}
      <form class="upload" method="post" action={user ? withCsrf(`/batches/${batch.id}/repeat`, user) : undefined}>
        <Types chosen={choices.type} />
        <div class="settings">
          <EstimateSettings choices={choices} />
        </div>
        <input type="hidden" name="token" value={token} autocomplete="off" />
        {batch.itemFormat === 'csv' && (
          <section>
            <h2>Columns</h2>
            <MappingFields
              type={choices.type}
              columns={batch.columns}
              mapping={choices.mapping}
              none="Not in my file"
            />
          </section>
        )}
        <div class="steps">
          <button type="submit">Start</button>
          <a class="button second" href={`/enrich/v1/batches/${batch.id}?format=html`}>
            Back to the batch
          </a>
        </div>
      </form>
    </Layout>,
  );

function UploadForm({ user, choices, token, preview, problem }: UploadPageProps): VNode {
  const actionUrl = (path: string): string => (user ? withCsrf(path, user) : path);
  const isMapped = preview === undefined && problem !== undefined && Object.keys(choices.mapping).length > 0;
  return (
    <form id="upload" class="upload" method="post" enctype="multipart/form-data" action={actionUrl('/upload/preview')}>
      <Types chosen={choices.type} />
      <Settings choices={choices} />
      <input type="hidden" name="token" value={token} autocomplete="off" />
      {isMapped && <MappingFields type={choices.type} columns={null} mapping={choices.mapping} none="Not in my file" />}
      {preview && (
        <div id="preview">
          <UploadPreview {...preview} />
        </div>
      )}
      <FileField again={preview !== undefined} />
      {!preview && <div id="preview" />}
      <p id="status" class="quiet" role="status" />
      <div class="steps">
        <button
          type="submit"
          class={preview ? 'second' : undefined}
          formaction={actionUrl('/upload/preview')}
          id="look"
        >
          Preview
        </button>
        <button type="submit" class={preview ? undefined : 'second'} formaction={actionUrl('/upload/start')} id="start">
          Start
        </button>
      </div>
    </form>
  );
}

/** Without scripts, the browser forgets the file on the next page. */
const FileField = ({ again }: { readonly again: boolean }): VNode => (
  <div class="drop" id="drop">
    <label for="file">{again ? 'Select the same file again' : 'File'}</label>
    <input
      type="file"
      id="file"
      name="file"
      required
      accept=".csv,.xlsx,.tsv,.txt,.ndjson,.jsonl,.gz,text/csv,text/plain,application/gzip"
      aria-describedby="file-help"
    />
    <p id="file-help" class="quiet">
      Up to 2 GB; Excel files up to 96 MB.
    </p>
  </div>
);

interface ChoiceProps {
  readonly name: string;
  readonly values: readonly (readonly [value: string, label: string])[];
  readonly chosen: string;
  /** id of the text that explains it */
  readonly help: string;
}

const Choice = ({ name, values, chosen, help }: ChoiceProps): VNode => (
  <select name={name} aria-describedby={help}>
    {values.map(([value, label]) => (
      <option value={value} selected={value === chosen}>
        {label}
      </option>
    ))}
  </select>
);

const Types = ({ chosen }: { readonly chosen: string }): VNode => (
  <fieldset class="types">
    <legend>Choose fields to add</legend>
    {TYPES.map((one) => (
      <label>
        <input type="radio" name="type" value={one} checked={one === chosen} aria-describedby={`of-${one}`} />
        <span>{TYPE_LABELS[one].name}</span>
        <small id={`of-${one}`}>{TYPE_LABELS[one].needs}</small>
      </label>
    ))}
  </fieldset>
);

interface SettingsProps {
  readonly choices: UploadChoices;
}

/** Settings of the age and ethnicity estimates. */
const EstimateSettings = ({ choices: { minAge, ageBasis, ethnicityBasis } }: SettingsProps): VNode => (
  <>
    <label>
      Minimum age
      <input
        name="min_age"
        type="number"
        min="0"
        max="100"
        value={minAge}
        placeholder="any"
        aria-describedby="of-age"
      />
      <small id="of-age">
        Use 18 for donors, to leave out children with the same first name. For members of Congress, estimates were{' '}
        {AGE_ERROR_YEARS.adult} years too low with 18, and {AGE_ERROR_YEARS.name} without.
      </small>
    </label>
    <label>
      Ages of
      <Choice name="age_basis" values={AGES_OF} chosen={ageBasis} help="of-basis" />
      <small id="of-basis">
        Donors are older than other people with their names. The other choices correct this with the first names of many
        donors, or of this file.
      </small>
    </label>
    <label>
      Ethnicity by
      <Choice name="ethnicity_basis" values={ETHNICITY_BY} chosen={ethnicityBasis} help="of-ethnicity" />
      <small id="of-ethnicity">“Surname and place” needs a ZIP code, county or address, and “All fields”.</small>
    </label>
  </>
);

const Settings = ({ choices }: SettingsProps): VNode => (
  <div class="settings">
    <EstimateSettings choices={choices} />
    <label>
      Format
      <Choice name="format" values={FORMATS} chosen={choices.format} help="of-format" />
      <small id="of-format">Change this only if the format was detected incorrectly.</small>
    </label>
    <label>
      Sheet
      <input
        name="sheet"
        value={choices.sheet}
        list="sheets"
        placeholder="first"
        autocomplete="off"
        aria-describedby="of-sheet"
      />
      <small id="of-sheet">Name or number, for Excel files only.</small>
    </label>
  </div>
);

/** Most frequently used first. */
const TYPES: readonly BatchType[] = ['contributions', 'age_gender', 'ethnicity'];

/** Age bases of the form. The minimum age replaces the basis `adult`. */
const AGES_OF = [
  ['name', 'All people with the first name'],
  ['donors', 'Stored donors of the cycle'],
  ['group', 'The rows of this file'],
] as const;

const ETHNICITY_BY = [
  ['', 'Default of this service'],
  ['surname', 'Surname'],
  ['place', 'Surname and place'],
] as const;

const FORMATS = [
  ['', 'Detect automatically'],
  ['csv', 'CSV with a header row'],
  ['itcont', 'FEC itcont.txt (no header row)'],
  ['ndjson', 'JSON lines'],
] as const;

const SPLIT = 'Split the file and upload the parts one by one.';
const AGAIN = 'Upload the file again.';
const PREVIEW = 'Preview the file and choose the columns.';

/** Titles for the page, where the body of the request is a file. */
const TITLES: Partial<Record<ProblemCode, string>> = {
  'unreadable-batch': 'The file cannot be read',
  'body-too-large': 'The file is too large',
};

/** Titles of refusals that are not about the content of the file, by reason. */
const TITLES_BY_REASON: Readonly<Record<string, string>> = {
  unmapped_columns: 'A required column is not chosen',
  unknown_column: 'The columns do not fit the file',
  unknown_field: 'The columns do not fit the type',
  duplicate_column: 'A column name is used twice',
  too_many_columns: 'The file has too many columns',
  no_rows: 'The file has no rows',
  aborted: 'The upload was interrupted',
  bad_form: 'The form was incomplete',
};

/** Advice by the reason of a refusal. */
const ADVICE: Readonly<Record<string, string>> = {
  empty_input: 'Choose a file with a header row and at least one row of data.',
  no_rows: 'Choose a file with rows below the header.',
  unclosed_quote: 'Close that quote, or double it if it belongs to the text.',
  record_too_long: 'Look for an earlier quote that is never closed.',
  too_many_columns: 'Remove columns that are not needed.',
  duplicate_column: 'Give each mapped column a unique name in the header.',
  unknown_column: `The mapping is for another file. ${PREVIEW}`,
  unmapped_columns: PREVIEW,
  bad_gzip: 'Compress it again, or upload it uncompressed.',
  bad_form: AGAIN,
  aborted: AGAIN,
  too_slow: AGAIN,
  too_large: SPLIT,
  too_many_rows: SPLIT,
  gzip_bomb: 'Upload it uncompressed.',
  zip_bomb: 'Save it as CSV and choose that file.',
  idempotency_mismatch:
    'This form was sent before with another file or other settings. Send it again to start a new batch.',
  idempotency_in_flight: AGAIN,
  quota_exceeded: 'The quota resets at midnight UTC.',
  busy: 'The service is busy. Try again in a minute.',
};

/**
 * The problem with texts for the page and with advice.
 * @param hasColumns - true if the form lists the columns to choose, without a preview
 */
export function withAdvice(problem: Problem, hasColumns = false): Problem {
  const { members = {} } = problem.parts;
  const reason = String(members.reason);
  const advice = hasColumns && reason === 'unmapped_columns' ? undefined : ADVICE[reason];
  const title = TITLES_BY_REASON[reason] ?? TITLES[problem.code];
  const parts = { ...problem.parts, title, members: { ...members, ...(advice !== undefined && { advice }) } };
  return new Problem(problem.code, detailOf(problem), parts);
}

/** On the page, the user chooses columns instead of setting parameters. */
function detailOf({ detail, parts: { members = {} } }: Problem): string {
  if (members.reason === 'unmapped_columns') return missingColumn(String(members.needs).split(' '));
  const label = members.reason === 'unknown_column' && FIELD_LABELS[members.field as keyof typeof FIELD_LABELS];
  if (label) return `The column chosen for “${label}” is not in the file.`;
  return sentence(detail.replace(/^the input\b/, 'the file'));
}

/** The reason of a refusal, above the form. */
export const UploadError = ({ problem: { title, detail, parts } }: { readonly problem: Problem }): VNode => (
  <div class="notice" id="fault" role="alert" tabIndex={-1}>
    <p>
      <strong>{title}.</strong> {parts.faults?.length !== 1 && detail}{' '}
      {typeof parts.members?.advice === 'string' && parts.members.advice}
    </p>
    {parts.faults && (
      <ul class="faults">
        {parts.faults.map((fault) => (
          <li>
            <Pointer of={fault.pointer} /> {fault.detail}
          </li>
        ))}
      </ul>
    )}
  </div>
);
