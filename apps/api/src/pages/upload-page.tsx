import { type BatchType } from '@donorlens/primitives';
import { type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { type Visitor, withCsrf } from '../access/visitor';
import { type Problem } from '../http/problem';
import { TYPE_WORDS } from './batch-words';
import { Layout, renderPage } from './layout';
import { UploadFault } from './upload-fault';
import { MappingFields } from './upload-mapping';
import { type PreviewProps, UploadPreview } from './upload-preview';

/** What a form has been filled in with. */
export interface UploadChoices {
  readonly type: BatchType;
  readonly format: string;
  readonly minAge: string;
  readonly mapping: Readonly<Record<string, string>>;
}

export interface UploadPageProps {
  readonly visitor: Visitor | null;
  readonly choices: UploadChoices;
  /** One per form: a form that is sent twice makes one batch. */
  readonly token: string;
  /** Of a browser without scripts: the file has to be chosen once more. */
  readonly preview?: PreviewProps;
  readonly problem?: Problem;
}

/** A part of the page, for its script to put in. */
export const renderPreview = (props: PreviewProps): string => renderToString(<UploadPreview {...props} />);

/** Choosing a file, seeing what it is read as, and starting: a plain form, which its script makes quicker. */
export function renderUploadPage(props: UploadPageProps): string {
  const { visitor, problem, preview } = props;
  return renderPage(
    <Layout title={preview ? 'Look at the file' : 'Enrich a file'} visitor={visitor} scripts={['upload']}>
      <h1>Enrich a file</h1>
      <p class="lede">
        CSV as any program writes it, an openFEC export, the FEC&rsquo;s itcont.txt or JSON lines, plain or gzipped. You
        see what it is read as before anything is stored.
      </p>
      {problem && <UploadFault problem={problem} />}
      <UploadForm {...props} />
    </Layout>,
  );
}

function UploadForm({ visitor, choices, token, preview, problem }: UploadPageProps): VNode {
  const to = (path: string): string => (visitor ? withCsrf(path, visitor) : path);
  const isMapped = preview === undefined && problem !== undefined && Object.keys(choices.mapping).length > 0;
  return (
    <form id="upload" class="upload" method="post" enctype="multipart/form-data" action={to('/upload/preview')}>
      <Options choices={choices} />
      <input type="hidden" name="token" value={token} autocomplete="off" />
      {isMapped && <MappingFields type={choices.type} columns={null} mapping={choices.mapping} none="in no column" />}
      {preview && (
        <div id="preview">
          <UploadPreview {...preview} />
        </div>
      )}
      <FileField again={preview !== undefined} />
      {!preview && <div id="preview" />}
      <p id="status" class="quiet" role="status" />
      <div class="steps">
        <button type="submit" class={preview ? 'second' : undefined} formaction={to('/upload/preview')} id="look">
          Preview
        </button>
        <button type="submit" class={preview ? undefined : 'second'} formaction={to('/upload/start')} id="start">
          Start
        </button>
      </div>
    </form>
  );
}

/** Without scripts, a browser forgets the file when it shows the next page. */
const FileField = ({ again }: { readonly again: boolean }): VNode => (
  <div class="drop" id="drop">
    <label for="file">{again ? 'The same file, once more: your browser does not keep it' : 'File'}</label>
    <input
      type="file"
      id="file"
      name="file"
      required
      accept=".csv,.tsv,.txt,.ndjson,.jsonl,.gz,text/csv,text/plain,application/gzip"
      aria-describedby="file-help"
    />
    <p id="file-help" class="quiet">
      Up to 2 GB. From a spreadsheet, save as CSV first.
    </p>
  </div>
);

const Options = ({ choices: { type, format, minAge } }: { readonly choices: UploadChoices }): VNode => (
  <>
    <fieldset class="types">
      <legend>What to find out</legend>
      {TYPES.map((one) => (
        <label>
          <input type="radio" name="type" value={one} checked={one === type} aria-describedby={`of-${one}`} />
          <span>{TYPE_WORDS[one].name}</span>
          <small id={`of-${one}`}>{TYPE_WORDS[one].needs}</small>
        </label>
      ))}
    </fieldset>
    <div class="settings">
      <label>
        Youngest age
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
          Donors are adults: 18 leaves children of the same first name out. On people whose age was known, estimates
          were then too low by 4 years instead of 8.
        </small>
      </label>
      <label>
        Format
        <select name="format" aria-describedby="of-format">
          {FORMATS.map(([value, words]) => (
            <option value={value} selected={value === format}>
              {words}
            </option>
          ))}
        </select>
        <small id="of-format">Only to be said where a file is taken for something that it is not.</small>
      </label>
    </div>
  </>
);

/** What most come for first. */
const TYPES: readonly BatchType[] = ['contributions', 'age_gender', 'ethnicity'];

const FORMATS = [
  ['', 'recognise it'],
  ['csv', 'table with a header line (CSV)'],
  ['itcont', 'FEC itcont.txt, without header line'],
  ['ndjson', 'JSON, one object a line'],
] as const;
