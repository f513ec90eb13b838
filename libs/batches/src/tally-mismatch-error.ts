import { DomainError } from '@donorlens/primitives';

/** A worker's tally does not cover its chunk: its results must not be stored. */
export class TallyMismatchError extends DomainError {
  readonly code = 'tally_mismatch';
}
