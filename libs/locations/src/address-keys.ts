import { type Config, ConfigError } from '@donorlens/config';
import { type PostalAddress, addressText, foldedAddress, refusal } from './address';
import { folded } from './folded-text';
import { Hmac } from './hmac';

export const KEY_BYTES = 16;
const FINGERPRINT_BYTES = 8;

/** What an answer holds for, so every key is made of it: under other settings the geocoder would say something else. */
export interface KeySettings {
  readonly benchmark: string;
  readonly vintage: string;
}

export interface AddressKeyOptions extends KeySettings {
  readonly secret: string;
}

/**
 * Hashes addresses under the secret of this installation: HMAC-SHA-256, of which 16 bytes are kept. What a message is
 * for stands before it, with zero bytes between the parts, and no part has one: no two kinds of message can be equal.
 */
export class AddressKeys implements KeySettings {
  /** Tells two secrets apart and gives neither away; 16 hex digits. */
  readonly fingerprint: string;
  readonly benchmark: string;
  readonly vintage: string;
  private readonly hmac: Hmac;
  private readonly prefix: string;

  constructor({ secret, benchmark, vintage }: AddressKeyOptions) {
    this.benchmark = benchmark;
    this.vintage = vintage;
    this.hmac = new Hmac(secret);
    this.prefix = `address\0${benchmark}\0${vintage}\0`;
    this.fingerprint = this.hmac.digest('fingerprint\0').toString('hex', 0, FINGERPRINT_BYTES);
  }

  /** @throws ConfigError where ADDRESS_SECRET is not set */
  static of({ addressSecret, geocoder }: Pick<Config, 'addressSecret' | 'geocoder'>): AddressKeys {
    if (addressSecret === undefined)
      throw new ConfigError(['ADDRESS_SECRET is needed: the same text of 16 or more characters for every process']);
    return new AddressKeys({ secret: addressSecret, benchmark: geocoder.benchmark, vintage: geocoder.vintage });
  }

  /** 16 bytes; null where no geocoder is asked about the address. */
  keyOf(address: PostalAddress): Buffer | null {
    const parts = foldedAddress(address);
    return refusal(parts) === null ? this.hmac.digest(this.prefix + addressText(parts)).subarray(0, KEY_BYTES) : null;
  }

  /** 16 bytes: the same for every spelling of one matched address, whatever the benchmark and vintage. */
  addressIdOf(matchedAddress: string): Buffer {
    return this.hmac.digest(`matched\0${folded(matchedAddress)}`).subarray(0, KEY_BYTES);
  }
}
