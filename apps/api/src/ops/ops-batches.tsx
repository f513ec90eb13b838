import { type VNode } from 'preact';
import { type OpenBatch } from '@donorlens/operations';
import { counted } from '@donorlens/primitives';
import { count, duration } from '../pages/words';
import { AskButton } from './ask-button';
import { type OpsView } from './ops-view';
import { Age } from './ops-words';

/** Batches of all keys that have not ended. */
export function BatchesSection({ view }: { readonly view: OpsView }): VNode {
  const { open, rowsOpen, imports, completed, failed, cancelled, oldest } = view.status.batches;
  return (
    <section id="batches">
      <h2 id="batches-title">Batches</h2>
      <p>
        {open === 0
          ? 'No batch of a client is open'
          : `${counted(open, 'batch', 'batches')} of clients open with ${counted(rowsOpen, 'row')}`}
        {imports.open > 0 &&
          `, and ${counted(imports.open, 'batch', 'batches')} of imports with ${counted(imports.rows, 'row')}`}
        {`. In the last day ${count(completed)} completed, ${count(cancelled)} cancelled, ${count(failed)} failed.`}
      </p>
      {oldest.length > 0 && (
        <div class="table" tabindex={0} role="region" aria-labelledby="batches-title">
          <table>
            <thead>
              <tr>
                {['Batch', 'Of', 'State', 'Rows', 'Enriched', 'Located', 'Rows/s', 'Left', 'Sent', 'Action'].map(
                  (name) => (
                    <th scope="col">{name}</th>
                  ),
                )}
              </tr>
            </thead>
            <tbody>
              {oldest.map((batch) => (
                <Batch batch={batch} view={view} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {open > oldest.length && <p class="quiet">The oldest {oldest.length} of them.</p>}
    </section>
  );
}

interface BatchProps {
  readonly batch: OpenBatch;
  readonly view: OpsView;
}

function Batch({ batch, view }: BatchProps): VNode {
  const { id, rows, enrichedRows, locatedRows, rowsPerSecond, etaSeconds } = batch;
  return (
    <tr id={`open-${id}`}>
      <th scope="row">
        <code title={id}>{id.slice(0, 8)}</code>
      </th>
      <td class="text">{batch.keyName}</td>
      <td class="text">{batch.state}</td>
      <td>{count(rows)}</td>
      <td>
        <Done done={enrichedRows} rows={rows} of={`Rows of ${id} enriched`} />
      </td>
      <td>{locatedRows === null ? '–' : <Done done={locatedRows} rows={rows} of={`Rows of ${id} located`} />}</td>
      <td>{rowsPerSecond === null ? '–' : count(rowsPerSecond)}</td>
      <td>{etaSeconds === null ? 'not known yet' : duration(etaSeconds)}</td>
      <td>
        <Age at={batch.createdAt} now={view.now} />
      </td>
      <td>
        <Cancel batch={batch} view={view} />
      </td>
    </tr>
  );
}

/** Ends what a client sent, for good, so it is asked for twice. */
function Cancel({ batch: { id, keyName, state }, view: { visitor, isOff } }: BatchProps): VNode | null {
  if (visitor === null || state === 'cancelling') return null;
  const name = `batch ${id.slice(0, 8)}`;
  return (
    <details class="sure" id={`sure-${id}`}>
      <summary>
        Cancel…<span class="hidden"> {name}</span>
      </summary>
      <p>Rows of {keyName} that wait will not be answered.</p>
      <AskButton
        action="cancel-batch"
        target={{ batch: id }}
        visitor={visitor}
        isOff={isOff}
        words="Cancel it for good"
        about={name}
      />
    </details>
  );
}

const Done = ({ done, rows, of }: { readonly done: number; readonly rows: number; readonly of: string }): VNode => (
  <>
    {`${rows === 0 ? 100 : Math.floor((100 * done) / rows)} %`}
    <progress max={Math.max(1, rows)} value={rows === 0 ? 1 : done} aria-label={of} />
  </>
);
