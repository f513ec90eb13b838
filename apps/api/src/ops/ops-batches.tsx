import { type VNode } from 'preact';
import { type OpenBatch } from '@donorlens/operations';
import { count, duration } from '../pages/words';
import { AskButton } from './ask-button';
import { type OpsView } from './ops-view';
import { Age, counted } from './ops-words';

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

function Batch({ batch, view }: { readonly batch: OpenBatch; readonly view: OpsView }): VNode {
  const { id, rows, enrichedRows, locatedRows, rowsPerSecond, etaSeconds } = batch;
  return (
    <tr>
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
        <AskButton
          action="cancel-batch"
          target={{ batch: id }}
          visitor={view.visitor}
          isOff={view.isOff || batch.state === 'cancelling'}
          words="Cancel"
          about={`batch ${id.slice(0, 8)}`}
        />
      </td>
    </tr>
  );
}

const Done = ({ done, rows, of }: { readonly done: number; readonly rows: number; readonly of: string }): VNode => (
  <>
    {`${rows === 0 ? 100 : Math.floor((100 * done) / rows)} %`}
    <progress max={Math.max(1, rows)} value={rows === 0 ? 1 : done} aria-label={of} />
  </>
);
