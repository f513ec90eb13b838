import { type VNode } from 'preact';
import { type ProcessStatus } from '@donorlens/operations';
import { count } from '../pages/words';
import { type OpsView } from './ops-view';
import { Age } from './ops-words';

/** Who is there, and who leads. */
export function ProcessesSection({ view: { status, now } }: { readonly view: OpsView }): VNode {
  const { processes, leader } = status;
  return (
    <section id="processes">
      <h2 id="processes-title">Processes</h2>
      <p>
        {leader ? (
          <>
            <code>{leader.holder}</code> leads, in term {leader.epoch}.
          </>
        ) : (
          'No aggregator leads.'
        )}
      </p>
      {processes.length === 0 ? (
        <p class="quiet">No process has said that it is alive.</p>
      ) : (
        <div class="table" tabindex={0} role="region" aria-labelledby="processes-title">
          <table>
            <thead>
              <tr>
                {['Process', 'Takes from', 'In work', 'Started', 'Last heard of', 'Version'].map((name) => (
                  <th scope="col">{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {processes.map((process) => (
                <Process process={process} now={now} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const Process = ({ process, now }: { readonly process: ProcessStatus; readonly now: Date }): VNode => (
  <tr class={process.isAlive ? undefined : 'gone'}>
    <th scope="row">
      {process.role} <code>{`${process.host}:${process.pid}`}</code>
    </th>
    <td>{process.queues.join(', ') || '–'}</td>
    <td>{count(process.inWork)}</td>
    <td>
      <Age at={process.startedAt} now={now} />
    </td>
    <td>
      <Age at={process.seenAt} now={now} />
      {!process.isAlive && ', not alive'}
    </td>
    <td>{process.version}</td>
  </tr>
);
