import { type Circuit } from './circuit';

/** A geocoder that answers, or fails, is heard of more often than that while addresses wait. */
const SILENCE_MS = 120_000;

/**
 * What happens with the addresses that wait. `refused` (their settings, or where none waits those of a worker), `open`,
 * `probing` (one call tries an open circuit) and `paused` (the geocoder asked to be left alone) hold all of them, also
 * those to come. `nothing`: none waits; `errors`: only those that failed whenever asked alone; `unattended`: nobody has
 * made a call for a while.
 */
export type GeocoderActivity =
  'refused' | 'open' | 'probing' | 'paused' | 'nothing' | 'errors' | 'unattended' | 'sending';

export interface ActivityFacts {
  readonly circuit: Circuit;
  /** The geocoder asked to be left alone until then; null: no, or not any more. */
  readonly toldUntil: Date | null;
  readonly refusedReason: string | null;
  readonly waiting: number;
  readonly errors: number;
  /** Of those that wait, without errors: the geocoder refuses the benchmark and vintage that they are asked under. */
  readonly held: number;
  /** Calls that run now. */
  readonly running: number;
  /** The next call waits for nothing but the rate. */
  readonly isAtRate: boolean;
  /** When something was last heard of it, or could first have been; null: nothing to be heard. */
  readonly heardAt: Date | null;
  readonly now: Date;
}

export function activityOf(facts: ActivityFacts): GeocoderActivity {
  if (facts.refusedReason !== null && facts.held + facts.errors === facts.waiting) return 'refused';
  if (facts.circuit.circuit !== 'closed') return facts.circuit.circuit;
  if (facts.toldUntil !== null) return 'paused';
  if (facts.waiting === 0) return 'nothing';
  if (facts.running > 0 || facts.isAtRate) return 'sending';
  if (facts.errors === facts.waiting) return 'errors';
  return isSilent(facts) ? 'unattended' : 'sending';
}

const isSilent = ({ heardAt, now }: ActivityFacts): boolean =>
  heardAt !== null && now.getTime() - heardAt.getTime() > SILENCE_MS;
