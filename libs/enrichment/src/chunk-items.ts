import { type AddressKeys, type RequestedAddress } from '@donorlens/locations';
import { DomainError } from '@donorlens/primitives';
import { type ChunkSpec } from './chunk';
import {
  type EnrichmentRules,
  type EnrichmentTables,
  enrichContribution,
  enrichmentRules,
  EnrichedItem,
} from './enrich-contribution';
import { type ItemReader, itemReader } from './item-reader';
import { type Contribution, postalAddress } from './contribution';

/** The number of items in a chunk differs from the stated number. */
export class ChunkMismatchError extends DomainError {
  readonly code = 'chunk_mismatch';
}

/** Iterates over the items of a chunk. `item` and `reader` are reused for each item. */
export class ChunkItems {
  readonly item = new EnrichedItem();
  readonly reader: ItemReader;
  /** Null if addresses are not needed. */
  readonly addresses: AddressCollector | null;
  /** Address of the current item; null if it has none that can be geocoded. */
  address: RequestedAddress | null = null;
  private readonly rules: EnrichmentRules;
  private at: number;

  /** @param addressKeys - null if addresses are not needed; only contributions have them */
  constructor(
    private readonly spec: ChunkSpec,
    input: Buffer,
    private readonly tables: EnrichmentTables,
    addressKeys: AddressKeys | null = null,
  ) {
    this.reader = itemReader(spec, input);
    this.rules = enrichmentRules(spec.type, spec.minAge);
    this.addresses = addressKeys && spec.type === 'contributions' ? new AddressCollector(addressKeys) : null;
    this.at = spec.firstRow - 1;
  }

  /** Row number of the current item. */
  get row(): number {
    return this.at;
  }

  /**
   * Moves to the next item and finds its end, without reading it.
   * @returns false at the end of the chunk
   * @throws ChunkMismatchError
   */
  next(): boolean {
    const found = this.reader.next();
    if (found) this.at++;
    const rows = this.at - this.spec.firstRow + 1;
    if (found ? rows > this.spec.rows : rows < this.spec.rows)
      throw new ChunkMismatchError('the number of items in the chunk differs from the stated number', {
        firstRow: this.spec.firstRow,
        rows: this.spec.rows,
        found: rows, // so far
      });
    return found;
  }

  /** Reads and enriches the item. An item whose enrichment throws becomes `failed: internal`. */
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

  private addressOf(addresses: AddressCollector): RequestedAddress | null {
    const found = addresses.find(this.reader.contribution, this.at);
    if (found) this.item.setAddress(found, found.key);
    return found;
  }

  /** Marks the item as `failed: poison` without reading it. */
  refuseAsPoison(): void {
    this.address = null;
    this.item.refuse('poison', 'failed');
  }
}

/** Collects the addresses of the rows of a chunk. */
export class AddressCollector {
  /** Counted rows without an address that can be geocoded. */
  skippedRows = 0;
  private readonly byKey = new Map<string, RequestedAddress>();

  constructor(private readonly keys: AddressKeys) {}

  /**
   * Distinct addresses of the counted rows. Spellings with the same key are one address, written as in its first row.
   */
  get requested(): readonly RequestedAddress[] {
    return [...this.byKey.values()].filter(({ rows }) => rows > 0);
  }

  /**
   * Address of a row, the same object for all rows that have it; null if the row has none that can be geocoded.
   * @param row - row number
   */
  find(contribution: Contribution, row: number): RequestedAddress | null {
    const address = postalAddress(contribution);
    if (address === null) return null;
    const key = this.keys.keyOf(address);
    if (key === null) return null;
    const name = key.toString('latin1');
    let requested = this.byKey.get(name);
    if (requested === undefined) {
      const { street, city, state, zip } = address;
      requested = { street, city, state, zip, key, order: row, rows: 0, okRows: 0 };
      this.byKey.set(name, requested);
    }
    return requested;
  }

  /** Counts a row after its outcome is final. */
  count(address: RequestedAddress | null, isOk: boolean): void {
    if (address === null) this.skippedRows++;
    else {
      address.rows++;
      if (isOk) address.okRows++;
    }
  }
}

/**
 * Distinct addresses of items that were enriched before, by the same rules. Other fields are not used.
 * @param input - records as the intake wrote them, inflated
 */
export function storedAddresses(spec: ChunkSpec, input: Buffer, keys: AddressKeys): readonly RequestedAddress[] {
  const reader = itemReader(spec, input);
  const addresses = new AddressCollector(keys);
  for (let row = spec.firstRow; reader.next(); row++)
    if (reader.read() === null) addresses.count(addresses.find(reader.contribution, row), true);
  return addresses.requested;
}
