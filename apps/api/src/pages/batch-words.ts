import { type BatchWire } from '../batches/batch-wire';
import { count } from './words';

/** What a batch answers, for a person to choose. */
export const TYPE_WORDS = {
  contributions: {
    name: 'Everything',
    needs: 'Age, gender, ethnicity, county, tract, household income: from name, date and address.',
  },
  age_gender: { name: 'Age and gender', needs: 'From a first name and a date.' },
  ethnicity: { name: 'Ethnicity', needs: 'From a surname and a year.' },
} as const;

export const OUTCOME_WORDS = {
  ok: 'Answered',
  partial: 'Answered in part',
  not_found: 'Name not known',
  invalid: 'Not readable',
  failed: 'Failed',
} as const;

/** What the states of a batch mean to who sent it. */
export const STATE_WORDS = {
  accepted: 'waiting to begin',
  running: 'running',
  completed: 'completed',
  cancelling: 'stopping',
  cancelled: 'cancelled',
  expired: 'expired, its rows are erased',
  failed: 'failed',
} as const;

/** How far a batch is, in one line; scripts/live.js says the same. Addresses that come late take nothing from the rows that are answered. */
export function batchHeading({ counts, stages: { enriched }, addresses: { pending }, state }: BatchWire): string {
  const isAnswered = enriched.done === counts.total;
  const rows = `${count(counts.total)} ${counts.total === 1 ? 'row' : 'rows'}, ${STATE_WORDS[state]}`;
  if (!isAnswered) return `${count(enriched.done)} of ${rows}`;
  const areComing = pending > 0 && ['running', 'completed'].includes(state);
  return areComing ? `${rows}; ${addresses(pending)} still to come` : rows;
}

/** How far the addresses are that somebody is asked about; scripts/live.js says the same. A row that needs none is no part of it. */
export function lookedUp({ match, no_match: noMatch, tie, skipped, pending }: BatchWire['addresses']): string {
  const done = match + noMatch + tie;
  const words = done + pending > 0 ? `${count(done)} of ${count(done + pending)} looked up` : '';
  const none = skipped > 0 ? `${count(skipped)} need none` : '';
  return [words, none].filter((part) => part !== '').join(', ') || 'none yet';
}

const addresses = (n: number): string => `${count(n)} ${n === 1 ? 'address' : 'addresses'}`;

/** What we read of a row, for a person to find in a file. */
export const FIELD_WORDS = {
  first_name: 'First name',
  surname: 'Surname',
  contributor_name: 'Full name (“LAST, FIRST” or “First Last”)',
  entity_type: 'Kind of contributor (IND, ORG, …)',
  date: 'Date of the contribution',
  year: 'Year of the contribution',
  street: 'Street and house number',
  street_2: 'Apartment, suite',
  city: 'City',
  state: 'State',
  zip: 'ZIP code',
  fips: 'County code (FIPS)',
} as const;

/** What a program says in one breath, its parts as sentences; scripts/live.js says the same. */
export const sentences = (text: string): string => text.split('; ').map(sentence).join(' ');

/** A message of a program as a sentence of a page. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
}
