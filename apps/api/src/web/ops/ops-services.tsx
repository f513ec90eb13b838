import { type VNode } from 'preact';
import { formatUtcTime, type ProcessStatus } from '@donorlens/operations';
import { counted } from '@donorlens/primitives';
import { count, percent } from '../layout/labels';
import { Age, RequestButton, type OpsView } from './ops-components';
import { Figure } from './ops-queues';

/** Processes with their heartbeats, and the leader. */
export function ProcessesSection({ view: { status, now } }: { readonly view: OpsView }): VNode {
  const { processes, leader } = status;
  return (
    <section id="processes">
      <h2 id="processes-title">Processes</h2>
      <p>
        {leader ? (
          <>
            Leader: <code>{leader.holder}</code>, leadership term {leader.epoch}.
          </>
        ) : (
          'No aggregator is the leader.'
        )}
      </p>
      {processes.length === 0 ? (
        <p class="quiet">No process has sent a heartbeat yet.</p>
      ) : (
        <div class="table" tabindex={0} role="region" aria-labelledby="processes-title">
          <table>
            <thead>
              <tr>
                {['Process', 'Queues', 'Active jobs', 'Started', 'Last heartbeat', 'Version'].map((name) => (
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
      {!process.isAlive && ', missing'}
    </td>
    <td>{process.version}</td>
  </tr>
);

const CIRCUITS = {
  closed: 'closed',
  open: 'open: one test call every 30 s',
  probing: 'open: a test call is running',
} as const;

/** Circuit breaker, calls and pending addresses of the geocoder. */
export function GeocoderSection({ view }: { readonly view: OpsView }): VNode {
  const { geocoder, outcomes, queues } = view.status;
  const isAlert = queues.some(({ queue, stallReason }) => queue === 'geocode' && stallReason !== null);
  const { now } = view;
  const { hits, misses, errors } = geocoder;
  return (
    <section id="geocoder">
      <h2 id="geocoder-title">Geocoder</h2>
      <p>
        Circuit breaker: {CIRCUITS[geocoder.circuit]}
        {geocoder.closedUntil && `; no calls before ${formatUtcTime(geocoder.closedUntil)}`}.{' '}
        {geocoder.reason === null && 'No pending addresses.'}
        {geocoder.reason !== null && !isAlert && `Pending addresses: ${geocoder.reason}.`}
      </p>
      <dl class="numbers counts">
        <Figure name="addresses pending" value={count(geocoder.waiting)} />
        <Figure name="assigned to calls" value={count(geocoder.inCalls)} />
        <Figure name="calls running" value={count(geocoder.running)} />
        <Figure name="calls completed" value={count(geocoder.calls)} />
        <Figure name="calls failed" value={count(geocoder.callsFailed)} />
        <Figure name="cache hit rate" value={hits + misses === 0 ? '–' : percent(hits / (hits + misses))} />
        <Figure name="max. calls per minute" value={count(geocoder.callsPerMinute)} />
        <Figure name="last answer" value={<Age at={geocoder.lastAnswerAt} now={now} />} />
        <Figure name="last failure" value={<Age at={geocoder.lastFailureAt} now={now} />}>
          {geocoder.lastError === null ? null : <code>{geocoder.lastError}</code>}
        </Figure>
        {Object.entries(outcomes).map(([outcome, addresses]) => (
          <Figure name={`result ${outcome.replaceAll('_', ' ')}`} value={count(addresses)} />
        ))}
        <Figure name="errors, waiting for retry" value={count(errors)} />
      </dl>
      {errors > 0 && (
        <div class="actions">
          <RequestButton
            action="retry-addresses"
            target={{ outcome: 'ERROR' }}
            user={view.user}
            isOff={view.isOff}
            label={`Retry ${counted(errors, 'error')} now`}
            about="of the geocoder"
          />
        </div>
      )}
    </section>
  );
}
