import { HASH_SEED, type PackedKeyIndex, hashByte } from './key-index';

/** The publisher of the birth files truncates names to this length. */
const KEY_LETTERS = 15;

const PLAIN_WORD = /^[A-Za-z]+$/;

/**
 * Lookup key of a first name: Unicode-decomposed, only A-Z and a-z, in lower case, at most 15 letters.
 * Accents, case, blanks, hyphens, apostrophes and full stops do not matter; there is no other fuzzy matching.
 * @returns '' if the text has no Latin letter; such a name is unknown, which is not an error
 */
export function firstNameKey(raw: string): string {
  if (PLAIN_WORD.test(raw)) return raw.slice(0, KEY_LETTERS).toLowerCase();
  return baseLetters(raw)
    .replace(/[^A-Za-z]+/g, '')
    .slice(0, KEY_LETTERS)
    .toLowerCase();
}

/** Buffer that one call of `findFirstName` fills and reads; it is never returned. */
const folded = new Uint8Array(KEY_LETTERS);

/** Same as `names.find(firstNameKey(raw))`, but folds and hashes in one pass; ASCII text allocates nothing. */
export function findFirstName(names: PackedKeyIndex, raw: string): number {
  let length = 0;
  let hash = HASH_SEED;
  for (let i = 0; i < raw.length && length < KEY_LETTERS; i++) {
    const code = raw.charCodeAt(i);
    if (code > 127) return names.find(firstNameKey(raw));
    const letter = code | 32;
    if (letter < 97 || letter > 122 || code < 65) continue;
    folded[length++] = letter;
    hash = hashByte(hash, letter);
  }
  return length === 0 ? -1 : names.findBytes(folded, 0, length, hash);
}

/** Letters that Unicode does not decompose, with their spelling in the name files. */
const WRITTEN_OUT: Readonly<Record<string, string>> = {
  ß: 'ss',
  ẞ: 'SS',
  ø: 'o',
  Ø: 'O',
  ł: 'l',
  Ł: 'L',
  đ: 'd',
  Đ: 'D',
  æ: 'ae',
  Æ: 'AE',
};

/**
 * Base letters of a text, without accents and other marks; ASCII text is returned unchanged.
 * Marks are also removed before Unicode NFKD, because sorting a long run of marks takes quadratic time.
 */
export function baseLetters(text: string): string {
  if (isAscii(text)) return text;
  return text
    .replace(MARKS, '')
    .replace(/[ßẞøØłŁđĐæÆ]/g, (letter) => WRITTEN_OUT[letter])
    .normalize('NFKD')
    .replace(MARKS, '');
}

const MARKS = /\p{M}+/gu;

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
