import { createHash, hash, randomBytes, randomInt } from 'node:crypto';

/**
 * A key is dl_<id>_<secret>_<checksum>: an id of 8 characters for lookups and logs, a secret of 256 random bits
 * (43 characters of base 62), and a checksum of 6 characters that detects typing errors without SQL.
 */
const FORM = /^dl_([0-9A-Za-z]{8})_([0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);
const SECRET_BYTES = 32;
const SECRET_LENGTH = 43; // 62^43 > 2^256
const CHECKSUM_LENGTH = 6; // 62^6 > 2^32
const ID_LENGTH = 8;
const PREFIX_LENGTH = 'dl_'.length + ID_LENGTH;

export interface NewKey {
  readonly key: string;
  readonly prefix: string;
  readonly hash: Buffer;
}

export function newKey(): NewKey {
  const id = Array.from({ length: ID_LENGTH }, () => DIGITS[randomInt(DIGITS.length)]).join('');
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_LENGTH);
  const body = `dl_${id}_${secret}`;
  const key = `${body}_${checksum(body)}`;
  return { key, prefix: `dl_${id}`, hash: hashOf(key) };
}

/** The prefix of a well-formed key with a valid checksum, else null. */
export function prefixOf(presented: string): string | null {
  const match = FORM.exec(presented);
  if (!match) return null;
  const [, id, secret, check] = match;
  return checksum(`dl_${id}_${secret}`) === check ? `dl_${id}` : null;
}

/** The prefix of a well-formed key; the checksum is not verified, because a known key needs no such test. */
export const statedPrefix = (presented: string): string | null =>
  FORM.test(presented) ? presented.slice(0, PREFIX_LENGTH) : null;

/**
 * SHA-256 is sufficient at rest: the secret has 256 random bits, so that it cannot be guessed. It costs a microsecond.
 */
export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer');

const checksum = (body: string): string =>
  base62(BigInt(createHash('sha256').update(`checksum ${body}`).digest().readUInt32BE(0)), CHECKSUM_LENGTH);

/** Base-62 digits of a number, padded with zeros to a fixed length. */
export function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= BASE) text = DIGITS[Number(rest % BASE)] + text;
  return text;
}
