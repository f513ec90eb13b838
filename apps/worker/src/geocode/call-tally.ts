import { type CallResults } from '@donorlens/geocoding';

/** Addresses of one call by what became of them. */
export interface CallTally {
  readonly match: number;
  readonly noMatch: number;
  readonly tie: number;
  /** Asked again, in a later call. */
  readonly unanswered: number;
}

export function tallyOf({ located, ties, unanswered }: CallResults): CallTally {
  const count = (outcome: string): number => located.filter((location) => location.outcome === outcome).length;
  return {
    match: count('MATCH'),
    noMatch: count('NO_MATCH'),
    tie: count('TIE') + ties.length,
    unanswered: unanswered.size,
  };
}
