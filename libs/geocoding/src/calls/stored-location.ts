import { type Location } from '@donorlens/primitives';

/** What the geocoder said of an address, as it is stored. */
export interface StoredLocation extends Location {
  /** 16 bytes. */
  readonly key: Buffer;
  /** Of a match: false where the geocoder had to change something to find it; null otherwise. */
  readonly isExact: boolean | null;
}
