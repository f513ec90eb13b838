import { type AddressKeys, type AskedAddress } from '@donorlens/locations';
import { type ChunkSpec } from './chunk';
import { type Contribution } from './contribution';
import { itemReader } from './item-reader';
import { postalAddress } from './postal-address';

/** Gathers the addresses of a chunk's rows. */
export class ChunkAddresses {
  /** Rows that were counted and have no address that can be located. */
  skippedRows = 0;
  private readonly byKey = new Map<string, AskedAddress>();

  constructor(private readonly keys: AddressKeys) {}

  /** Distinct addresses of the rows counted so far; several spellings are one, that of its first row. */
  get asked(): readonly AskedAddress[] {
    return [...this.byKey.values()].filter(({ rows }) => rows > 0);
  }

  /**
   * Address of a row, one object for all that have it; null where it has none that can be located.
   * @param row number of the row
   */
  find(contribution: Contribution, row: number): AskedAddress | null {
    const address = postalAddress(contribution);
    if (address === null) return null;
    const key = this.keys.keyOf(address);
    if (key === null) return null;
    const name = key.toString('latin1');
    let asked = this.byKey.get(name);
    if (asked === undefined) {
      const { street, city, state, zip } = address;
      asked = { street, city, state, zip, key, order: row, rows: 0, okRows: 0 };
      this.byKey.set(name, asked);
    }
    return asked;
  }

  /** Counts a row, once it is certain what becomes of it. */
  count(address: AskedAddress | null, isOk: boolean): void {
    if (address === null) this.skippedRows++;
    else {
      address.rows++;
      if (isOk) address.okRows++;
    }
  }
}

/**
 * Distinct addresses of items that were enriched before, read again as they were read then; nothing else of them is
 * looked at.
 * @param input records as the intake wrote them, inflated
 */
export function storedAddresses(spec: ChunkSpec, input: Buffer, keys: AddressKeys): readonly AskedAddress[] {
  const reader = itemReader(spec, input);
  const addresses = new ChunkAddresses(keys);
  for (let row = spec.firstRow; reader.next(); row++)
    if (reader.read() === null) addresses.count(addresses.find(reader.contribution, row), true);
  return addresses.asked;
}
