import { DomainError } from '@donorlens/primitives';

/** A source that could not be reached, answered with an error, or sent more or less than it may. */
export class SourceError extends DomainError {
  readonly code = 'source_file';

  constructor(
    readonly location: string,
    what: string,
  ) {
    super(`${location}: ${what}`, { location });
  }
}
