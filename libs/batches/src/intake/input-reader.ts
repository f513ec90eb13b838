import { type FieldMapping } from '@donorlens/primitives';

/** Takes an input's bytes as they come and puts its records into chunks. */
export interface InputReader {
  /** Known once the first record is; of JSON items, the keys seen so far. */
  readonly columns: readonly string[];
  readonly mapping: FieldMapping;
  readonly delimiter: string | null;
  /** It is the FEC's header-less file. */
  readonly isItcont: boolean;
  /** Records so far with a quote where none belongs. */
  readonly oddQuotes: number;
  push(piece: Buffer): void;
  finish(): void;
}
