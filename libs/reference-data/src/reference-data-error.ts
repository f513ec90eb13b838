import { DomainError } from '@donorlens/primitives';

/** A source file that is not what its publisher's layout says. Names the file and, where there is one, the line. */
export class LayoutError extends DomainError {
  readonly code = 'reference_layout';

  constructor(
    readonly file: string,
    readonly line: number | null,
    what: string,
  ) {
    super(`${file}${line === null ? '' : ` line ${line}`}: ${what}`, { file, line });
  }
}

/** Files that read well but do not agree with what is known about the edition. */
export class CheckError extends DomainError {
  readonly code = 'reference_check';

  constructor(readonly faults: readonly string[]) {
    super(`reference data failed ${faults.length} check${faults.length === 1 ? '' : 's'}: ${faults.join('; ')}`, {
      faults: faults.length,
    });
  }
}

/** Bytes that are no release binary of this version, or are damaged. */
export class ReleaseFormatError extends DomainError {
  readonly code = 'release_format';

  constructor(what: string) {
    super(`release binary refused: ${what}`);
  }
}

export class UnknownReleaseError extends DomainError {
  readonly code = 'release_unknown';

  constructor(readonly releaseId: string) {
    super(`no data release ${releaseId} is stored`, { releaseId });
  }
}
