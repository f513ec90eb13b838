import { counted } from '@donorlens/primitives';
import { type EstimateOptions } from '../../batches/batch-progress.controller';
import { type BatchWire } from '../../batches/batch-wire';
import { count } from '../layout/labels';

/** Types of a batch. */
export const TYPE_LABELS = {
  contributions: {
    name: 'All fields',
    fromNames: 'age, gender, ethnicity',
    needs: 'Age, gender, ethnicity, county, tract and household income, from name, date and address.',
  },
  age_gender: { name: 'Age and gender', fromNames: 'age, gender', needs: 'From a first name and a date.' },
  ethnicity: { name: 'Ethnicity', fromNames: 'ethnicity', needs: 'From a surname and a year.' },
} as const;

/** Type of a batch with its estimate options that are not the default, as in `All fields, minimum age 18`. */
export function typeText(type: BatchWire['type'], options: EstimateOptions | null): string {
  const parts = [
    TYPE_LABELS[type].name,
    type !== 'ethnicity' && options?.minAge ? `minimum age ${options.minAge}` : '',
    type !== 'ethnicity' && options ? AGE_OPTIONS[options.ageBasis] : '',
    options?.ethnicityBasis === 'place' ? 'ethnicity by surname and place' : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}

const AGE_OPTIONS = {
  name: '',
  adult: '',
  donors: 'ages of stored donors of the cycle',
  group: 'ages of the rows of the file',
} as const;

/** Results of a row. */
export const OUTCOME_LABELS = {
  ok: 'Name known',
  partial: 'Name known, address not matched',
  not_found: 'Name unknown',
  invalid: 'Invalid',
  failed: 'Failed',
} as const;

/** States of a batch. */
export const STATE_LABELS = {
  accepted: 'queued',
  running: 'running',
  completed: 'completed',
  cancelling: 'cancelling',
  cancelled: 'cancelled',
  expired: 'expired',
  failed: 'failed',
} as const;

/** Progress of a batch in one line, as in scripts/live.js. Rows count as done while their addresses are pending. */
export function batchHeading({ counts, stages: { enriched }, addresses: { pending }, state }: BatchWire): string {
  const isAnswered = enriched.done === counts.total;
  const all = counted(counts.total, 'row');
  const rows = `${all}, ${STATE_LABELS[state]}`;
  if (!isAnswered && (state === 'failed' || state === 'cancelled'))
    return `${sentenceCase(state)} after ${count(enriched.done)} of ${all}`;
  if (!isAnswered) return `${count(enriched.done)} of ${rows}`;
  const arePending = pending > 0 && ['running', 'completed'].includes(state);
  return arePending ? `${rows}; ${count(pending)} with a pending address` : rows;
}

/** Why no row is processed; null while rows are. Without a stop, a batch in progress has a rate or no reason. */
export function batchStallReason({ waits_for: reason, rows_per_second: rate, stages }: BatchWire): string | null {
  const isStalled = rate === null && stages.enriched.done < stages.enriched.total;
  return isStalled ? (reason?.split('; ')[0] ?? null) : null;
}

/** Pending rows of a batch, as in scripts/live.js; `waits_for` counts distinct addresses of all batches instead. */
export const pendingRows = (pending: number): string =>
  pending === 1 ? '1 row waits for its address' : `${count(pending)} rows wait for their addresses`;

/** Progress of geocoding, as in scripts/live.js, without rows that have no usable address. */
export function geocodedText({ match, no_match: noMatch, tie, skipped, pending }: BatchWire['addresses']): string {
  const done = match + noMatch + tie;
  const geocoded = done + pending > 0 ? `${count(done)} of ${count(done + pending)} geocoded` : '';
  const none = skipped > 0 ? `${count(skipped)} without a usable address` : '';
  return [geocoded, none].filter((part) => part !== '').join(', ') || '0 geocoded';
}

/** Fields of a row that a column can be mapped to. */
export const FIELD_LABELS = {
  first_name: 'First name',
  surname: 'Surname',
  contributor_name: 'Full name (“LAST, FIRST” or “First Last”)',
  entity_type: 'Entity type (IND, ORG, …)',
  date: 'Contribution date',
  year: 'Contribution year',
  street: 'Street and house number',
  street_2: 'Apartment, suite',
  city: 'City',
  state: 'State',
  zip: 'ZIP code',
  fips: 'County code (FIPS)',
} as const;

/** The parts of a message as sentences, as in scripts/live.js. */
export const sentences = (text: string): string => text.split('; ').map(sentence).join(' ');

const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** A message as a sentence. */
export function sentence(text: string): string {
  const begun = sentenceCase(text);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}
