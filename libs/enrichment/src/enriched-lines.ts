import { type AskedAddress } from '@donorlens/locations';
import { type Tally } from '@donorlens/primitives';

/** Enriches the rows of a chunk one by one into lines of COPY text. */
export interface EnrichedLines {
  readonly tally: Tally;
  /** Lines so far. */
  readonly copy: Buffer;
  /** Distinct addresses of the rows so far, in the order of their first rows; none where they were not asked for. */
  readonly addresses: readonly AskedAddress[];
  /** Rows so far that could be read and have no address that can be located; 0 where it was not asked for. */
  readonly skippedRows: number;
  /** Number of the row that `next` went to. */
  readonly row: number;
  /** Goes to the next row; false at the end. @throws ChunkMismatchError */
  next(): boolean;
  /**
   * Enriches the row and writes its line. May be called again for the same row where it threw.
   * @param isPoison the row fails without being read
   */
  enrich(isPoison: boolean): void;
}
