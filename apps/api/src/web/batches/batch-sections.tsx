import { type ErrorRow, isFinal } from '@donorlens/batches';
import { counted, type ItemErrorCode } from '@donorlens/primitives';
import { type SendErrorCode, type WebhookStatus } from '@donorlens/webhooks';
import { type VNode } from 'preact';
import { type SessionUser, withCsrf } from '../../access/sessions';
import { type EstimateOptions } from '../../batches/batch-progress.controller';
import { type BatchWire } from '../../batches/batch-wire';
import { count } from '../layout/labels';
import { Layout, renderPage } from '../layout/layout';
import { pendingRows, sentence, sentences, typeText } from './batch-labels';

const SERVICE_ERROR = 'Send the row again. If it fails again, tell the operator of this service.';

const ADVICE: Readonly<Record<ItemErrorCode, string>> = {
  bad_date: 'Write it in the form yyyy-mm-dd, such as 2016-10-31.',
  bad_fips: 'Write all five digits, or leave the cell empty.',
  bad_id: 'Shorten it and send it as text.',
  bad_json: 'Write one object in braces on each line.',
  bad_type: 'Put names, dates and codes in quotes, as text.',
  bad_year: 'Write four digits.',
  missing_date: 'Add a date, or use the type Ethnicity with a year.',
  missing_name: 'Add a first name, a surname or a full name.',
  missing_year: 'Add a year or a date.',
  nul_byte: 'Remove it, or save the file as text.',
  ragged_row: 'Check for an unclosed quote, or a separator in text without quotes.',
  too_long: 'Check that the right column is mapped to the name.',
  internal: SERVICE_ERROR,
  poison: SERVICE_ERROR,
};

const adviceOf = (code: string): string => ADVICE[code as ItemErrorCode] ?? SERVICE_ERROR;

const MAX_SOURCE = 160;
const shortened = (text: string): string => (text.length > MAX_SOURCE ? `${text.slice(0, MAX_SOURCE)}…` : text);

export const MAX_SHOWN_ERRORS = 5;

interface ErrorsProps {
  readonly rows: readonly ErrorRow[];
  /** Number of invalid and failed rows in the whole batch so far. */
  readonly all: number;
  readonly file: string;
}

/** The first invalid and failed rows with reason and advice; while the batch runs, scripts/live.js adds them. */
export function BatchErrors({ rows, all, file }: ErrorsProps): VNode {
  if (all === 0) return <div data-unread={MAX_SHOWN_ERRORS} />;
  return (
    <section id="errors" data-unread={MAX_SHOWN_ERRORS}>
      <h2>Rows with errors</h2>
      {rows.length > 0 && (
        <p class="quiet">
          The header and empty rows are not counted: with a header in row 1 and no empty row, row {count(rows[0].row)}{' '}
          is row {count(rows[0].row + 1)} of an Excel sheet.
        </p>
      )}
      <ul class="errors">
        {rows.map(({ row, code, message, source }) => (
          <li>
            <strong>Row {count(row)}</strong>: {sentence(message)} {adviceOf(code)}
            <code>{shortened(source)}</code>
          </li>
        ))}
      </ul>
      <p>
        <a href={file}>
          {all === 1 ? (
            'Download the row with errors'
          ) : (
            <>
              Download all <span data-all-unread>{count(all)}</span> rows with errors
            </>
          )}{' '}
          as CSV
        </a>
      </p>
    </section>
  );
}

const ADDRESS_LABELS = {
  match: 'Addresses matched',
  no_match: 'No match',
  tie: 'Ambiguous',
  skipped: 'Skipped',
  pending: 'Pending',
} as const;

/** Pending addresses of a cancelled, failed or expired batch are not geocoded for it. */
const isAbandoned = (state: BatchWire['state']): boolean => isFinal(state) && state !== 'completed';

/** Ends of the sentence that names the error of a failed batch. */
const FAILURES: Readonly<Record<string, string | undefined>> = {
  unreadable_input: ': its stored rows could not be read.',
  chunk_failed: ': some of its rows could not be processed.',
  tally_mismatch: ': its counts did not match its stored results.',
  release_unknown: ': its data release is no longer stored.',
  release_format: ': no running worker can read its data release.',
};

/** Next step for a batch that ended without all results, because it cannot be repeated. */
export const NextStep = ({ batch: { state, error } }: { readonly batch: BatchWire }): VNode | null =>
  isAbandoned(state) ? (
    <p class="notice">
      {state === 'failed' && (
        <>
          The batch failed with the error <code>{error}</code>
          {FAILURES[error ?? ''] ?? '.'}{' '}
        </>
      )}
      {state === 'expired' && 'The rows and results are deleted. '}
      To get all results, <a href="/upload">upload the file again</a>.
      {state === 'failed' && ' If it fails again, tell the operator of this service.'}
    </p>
  ) : null;

