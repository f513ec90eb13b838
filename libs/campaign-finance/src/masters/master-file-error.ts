import { DomainError } from '@donorlens/primitives';

/** A master that as a whole cannot be what its name says. */
export class MasterFileError extends DomainError {
  readonly code = 'master_file';

  constructor(
    readonly file: string,
    what: string,
  ) {
    super(`${file}: ${what}`, { file });
  }
}
