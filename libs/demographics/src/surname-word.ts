import { HASH_SEED, hashByte, type PackedKeyIndex } from './key-index';

/** Longer words take the general road; the longest surname of the census files has 15 letters. */
const LONGEST_WORD = 32;
/** Filled and read within one call; never handed out. */
const folded = new Uint8Array(LONGEST_WORD);
const BLANK = 32;

/**
 * Looks up a surname that is one word of ASCII letters, blanks around it allowed: its only spelling is itself.
 * @returns the row, -1 when it is not in the file, undefined when the text is anything else than one plain word
 */
export function findSurnameWord(names: PackedKeyIndex, raw: string): number | undefined {
  let start = 0;
  let end = raw.length;
  while (start < end && raw.charCodeAt(start) === BLANK) start++;
  while (end > start && raw.charCodeAt(end - 1) === BLANK) end--;
  if (end - start < 2 || end - start > LONGEST_WORD) return undefined;
  let hash = HASH_SEED;
  for (let i = start; i < end; i++) {
    const letter = raw.charCodeAt(i) & ~32;
    if (letter < 65 || letter > 90) return undefined;
    folded[i - start] = letter;
    hash = hashByte(hash, letter);
  }
  return names.findBytes(folded, end - start, hash);
}
