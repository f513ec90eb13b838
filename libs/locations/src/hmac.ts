import { hash } from 'node:crypto';

const BLOCK_BYTES = 64;
const SHA256_BYTES = 32;

/**
 * HMAC-SHA-256 (RFC 2104) of one secret, many times over. Two one-shot hashes over blocks prepared with the secret take
 * half the time of createHmac, which makes an object with a native half for each message.
 */
export class Hmac {
  /** The secret's inner block and behind it the message; the outer block and behind it the inner hash. */
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
    const most = 3 * message.length; // bytes of UTF-8 for a unit of UTF-16, at most
    if (this.inner.length < BLOCK_BYTES + most) this.inner = grown(this.inner, most);
    const end = BLOCK_BYTES + this.inner.write(message, BLOCK_BYTES, 'utf8');
    // As text of one byte a character: that is faster than a Buffer of its own for each hash.
    this.outer.write(hash('sha256', this.inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1');
    return Buffer.from(hash('sha256', this.outer, 'binary'), 'latin1');
  }
}

function grown(inner: Buffer, messageBytes: number): Buffer {
  const larger = Buffer.alloc(BLOCK_BYTES + messageBytes);
  inner.copy(larger, 0, 0, BLOCK_BYTES);
  return larger;
}
