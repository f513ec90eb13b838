import { type Tally } from '@donorlens/primitives';

/** Enriches the rows of a chunk one by one into lines of COPY text. */
export interface EnrichedLines {
  readonly tally: Tally;
  /** Lines so far. */
  readonly copy: Buffer;
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
