import { type VNode } from 'preact';
import { type AuditEntry, type BatchStatus, auditStateLabel, flagText, propertyLabel } from '@donorlens/operations';
import { counted } from '@donorlens/primitives';
import { STATE_LABELS } from '../batches/batch-labels';
import { count, duration } from '../layout/labels';
import { Age, RequestButton, type OpsView } from './ops-components';

/** Failed batches of all API keys, then open batches. */
export function BatchesSection({ view }: { readonly view: OpsView }): VNode {
  const { open, rowsOpen, imports, completed, failed, cancelled, oldest, failedLastDay } = view.status.batches;
  return (
    <section id="batches">
      <h2 id="batches-title">Batches</h2>
      <p>
        {open === 0
          ? 'No open batches'
          : `${counted(open, 'open batch', 'open batches')} with ${counted(rowsOpen, 'row')}`}
        {imports.open > 0 &&
          `, and ${counted(imports.open, 'import batch', 'import batches')} with ${counted(imports.rows, 'row')}`}
        {`. Last 24 hours: ${count(completed)} completed, ${count(cancelled)} cancelled, ${count(failed)} failed.`}
      </p>
      {oldest.length + failedLastDay.length > 0 && (
        <div class="table" tabindex={0} role="region" aria-labelledby="batches-title">
          <table>
            <thead>
              <tr>
                {[
                  'Batch',
                  'API key',
                  'State',
                  'Rows',
                  'Enriched',
                  'Geocoded',
                  'Rows/s',
                  'Time left',
                  'Created',
                  'Action',
                ].map((name) => (
                  <th scope="col">{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {[...failedLastDay, ...oldest].map((batch) => (
                <Batch batch={batch} view={view} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {open > oldest.length && <p class="quiet">The {oldest.length} oldest open batches are shown.</p>}
    </section>
  );
}

interface BatchProps {
  readonly batch: BatchStatus;
  readonly view: OpsView;
}

function Batch({ batch, view }: BatchProps): VNode {
  const { id, rows, enrichedRows, locatedRows, rowsPerSecond, etaSeconds } = batch;
  const isPaused = view.status.queues.some(({ queue, pausedAt }) => queue === 'enrich' && pausedAt !== null);
  const isWaiting = isPaused && enrichedRows < rows;
  return (
    <tr id={`open-${id}`} class={batch.errorCode !== null || batch.failedRows > 0 ? 'failing' : undefined}>
      <th scope="row">
        <code title={id}>{id.slice(0, 8)}</code>
      </th>
      <td class="text">{batch.keyName}</td>
      <td class="text">
        {STATE_LABELS[batch.state]}
        {batch.errorCode !== null && (
          <>
            : <a href="/guide/runbook#troubleshooting">{batch.errorCode}</a>
          </>
        )}
        {batch.failedRows > 0 && `, ${counted(batch.failedRows, 'failed row')}`}
      </td>
      <td>{count(rows)}</td>
      <td>
        <Done done={enrichedRows} rows={rows} label={`Rows of ${id} enriched`} />
      </td>
      <td>{locatedRows === null ? '–' : <Done done={locatedRows} rows={rows} label={`Rows of ${id} geocoded`} />}</td>
      <td>{rowsPerSecond === null || isWaiting ? '–' : count(rowsPerSecond)}</td>
      <td>{batch.state === 'failed' ? '–' : etaSeconds === null || isWaiting ? 'unknown' : duration(etaSeconds)}</td>
      <td>
        <Age at={batch.createdAt} now={view.now} />
      </td>
      <td>
        <Cancel batch={batch} view={view} />
      </td>
    </tr>
  );
}

/** Cancelling cannot be undone, so it needs a confirmation. */
function Cancel({ batch: { id, state }, view: { user, isOff } }: BatchProps): VNode | null {
  if (user === null || state === 'cancelling' || state === 'failed') return null;
  const name = `batch ${id.slice(0, 8)}`;
  return (
    <details class="sure" id={`sure-${id}`}>
      <summary>
        Cancel…<span class="hidden"> {name}</span>
      </summary>
      <p>Rows that are enriched by then keep their results; the others will have none.</p>
      <RequestButton
        action="cancel-batch"
        target={{ batch: id }}
        user={user}
        isOff={isOff}
        label="Cancel batch"
        about={name}
      />
    </details>
  );
}

const Done = ({
  done,
  rows,
  label,
}: {
  readonly done: number;
  readonly rows: number;
  readonly label: string;
}): VNode => (
  <>
    {`${rows === 0 ? 100 : Math.floor((100 * done) / rows)}%`}
    <progress max={Math.max(1, rows)} value={rows === 0 ? 1 : done} aria-label={label} />
  </>
);

/** Operator requests and changes with their results. */
export const AuditSection = ({ view: { entries, now } }: { readonly view: OpsView }): VNode => (
  <section id="audit">
    <h2 id="audit-title">Audit log</h2>
    {entries.length === 0 ? (
      <p class="quiet">No entries yet.</p>
    ) : (
      <div class="table" tabindex={0} role="region" aria-labelledby="audit-title">
        <table>
          <thead>
            <tr>
              {['Time', 'Actor', 'Action', 'State', 'Result'].map((name) => (
                <th scope="col">{name}</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr>
                <th scope="row">
                  <Age at={entry.at} now={now} />
                </th>
                <td class="text">{entry.actor}</td>
                <td class="text">{actionText(entry)}</td>
                <td class="text">{auditStateLabel(entry)}</td>
                <td class="text">{factsOf(entry.outcome)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
);

/** Action and object: `refresh source fec`. */
export function actionText({ action, detail }: AuditEntry): string {
  const about = Object.entries(detail).filter(([name]) => name !== 'request');
  return [action.replace(/^ops\./, ''), ...about.map(([name, value]) => `${name} ${plain(value)}`)].join(' ');
}

const factsOf = (outcome: AuditEntry['outcome']): string =>
  Object.entries(outcome ?? {})
    .filter(([, value]) => value !== null)
    .map(
      ([name, value]) =>
        flagText(name, value) ?? (name === 'message' ? plain(value) : `${propertyLabel(name)}: ${plain(value)}`),
    )
    .join(', ');

function plain(value: unknown): string {
  if (Array.isArray(value)) return value.map(plain).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
