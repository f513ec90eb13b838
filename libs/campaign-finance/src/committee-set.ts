const C = 67;
const FIRST_LETTER = 1;
const DIGITS = 8;
export const COMMITTEE_ID_BYTES = FIRST_LETTER + DIGITS;

/**
 * The number of the committee id (`C00575795`) that stands at a place of a text, or -1 where none does.
 * Looks at nine bytes and makes no string.
 */
export function committeeNumberAt(bytes: Uint8Array, at: number, end: number): number {
  if (end - at < COMMITTEE_ID_BYTES || bytes[at] !== C) return -1;
  let number = 0;
  for (let i = at + FIRST_LETTER; i < at + COMMITTEE_ID_BYTES; i++) {
    const digit = bytes[i] - 48;
    if (digit < 0 || digit > 9) return -1;
    number = number * 10 + digit;
  }
  return number;
}

/** Committee ids as numbers, for look-ups in bytes. */
export const committeeNumbers = (ids: Iterable<string>): ReadonlySet<number> =>
  new Set([...ids].map((id) => committeeNumberAt(Buffer.from(id, 'latin1'), 0, id.length)).filter((n) => n >= 0));
