import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { usageError } from '../exit-code';
import { type Home, readPrivate, writePrivate } from './home';

const SECRET_BYTES = 32;
const LEAST_LENGTH = 16; // as ADDRESS_SECRET asks for

/**
 * The address secret that this home keeps; null where it has none.
 * @throws CliError with exit code 2 where the file is there and cannot be used: a new one in its place would be wrong
 */
export function keptSecret(home: Home): string | null {
  const text = readPrivate(home.addressSecret);
  if (text === null && !existsSync(home.addressSecret)) return null;
  if (text === null || text.length < LEAST_LENGTH)
    throw usageError(
      `the address secret in ${home.addressSecret} cannot be used: put back the text that was in it, or set ADDRESS_SECRET to it`,
    );
  return text;
}

/** Makes a secret and keeps it in the home. */
export function newSecret(home: Home): string {
  const secret = randomBytes(SECRET_BYTES).toString('hex');
  writePrivate(home.addressSecret, secret);
  return secret;
}