/** Geocoding results; null for a type without addresses. */
export const BatchAddresses = ({ batch: { addresses, stages, state } }: { readonly batch: BatchWire }): VNode | null =>
  stages.geocoded && (
    <section id="addresses">
      <h2>Addresses</h2>
      <dl class="numbers counts">
        {Object.entries(ADDRESS_LABELS).map(([outcome, label]) => (
          <div>
            <dt>{outcome === 'pending' && isAbandoned(state) ? 'Not geocoded' : label}</dt>
            <dd data-count={`addresses.${outcome}`}>
              {count((addresses as Readonly<Record<string, number>>)[outcome])}
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        All numbers count rows. No match: no county, unless the row has its own county code. Ambiguous: a county only if
        all candidate addresses are in one. Skipped: no street, a post office box, or a foreign or military address.
      </p>
    </section>
  );

/** Why addresses are pending; hidden while none are. */
export function PendingAddresses({ batch }: { readonly batch: BatchWire }): VNode | null {
  const { addresses, stages, state } = batch;
  const ended = isFinal(state);
  const isShown = addresses.pending > 0 && (!ended || state === 'completed');
  if (stages.geocoded === null || (ended && !isShown)) return null;
  return (
    <p class="notice" id="waiting" hidden={!isShown}>
      <span data-waiting>{isShown && pendingText(batch)}</span>{' '}
      {state === 'completed'
        ? 'The batch is completed without them; the results are updated when they are geocoded.'
        : 'Age, gender and ethnicity are available now.'}
    </p>
  );
}

function pendingText({ addresses: { pending }, waits_for: reason }: BatchWire): string {
  const text = `${pendingRows(pending)}.`;
  return reason === null ? text : `${text} ${sentences(reason)}`;
}

export const actionPath = (id: string, action: 'cancel' | 'delete' | 'repeat'): string => `/batches/${id}/${action}`;

interface EyebrowProps {
  /** Name of the uploaded file. */
  readonly name: string | null;
  readonly type: BatchWire['type'];
  readonly options?: EstimateOptions | null;
}

export const BatchEyebrow = ({ name, type, options = null }: EyebrowProps): VNode => (
  <p class="eyebrow">
    Batch{name !== null && <bdi> {name}</bdi>}: {typeText(type, options)}
  </p>
);

interface ActionsProps {
  readonly batch: BatchWire;
  /** Null without a session: a key in the URL only permits reading. */
  readonly user: SessionUser | null;
}

/** Buttons to cancel, repeat and delete a batch. */
export function BatchActions({ batch: { id, state }, user }: ActionsProps): VNode | null {
  if (user === null) return null;
  return (
    <div class="steps">
      {!isFinal(state) && state !== 'cancelling' && (
        <form method="post" action={withCsrf(actionPath(id, 'cancel'), user)}>
          <button type="submit" class="second">
            Cancel
          </button>
        </form>
      )}
      {state === 'completed' && (
        <a class="button second" href={actionPath(id, 'repeat')}>
          Repeat with other options
        </a>
      )}
      <a class="button second" href={actionPath(id, 'delete')}>
        Delete…
      </a>
      <a href="/batches">All batches</a>
    </div>
  );
}

/** Confirmation of a deletion, which cannot be undone. */
export const renderDeletePage = (
  batch: BatchWire,
  stored: EstimateOptions & Pick<EyebrowProps, 'name'>,
  user: SessionUser | null,
): string =>
  renderPage(
    <Layout title="Delete batch" user={user} section="/batches">
      <BatchEyebrow name={stored.name} type={batch.type} options={stored} />
      <h1>Delete this batch of {counted(batch.counts.total, 'row')}?</h1>
      <p class="lede">
        This deletes the uploaded rows, the results and the counts. It cannot be undone.
        {!isFinal(batch.state) && ' Queued rows will not be processed.'}
      </p>
      <div class="steps">
        <form
          method="post"
          action={user ? withCsrf(actionPath(batch.id, 'delete'), user) : actionPath(batch.id, 'delete')}
        >
          <button type="submit">Delete</button>
        </form>
        <a class="button second" href={`${batch.links.self}?format=html`}>
          Back to the batch
        </a>
      </div>
    </Layout>,
  );

const DELIVERY_ERRORS: Readonly<Record<SendErrorCode | 'key_expired' | 'key_revoked', string>> = {
  bad_answer: 'the answer was not valid HTTP',
  bad_certificate: 'its certificate is not valid',
  key_expired: 'the API key of the batch has expired',
  key_revoked: 'the API key of the batch was revoked',
  private_address: 'the host has a private address',
  timeout: 'no answer within 10 seconds',
  unknown_host: 'the host has no address',
  unreachable: 'no connection',
  url_refused: 'the URL is no longer allowed',
};

const utc = (at: Date | null): string => (at === null ? '' : ` ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`);

const reasonOf = ({ status, error }: WebhookStatus): string =>
  DELIVERY_ERRORS[error as keyof typeof DELIVERY_ERRORS] ?? `the receiver answered ${status}`;

/** With these errors, the last counted attempt sent nothing. */
const KEY_ERRORS: ReadonlySet<string | null> = new Set(['key_revoked', 'key_expired']);

/** State of the newest message about the batch. */
function deliveryText(webhook: WebhookStatus, ended: boolean): string {
  const { event, state, attempts, error, at } = webhook;
  const reload = 'Reload this page to see the result.';
  if (event === null) return ended ? `not sent yet. ${reload}` : 'sent when the batch ends.';
  if (state === 'delivered') return `${event} delivered on${utc(at)}.`;
  if (state === 'failed') {
    const sent = attempts - (KEY_ERRORS.has(error) ? 1 : 0);
    const after = sent > 0 ? ` after ${counted(sent, 'attempt')}` : '';
    return `${event} not delivered${after}: ${reasonOf(webhook)}. No further attempt.`;
  }
  if (error === null) return `${event} not delivered yet. ${reload}`;
  return `${event} not delivered: ${reasonOf(webhook)}. Next attempt after${utc(at)}.`;
}

export const Webhook = ({ webhook, ended }: { webhook: WebhookStatus | null; ended: boolean }): VNode | null =>
  webhook && (
    <p>
      Webhook to <code>{webhook.host}</code>: {deliveryText(webhook, ended)}
    </p>
  );
