import { hash } from 'node:crypto';
import { type Config, ConfigError } from '@donorlens/config';
import { type PostalAddress, addressText, foldedAddress, unsendableReasonOfFolded } from './address';
import { folded } from './folded-text';

export const KEY_BYTES = 16;
const FINGERPRINT_BYTES = 8;

/** Benchmark and vintage of an answer. They are part of every key, because other ones give other answers. */
export interface KeySettings {
  readonly benchmark: string;
  readonly vintage: string;
}

export interface AddressKeyOptions extends KeySettings {
  readonly secret: string;
}

/**
 * Hashes addresses with the secret of this installation: HMAC-SHA-256, truncated to 16 bytes. Each message begins with
 * its purpose, and its parts are separated by zero bytes, which occur in none: two kinds of message cannot be equal.
 */
export class AddressKeys implements KeySettings {
  /** Identifies the secret without revealing it; 16 hex digits. */
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

  /** @throws ConfigError if ADDRESS_SECRET is not set */
  static fromConfig({ addressSecret, geocoder }: Pick<Config, 'addressSecret' | 'geocoder'>): AddressKeys {
    if (addressSecret === undefined)
      throw new ConfigError(['ADDRESS_SECRET is needed: the same text of 16 or more characters for every process']);
    return new AddressKeys({ secret: addressSecret, benchmark: geocoder.benchmark, vintage: geocoder.vintage });
  }

  /** 16 bytes; null if the address is not geocoded. */
  keyOf(address: PostalAddress): Buffer | null {
    const parts = foldedAddress(address);
    return unsendableReasonOfFolded(parts) === null
      ? this.hmac.digest(this.prefix + addressText(parts)).subarray(0, KEY_BYTES)
      : null;
  }

  /** 16 bytes: the same for every spelling of one matched address, whatever the benchmark and vintage. */
  addressIdOf(matchedAddress: string): Buffer {
    return this.hmac.digest(`matched\0${folded(matchedAddress)}`).subarray(0, KEY_BYTES);
  }

  /**
   * 16 bytes: the same for all contributions under one donor key, in every cycle. It cannot be computed without the
   * secret.
   */
  donorIdOf(donorKey: string): Buffer {
    return this.hmac.digest(`donor\0${donorKey}`).subarray(0, KEY_BYTES);
  }
}

const BLOCK_BYTES = 64;
const SHA256_BYTES = 32;

/**
 * HMAC-SHA-256 (RFC 2104) with one secret for many messages. Two one-shot hashes over prepared blocks take half the time
 * of createHmac, which creates a native object for each message.
 */
export class Hmac {
  /** The secret's inner block followed by the message; the outer block followed by the inner hash. */
  private inner: Buffer;
  private readonly outer = Buffer.alloc(BLOCK_BYTES + SHA256_BYTES, 0x5c);

  constructor(secret: string) {
    const bytes = Buffer.from(secret, 'utf8');
    const block = bytes.length > BLOCK_BYTES ? hash('sha256', bytes, 'buffer') : bytes;
    this.inner = Buffer.alloc(BLOCK_BYTES + 512, 0x36);
    block.forEach((byte, i) => {
      this.inner[i] ^= byte;
      this.outer[i] ^= byte;
    });
  }

  /** All 32 bytes. */
  digest(message: string): Buffer {
    const maxBytes = 3 * message.length; // UTF-8 bytes per UTF-16 unit
    if (this.inner.length < BLOCK_BYTES + maxBytes) this.inner = grown(this.inner, maxBytes);
    const end = BLOCK_BYTES + this.inner.write(message, BLOCK_BYTES, 'utf8');
    // A latin1 string is faster than a Buffer for each hash.
    this.outer.write(hash('sha256', this.inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1');
    return Buffer.from(hash('sha256', this.outer, 'binary'), 'latin1');
  }
}

function grown(inner: Buffer, messageBytes: number): Buffer {
  const larger = Buffer.alloc(BLOCK_BYTES + messageBytes);
  inner.copy(larger, 0, 0, BLOCK_BYTES);
  return larger;
}
