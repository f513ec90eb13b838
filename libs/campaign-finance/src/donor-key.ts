/** Version of the rule in `donorKeys`. Each version of the charts stores the rule version that counted its donors. */
export const DONOR_KEY_VERSION = 1;

/** Signed 64-bit numbers as decimal text, never 0 for a donor. */
export interface DonorKeys {
  /** key of surname, first given name and first five digits of the ZIP */
  readonly v1: string;
  /** key of surname, first initial and first five digits of the ZIP: donors with the same v1 have the same v2 */
  readonly v2: string;
}

const NO_DONOR: DonorKeys = { v1: '0', v2: '0' };
const END_OF_PART = 124;
const ZIP_DIGITS = 5;

const { imul } = Math;
/** State of the hash: two 32-bit words, valid within one call of `donorKeys`. */
const state = new Int32Array(2);
const HIGH = 0;
const LOW = 1;
const halves = new Int32Array(2);
const whole = new BigInt64Array(halves.buffer);

/**
 * Hashes name and ZIP to keys that all contributions of one person share. Only the letters A to Z of the names count,
 * regardless of case, and the first five digits of the ZIP. A shorter ZIP is used as it is.
 * @param given - the first given name; v2 uses only its first letter
 * @returns 0 for both keys if the surname has no letter: such a row has no donor
 */
export function donorKeys(surname: string, given: string, zip: string): DonorKeys {
  state[HIGH] = 0x243f6a88;
  state[LOW] = 0x85a308d3;
  if (!addLetters(surname, surname.length)) return NO_DONOR;
  const [high, low] = state;
  addLetters(given, given.length);
  const v1 = keyWithZip(zip);
  state[HIGH] = high;
  state[LOW] = low;
  addLetters(given, 1);
  return { v1, v2: keyWithZip(zip) };
}

/** Adds the letters and an end mark to the hash. @returns whether the text has a letter */
function addLetters(text: string, most: number): boolean {
  let letters = 0;
  for (let i = 0; i < text.length && letters < most; i++) {
    const letter = text.charCodeAt(i) & ~32;
    if (letter < 65 || letter > 90) continue;
    add(letter);
    letters++;
  }
  add(END_OF_PART);
  return letters > 0;
}

function keyWithZip(zip: string): string {
  let digits = 0;
  for (let i = 0; i < zip.length && digits < ZIP_DIGITS; i++) {
    const code = zip.charCodeAt(i);
    if (code < 48 || code > 57) continue;
    add(code);
    digits++;
  }
  halves[0] = mixed(state[LOW] ^ state[HIGH]);
  halves[1] = mixed(state[HIGH] + imul(halves[0], 0x9e3779b1));
  return halves[0] === 0 && halves[1] === 0 ? '1' : String(whole[0]);
}

/** Adds one character to the hash. Each new word depends on both old words, and different states stay different. */
function add(code: number): void {
  const turned = imul(state[HIGH] ^ code, 0x85ebca6b);
  const other = imul(state[LOW], 0xc2b2ae35);
  state[HIGH] = ((turned << 13) | (turned >>> 19)) + state[LOW];
  state[LOW] = ((other << 17) | (other >>> 15)) ^ state[HIGH];
}

/** Finalizer of MurmurHash3: every bit of the result depends on every bit of the number. */
function mixed(number: number): number {
  let bits = number;
  bits = imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
