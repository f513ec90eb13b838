import { DomainError } from '@donorlens/primitives';

/** Somebody else imports right now. */
export class ImportBusyError extends DomainError {
  readonly code = 'import_busy';

  constructor() {
    super('another import is running; only one runs at a time');
  }
}

export type ImportErrorCode =
  | 'no_file' // it is not there, or may not be read
  | 'damaged_file' // cut off, or its checksum or size differ
  | 'unexpected_member' // a zip that holds something else than its publisher puts in
  | 'not_itcont' // text of another layout
  | 'other_cycle'
  | 'no_masters'
  | 'no_release'
  | 'batch_failed';

/** An import that ended without its end: the same file again, or another, has to be imported. */
export class ImportError extends DomainError {
  constructor(
    readonly code: ImportErrorCode,
    message: string,
    values: Readonly<Record<string, string | number | boolean | null>> = {},
  ) {
    super(message, values);
  }
}
