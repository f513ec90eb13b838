import { type VNode } from 'preact';
import { type BatchWire, FINAL_STATES } from '../batches/batch-wire';
import { sentences } from './batch-words';
import { count } from './words';

const ADDRESS_WORDS = {
  match: 'Located',
  no_match: 'Not found',
  tie: 'Several places',
  skipped: 'Nothing to locate',
  pending: 'Waiting',
} as const;

/** Nobody asks any more for a batch that was stopped. */
const isGivenUp = (state: BatchWire['state']): boolean => FINAL_STATES.has(state) && state !== 'completed';

/** What became of the addresses of a batch's rows; nothing where its type has none. */
export const BatchAddresses = ({ batch: { addresses, stages, state } }: { readonly batch: BatchWire }): VNode | null =>
  stages.geocoded && (
    <section id="addresses">
      <h2>Addresses of these rows</h2>
      <dl class="numbers tally">
        {Object.entries(ADDRESS_WORDS).map(([outcome, words]) => (
          <div>
            <dt>{outcome === 'pending' && isGivenUp(state) ? 'Not looked up' : words}</dt>
            <dd data-count={`addresses.${outcome}`}>
              {count((addresses as Readonly<Record<string, number>>)[outcome])}
            </dd>
          </div>
        ))}
      </dl>
      <p class="quiet">
        Not found: no county, unless the row came with a code of its own. Several places: their county where all of them
        are in one. A row of these two whose name is known is answered in part. Nothing to locate: no street, a post
        office box, an address abroad or of the military.
      </p>
    </section>
  );

/** Why addresses wait, kept ready where none does yet. Those of a batch that was stopped or erased are not located for it any more. */
export function WaitingAddresses({ batch }: { readonly batch: BatchWire }): VNode | null {
  const { addresses, stages, state } = batch;
  const ended = FINAL_STATES.has(state);
  const isShown = addresses.pending > 0 && (!ended || state === 'completed');
  if (stages.geocoded === null || (ended && !isShown)) return null;
  return (
    <p class="notice" id="waiting" hidden={!isShown}>
      <span data-waiting>{isShown && waitingWords(batch)}</span>{' '}
      {state === 'completed'
        ? 'The batch does not wait for them any longer; its results fill in as they come.'
        : 'Ages, genders and ethnicities can be read meanwhile.'}
    </p>
  );
}

function waitingWords({ addresses: { pending }, waits_for: reason }: BatchWire): string {
  const rows = pending === 1 ? '1 row waits for its address' : `${count(pending)} rows wait for their addresses`;
  return reason === null ? `${rows}.` : `${rows}. ${sentences(reason)}`;
}
