import { DomainError } from '@donorlens/primitives';

export type FilingErrorCode =
  | 'filing_header' // it does not begin as a filing does
  | 'filing_version' // written in a version whose columns are not known
  | 'filing_cut' // its end is missing
  | 'filing_incomplete' // it lacks rows that it states, and that the filing it would replace has
  | 'filing_layout'; // a line that no filing has

/** A file that cannot be read as an electronic filing; nothing of it is stored. */
export class FilingError extends DomainError {
  constructor(
    readonly code: FilingErrorCode,
    what: string,
    line: number | null = null,
  ) {
    super(`${line === null ? '' : `line ${line}: `}${what}`, { line });
  }
}
