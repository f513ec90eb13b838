import { type AddressKeys, type AskedAddress } from '@donorlens/locations';
import { DomainError } from '@donorlens/primitives';
import { ChunkAddresses } from './chunk-addresses';
import { type ChunkSpec } from './chunk';
import {
  type EnrichmentRules,
  type EnrichmentTables,
  enrichContribution,
  enrichmentRules,
} from './enrich-contribution';
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
  /** Null where addresses are not asked for. */
  readonly addresses: ChunkAddresses | null;
  /** The item's own; null where it has none, or none that can be located. */
  address: AskedAddress | null = null;
  private readonly rules: EnrichmentRules;
  private at: number;

  /** @param addressKeys null where addresses are not asked for; of another type than contributions they never are */
  constructor(
    private readonly spec: ChunkSpec,
    input: Buffer,
    private readonly tables: EnrichmentTables,
    addressKeys: AddressKeys | null = null,
  ) {
    this.reader = itemReader(spec, input);
    this.rules = enrichmentRules(spec.type, spec.minAge);
    this.addresses = addressKeys && spec.type === 'contributions' ? new ChunkAddresses(addressKeys) : null;
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
    this.address = null;
    try {
      const fault = this.reader.read();
      if (fault !== null) return this.item.refuse(fault);
      enrichContribution(this.reader.contribution, this.tables, this.rules, this.item);
      if (this.addresses && this.item.errorCode === null) this.address = this.addressOf(this.addresses);
    } catch {
      this.item.refuse('internal', 'failed');
    }
  }

  private addressOf(addresses: ChunkAddresses): AskedAddress | null {
    const found = addresses.find(this.reader.contribution, this.at);
    this.item.address = found;
    this.item.addressKey = found && found.key;
    return found;
  }

  /** Without reading the item. */
  refuseAsPoison(): void {
    this.address = null;
    this.item.refuse('poison', 'failed');
  }
}
