import { HASH_SEED, hashByte, type PackedKeyIndex } from './key-index';
import { PARTICLES, SUFFIXES } from './surname-key';

/** Longer surnames, and those of more words, take the general road; the longest of the census files has 15 letters. */
const MOST_LETTERS = 64;
const MOST_PIECES = 16;
const BLANK = 32;
const HYPHEN = 45;

// Filled and read within one call; never handed out.
/** A to Z, one after the other. */
const letters = new Uint8Array(MOST_LETTERS);
/** Where each run of letters between blanks and hyphens begins. */
const starts = new Uint8Array(MOST_PIECES);
/** 1 where a hyphen is before the run. */
const hyphened = new Uint8Array(MOST_PIECES);

/** Five bits a letter of a word that has six at most. */
const packed = (word: string): number => [...word].reduce((code, letter) => code * 32 + letter.charCodeAt(0) - 64, 0);
const LONGEST_PACKED = 6;
const packedSuffixes = new Set([...SUFFIXES].map(packed));
const packedParticles = new Set([...PARTICLES].map(packed));

function isOneOf(words: ReadonlySet<number>, from: number, to: number): boolean {
  if (to - from > LONGEST_PACKED) return false;
  let code = 0;
  for (let i = from; i < to; i++) code = code * 32 + letters[i] - 64;
  return words.has(code);
}

function row(names: PackedKeyIndex, from: number, to: number): number {
  if (to - from < 2) return -1;
  let hash = HASH_SEED;
  for (let i = from; i < to; i++) hash = hashByte(hash, letters[i]);
  return names.findBytes(letters, from, to, hash);
}

/**
 * Looks a surname up under each spelling of `surnameKeys`, without making one, where the text is ASCII and its hyphens
 * stand between letters.
 * @returns the row, -1 when no spelling is in the file, undefined for any other text
 */
export function findSurname(names: PackedKeyIndex, raw: string): number | undefined {
  let count = 0;
  let length = 0;
  let isHyphened = false;
  let isIn = false;
  let last = BLANK;
  let hash = HASH_SEED;
  for (let i = 0; i < raw.length; i++) {
    const code = raw.charCodeAt(i);
    const letter = code & ~32;
    if (letter >= 65 && letter <= 90) {
      if (!isIn) {
        if (count === MOST_PIECES) return undefined;
        starts[count] = length;
        hyphened[count++] = last === HYPHEN ? 1 : 0;
        isIn = true;
      }
      if (length === MOST_LETTERS) return undefined;
      letters[length++] = letter;
      hash = hashByte(hash, letter);
    } else if (code === 39 || code === 46 || code === 96) {
      continue; // an apostrophe or a full stop is as if it were not there
    } else if (code > 127) {
      return undefined;
    } else if (code === HYPHEN) {
      if (!isIn) return undefined;
      isIn = false;
      isHyphened = true;
      last = HYPHEN;
    } else {
      if (!isIn && last === HYPHEN) return undefined;
      isIn = false;
      last = BLANK;
    }
  }
  if (!isIn && last === HYPHEN) return undefined;
  if (length < 2) return -1;
  if (count === 1) return names.findBytes(letters, 0, length, hash);
  return rowOfWords(names, count, length, isHyphened);
}

/** As `surnameKeys` orders them: joined, parts of a hyphened name or all words but one, single words. */
function rowOfWords(names: PackedKeyIndex, count: number, length: number, isHyphened: boolean): number {
  while (count > 1 && hyphened[count - 1] === 0 && isOneOf(packedSuffixes, starts[count - 1], length))
    length = starts[--count];
  let found = row(names, 0, length);
  if (isHyphened) {
    let from = 0;
    for (let k = 1; k < count && found < 0; k++)
      if (hyphened[k] === 1) {
        found = row(names, from, starts[k]);
        from = starts[k];
      }
    if (found < 0) found = row(names, from, length);
  } else if (count > 2) {
    if (found < 0) found = row(names, starts[1], length);
    if (found < 0) found = row(names, 0, starts[count - 1]);
  }
  for (let k = 0; k < count && found < 0; k++) {
    const to = k + 1 < count ? starts[k + 1] : length;
    if (!isOneOf(packedParticles, starts[k], to)) found = row(names, starts[k], to);
  }
  return found;
}
