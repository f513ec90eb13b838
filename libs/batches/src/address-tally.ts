/**
 * Rows of a batch by what became of their address. Together they are the rows that could be read, in a batch that asks
 * for addresses; in any other they are none.
 */
export interface AddressTally {
  readonly match: number;
  readonly noMatch: number;
  readonly tie: number;
  /** Nothing to ask a geocoder about. */
  readonly skipped: number;
  /** Not known yet. */
  readonly pending: number;
}

export const NO_ADDRESSES: AddressTally = { match: 0, noMatch: 0, tie: 0, skipped: 0, pending: 0 };

export const rowsOf = ({ match, noMatch, tie, skipped, pending }: AddressTally): number =>
  match + noMatch + tie + skipped + pending;
