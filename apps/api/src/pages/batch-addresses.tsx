import { type VNode } from 'preact';
import { type BatchWire, FINAL_STATES } from '../batches/batch-wire';
import { count } from './words';

const ADDRESS_WORDS = {
  match: 'Located',
  no_match: 'Not found',
  tie: 'Several places',
  skipped: 'Nothing to locate',
  pending: 'Waiting',
} as const;

/** What became of the addresses of a batch's rows, and why some of them wait. */
export const BatchAddresses = ({ batch }: { readonly batch: BatchWire }): VNode => (
  <section id="addresses">
    <h2>Addresses</h2>
    <dl class="numbers">
      {Object.entries(ADDRESS_WORDS).map(([outcome, words]) => (
        <div>
          <dt>{words}</dt>
          <dd>{count((batch.addresses as Readonly<Record<string, number>>)[outcome])}</dd>
        </div>
      ))}
    </dl>
    {batch.addresses.pending > 0 && isLocating(batch) && <Waiting batch={batch} />}
    <p class="quiet">
      Nothing to locate: no street, a post office box, an address abroad or of the military. Several places: the county
      is given where all of them are in one.
    </p>
  </section>
);

/** Addresses of a batch that was stopped or erased are not located for it any more. */
const isLocating = ({ state }: BatchWire): boolean => state === 'completed' || !FINAL_STATES.has(state);

const Waiting = ({ batch: { addresses, waits_for, state } }: { readonly batch: BatchWire }): VNode => (
  <p class="notice">
    {waits_for === null
      ? 'Addresses are being located.'
      : `${count(addresses.pending)} rows wait for their address: ${waits_for}.`}{' '}
    {state === 'completed'
      ? 'The batch does not wait for them any longer; its results fill in as they come.'
      : 'Ages, genders and ethnicities can be read meanwhile.'}
  </p>
);
