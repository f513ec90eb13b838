import { DomainError } from '@donorlens/primitives';
import { type ChunkSpec } from './chunk-spec';
import { enrichContribution, type EnrichmentTables } from './enrich-contribution';
import { EnrichedItem } from './enriched-item';
import { type ItemReader, itemReader } from './item-reader';

/** A chunk does not hold as many items as it says. */
export class ChunkMismatchError extends DomainError {
  readonly code = 'chunk_mismatch';
}

/** Goes once through the items of a chunk. Both objects that it shows are used again for the next item. */
export class ChunkItems {
  readonly item = new EnrichedItem();
  readonly reader: ItemReader;
  private at: number;

  constructor(
    private readonly spec: ChunkSpec,
    input: Buffer,
    private readonly tables: EnrichmentTables,
  ) {
    this.reader = itemReader(spec, input);
    this.at = spec.firstRow - 1;
  }

  /** Number of the item that `next` went to. */
  get row(): number {
    return this.at;
  }

  /**
   * Goes to the next item, and reads nothing of it but where it ends.
   * @returns false at the end
   * @throws  ChunkMismatchError
   */
  next(): boolean {
    const found = this.reader.next();
    if (found) this.at++;
    const rows = this.at - this.spec.firstRow + 1;
    if (found ? rows > this.spec.rows : rows < this.spec.rows)
      throw new ChunkMismatchError('a chunk holds another number of items than it says', {
        firstRow: this.spec.firstRow,
        rows: this.spec.rows,
        found: rows, // so far
      });
    return found;
  }

  /** Reads and enriches the item. One that throws becomes `failed: internal`. */
  enrich(): void {
    try {
      const fault = this.reader.read();
      if (fault === null) enrichContribution(this.reader.contribution, this.tables, this.spec, this.item);
      else this.item.refuse(fault);
    } catch {
      this.item.refuse('internal', 'failed');
    }
  }

  /** Without reading the item. */
  refuseAsPoison(): void {
    this.item.refuse('poison', 'failed');
  }
}
