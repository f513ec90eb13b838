import { type VNode } from 'preact';
import { counted } from '@donorlens/primitives';
import { count, percent } from '../pages/words';
import { AskButton } from './ask-button';
import { Figure } from './ops-queues';
import { type OpsView } from './ops-view';
import { Age, moment } from './ops-words';

const CIRCUITS = {
  closed: 'closed: calls go out',
  open: 'open: one call in 30 s tries it',
  probing: 'open: one call tries it now',
} as const;

/** How the geocoder is doing, and the addresses that wait for it. */
export function GeocoderSection({ view }: { readonly view: OpsView }): VNode {
  const { geocoder, outcomes } = view.status;
  const { now } = view;
  const { hits, misses, errors } = geocoder;
  return (
    <section id="geocoder">
      <h2 id="geocoder-title">Geocoder</h2>
      <p>
        Circuit {CIRCUITS[geocoder.circuit]}
        {geocoder.closedUntil && `; nothing before ${moment(geocoder.closedUntil)}`}.{' '}
        {geocoder.reason === null ? 'No address waits.' : `Of the addresses that wait: ${geocoder.reason}.`}
      </p>
      <dl class="numbers tally">
        <Figure name="addresses pending" value={count(geocoder.waiting)} />
        <Figure name="packed into calls" value={count(geocoder.inCalls)} />
        <Figure name="calls out now" value={count(geocoder.running)} />
        <Figure name="calls answered" value={count(geocoder.calls)} />
        <Figure name="calls failed" value={count(geocoder.callsFailed)} />
        <Figure
          name="known when they came"
          value={hits + misses === 0 ? 'none came' : percent(hits / (hits + misses))}
        />
        <Figure name="calls a minute at most" value={count(geocoder.callsPerMinute)} />
        <Figure name="last answer" value={<Age at={geocoder.lastAnswerAt} now={now} />} />
        <Figure name="last failure" value={<Age at={geocoder.lastFailureAt} now={now} />}>
          {geocoder.lastError === null ? null : <code>{geocoder.lastError}</code>}
        </Figure>
        {Object.entries(outcomes).map(([outcome, addresses]) => (
          <Figure name={`answered ${outcome.replaceAll('_', ' ')}`} value={count(addresses)} />
        ))}
        <Figure name="errors, waiting for hours" value={count(errors)} />
      </dl>
      {errors > 0 && (
        <div class="actions">
          <AskButton
            action="retry-addresses"
            target={{ outcome: 'ERROR' }}
            visitor={view.visitor}
            isOff={view.isOff}
            words={`Ask ${counted(errors, 'error')} again now`}
            about="of the geocoder"
          />
        </div>
      )}
    </section>
  );
}
