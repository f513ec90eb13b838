import { type AddressKeys, type AskedAddress } from '@donorlens/locations';
import { type Contribution } from '../contribution';
import { postalAddress } from './postal-address';

/** Between the parts of an address as it was written. */
const SEPARATOR = '\n';

/**
 * Gathers the addresses of a chunk's rows. Donors give often: an address that was written the same way before in the
 * chunk costs a look-up instead of a hash.
 */
export class ChunkAddresses {
  /** Rows that were counted and have no address that can be located. */
  skippedRows = 0;
  private readonly byText = new Map<string, AskedAddress | null>();
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
    const { street, street2, city, state, zip } = contribution;
    if (isBlank(street) && isBlank(street2)) return null;
    const text = [street, street2, city, state, zip].join(SEPARATOR);
    let found = this.byText.get(text);
    if (found === undefined) {
      found = this.keyed(contribution, row);
      this.byText.set(text, found);
    }
    return found;
  }

  /** Counts a row, once it is certain what becomes of it. */
  count(address: AskedAddress | null, isOk: boolean): void {
    if (address === null) this.skippedRows++;
    else {
      address.rows++;
      if (isOk) address.okRows++;
    }
  }

  private keyed(contribution: Contribution, row: number): AskedAddress | null {
    const address = postalAddress(contribution);
    const key = address && this.keys.keyOf(address);
    if (!key) return null;
    const name = key.toString('latin1');
    let asked = this.byKey.get(name);
    if (asked === undefined) {
      asked = { ...address, key, order: row, rows: 0, okRows: 0 };
      this.byKey.set(name, asked);
    }
    return asked;
  }
}

const isBlank = (text: string | undefined): boolean => text === undefined || text === '';
