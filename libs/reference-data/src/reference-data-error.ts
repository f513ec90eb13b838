import { DomainError } from '@donorlens/primitives';

/** A source file that does not have the layout of its publisher. Names the file and, if possible, the line. */
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

/** Calls `visit` with each line (CRLF and LF alike) and its number from 1; a last empty line is no line. */
export function forEachLine(bytes: Buffer, visit: (line: string, number: number) => void): void {
  const text = bytes.toString('latin1');
  let number = 0;
  for (let at = 0; at < text.length;) {
    const lf = text.indexOf('\n', at);
    const end = lf < 0 ? text.length : lf;
    visit(text.slice(at, end > at && text.charCodeAt(end - 1) === 13 ? end - 1 : end), ++number);
    at = end + 1;
  }
}

/** Whole number without sign, blanks or exponent. */
export function parseWholeNumber(file: string, line: number, field: string, text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new LayoutError(file, line, `${field} is not a whole number`);
  return Number(text);
}
