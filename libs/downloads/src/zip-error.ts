import { DomainError } from '@donorlens/primitives';

/** A zip that cannot be read, or that holds something else than its publisher puts in. */
export class ZipError extends DomainError {
  readonly code = 'zip_file';

  constructor(
    readonly file: string,
    what: string,
  ) {
    super(`${file}: ${what}`, { file });
  }
}
