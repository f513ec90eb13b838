/** Version of the rule of `donorKeys`; each version of the charts records which one its donors were counted by. */
export const DONOR_KEY_VERSION = 1;

/** Signed 64-bit numbers as decimal text, never 0 for a donor. */
export interface DonorKeys {
  /** Hash of surname, first given word and first five digits of the ZIP. */
  readonly v1: string;
  /** Hash of surname, first initial and first five digits of the ZIP: equal if v1 is equal. */
  readonly v2: string;
}

const NO_DONOR: DonorKeys = { v1: '0', v2: '0' };
const END_OF_PART = 124;
const ZIP_DIGITS = 5;

const { imul } = Math;
/** The state of the hash, two lanes of 32 bits; used within one call. */
const state = new Int32Array(2);
const HIGH = 0;
const LOW = 1;
const halves = new Int32Array(2);
const whole = new BigInt64Array(halves.buffer);

/**
 * Keys that are equal for contributions of one person. Only letters A to Z of the names count, in either case, and the
 * first five digits of the ZIP; a shorter ZIP is used unchanged.
 * @param given - the first given word; v2 uses its first letter
 * @returns 0 if the surname has no letter: then the row has no donor
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

/** Takes the letters in, and the end of the part. @returns whether there was one */
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

/** Takes one letter in: each lane is turned into a new one that depends on both, and no two states become one. */
function add(code: number): void {
  const turned = imul(state[HIGH] ^ code, 0x85ebca6b);
  const other = imul(state[LOW], 0xc2b2ae35);
  state[HIGH] = ((turned << 13) | (turned >>> 19)) + state[LOW];
  state[LOW] = ((other << 17) | (other >>> 15)) ^ state[HIGH];
}

/** Every bit of the result depends on every bit of the number (the last step of MurmurHash3). */
function mixed(number: number): number {
  let bits = number;
  bits = imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}
