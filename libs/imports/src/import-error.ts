import { DomainError } from '@donorlens/primitives';

/** Another process is importing. */
export class ImportBusyError extends DomainError {
  readonly code = 'import_busy';

  constructor() {
    super('another import is running: try again when it has finished');
  }
}

export type ImportErrorCode =
  | 'no_file' // does not exist or cannot be read
  | 'damaged_file' // truncated, or checksum or size differ
  | 'unexpected_member' // the zip has a member that the publisher's zips do not have
  | 'not_itcont' // the text has another layout
  | 'other_cycle'
  | 'no_masters'
  | 'no_release'
  | 'rows_missing' // far fewer rows than the previous file
  | 'disk_full' // the disk of the database is full
  | 'batch_failed';

/** The import has failed. The operator imports the same file again, or another one. */
export class ImportError extends DomainError {
  constructor(
    readonly code: ImportErrorCode,
    message: string,
    values: Readonly<Record<string, string | number | boolean | null>> = {},
  ) {
    super(message, values);
  }
}

export const diskFullError = (): ImportError =>
  new ImportError('disk_full', 'the disk of the database is full: free space and import the file again');

/** @param cycle - null if the file does not state it */
export const noMastersError = (why: string, cycle: number | null): ImportError =>
  new ImportError(
    'no_masters',
    `${why}; run with --masters: bin/donorlens import fec --cycle ${cycle ?? 'YEAR'} --masters. If the running service is ` +
      'fetching them (FEC_CYCLES, DATA_SOURCE), wait until "bin/donorlens import list" shows them done',
  );

/** A sample is synthetic and is never stored beside real data. */
export class SampleRefusedError extends DomainError {
  readonly code = 'sample_refused';

  constructor() {
    super('the sample cannot be loaded beside real data of the FEC: set DATA_SOURCE to real files');
  }
}
