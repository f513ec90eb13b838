import { HASH_SEED, type PackedKeyIndex, hashByte } from './key-index';
import { baseLetters } from './first-name-key';

export const SURNAME_SUFFIXES: ReadonlySet<string> = new Set([
  'JR',
  'SR',
  'II',
  'III',
  'IV',
  'V',
  'ESQ',
  'MD',
  'PHD',
  'JUNIOR',
  'SENIOR',
]);
export const PARTICLES: ReadonlySet<string> = new Set(
  (
    'VAN VON DER DEN DE DEL LA LE LOS LAS SAN SANTA ST TEN TER BIN IBN ABU AL EL MAC MC ' +
    'DI DA DOS DAS DU D O ZU AND Y E'
  ).split(' '),
);

/** Folds to A-Z, blanks and hyphens: removes accents, full stops and apostrophes, and replaces the rest by blanks. */
function foldedSurname(raw: string): string {
  return baseLetters(raw)
    .toUpperCase()
    .replace(/[.'’‘`]+/g, '')
    .replace(/[^A-Z-]+/g, ' ');
}

const blankless = (text: string): string => text.replace(/[ -]+/g, '');

/**
 * Spellings of a surname in lookup order; the first one in the file is used. The order is: all words joined; the parts
 * of a hyphenated name, or, for three or more words, all but the first, then all but the last; single words other than
 * particles. Each spelling has at least two letters. Trailing suffixes (JR, III, MD ...) are removed first.
 */
export function surnameKeys(raw: string): string[] {
  if (PLAIN_WORD.test(raw)) return [raw];
  const words = wordsOf(raw);
  const name = words.join(' ');
  return [blankless(name), ...alternativeSpellings(name, words)].filter((key) => key.length >= 2);
}

/**
 * Spellings of a surname as filed, in lookup order: those of `surnameKeys` except single particles. If only particles
 * precede one last word, the spellings are all words joined and that word: BEN-AVI is BENAVI or AVI.
 */
export function filedSurnameKeys(raw: string): string[] {
  if (PLAIN_WORD.test(raw)) return [raw];
  const pieces = wordsOf(raw).flatMap((word) => word.split('-').filter((piece) => piece !== ''));
  const names = pieces.filter((piece) => !FILED_PARTICLES.has(piece));
  const isBehindParticles = names.length === 0 || (names.length === 1 && names[0] === pieces.at(-1));
  const keys = isBehindParticles ? [pieces.join(''), ...names] : surnameKeys(raw);
  return keys.filter((key, at) => key.length >= 2 && (at === 0 || !FILED_PARTICLES.has(key)));
}

const FILED_PARTICLES: ReadonlySet<string> = new Set([...PARTICLES, 'BEN', 'DEM']);

/** Matches a surname with a particle. `Demographics.filedSurname` resolves such a surname with `filedSurnameKeys`. */
const PARTICLE = new RegExp(`(?:^|[ -])(?:${[...FILED_PARTICLES].join('|')})(?:[ .-]|$)`, 'i');
export const hasParticle = (surname: string): boolean => PARTICLE.test(surname);

/** Words of the folded surname without trailing suffixes; hyphens are kept. */
function wordsOf(raw: string): string[] {
  const words = foldedSurname(raw)
    .split(' ')
    .filter((word) => word !== '');
  while (words.length > 1 && SURNAME_SUFFIXES.has(words[words.length - 1])) words.pop();
  return words;
}

/** A single folded word, which is its only spelling. */
const PLAIN_WORD = /^[A-Z]{2,}$/;

function alternativeSpellings(name: string, words: readonly string[]): string[] {
  const single = name.split(/[ -]/).filter((word) => !PARTICLES.has(word));
  if (name.includes('-')) return name.split('-').map(blankless).concat(single);
  return words.length < 3 ? single : [words.slice(1).join(''), words.slice(0, -1).join(''), ...single];
}

/** Surnames with more letters or words use the slower `surnameKeys`; the longest in the Census files has 15 letters. */
const MAX_LETTERS = 64;
const MAX_PIECES = 16;
const BLANK = 32;
const HYPHEN = 45;

// Buffers that one call fills and reads; they are never returned.
/** Letters A to Z of the surname, as character codes. */
const letters = new Uint8Array(MAX_LETTERS);
/** Start in `letters` of each run of letters between blanks and hyphens. */
const starts = new Uint8Array(MAX_PIECES);
/** 1 if a hyphen precedes the run. */
const hyphened = new Uint8Array(MAX_PIECES);

/** Packs a word of at most six letters into a number, five bits per letter. */
const packed = (word: string): number => [...word].reduce((code, letter) => code * 32 + letter.charCodeAt(0) - 64, 0);
const MAX_PACKED_LETTERS = 6;
const packedSuffixes = new Set([...SURNAME_SUFFIXES].map(packed));
const packedParticles = new Set([...PARTICLES].map(packed));

function isOneOf(words: ReadonlySet<number>, from: number, to: number): boolean {
  if (to - from > MAX_PACKED_LETTERS) return false;
  let code = 0;
  for (let i = from; i < to; i++) code = code * 32 + letters[i] - 64;
  return words.has(code);
}

function findRow(names: PackedKeyIndex, from: number, to: number): number {
  if (to - from < 2) return -1;
  let hash = HASH_SEED;
  for (let i = from; i < to; i++) hash = hashByte(hash, letters[i]);
  return names.findBytes(letters, from, to, hash);
}

/** Row of the first spelling in the file, -1 if the file contains none. Plain ASCII allocates nothing. */
export function surnameRow(names: PackedKeyIndex, surname: string): number {
  const found = findSurname(names, surname);
  if (found !== undefined) return found;
  for (const key of surnameKeys(surname)) {
    const index = names.find(key);
    if (index >= 0) return index;
  }
  return -1;
}

/**
 * Looks up each spelling of `surnameKeys` without building strings, for ASCII text whose hyphens stand between letters
 * and that has at most MAX_LETTERS letters and MAX_PIECES runs.
 * @returns the row, -1 if the file contains no spelling, undefined for any other text
 */
export function findSurname(names: PackedKeyIndex, raw: string): number | undefined {
  let count = 0;
  let length = 0;
  let isHyphened = false;
  let isInWord = false;
  let last = BLANK;
  let hash = HASH_SEED;
  for (let i = 0; i < raw.length; i++) {
    const code = raw.charCodeAt(i);
    const letter = code & ~32;
    if (letter >= 65 && letter <= 90) {
      if (!isInWord) {
        if (count === MAX_PIECES) return undefined;
        starts[count] = length;
        hyphened[count++] = last === HYPHEN ? 1 : 0;
        isInWord = true;
      }
      if (length === MAX_LETTERS) return undefined;
      letters[length++] = letter;
      hash = hashByte(hash, letter);
    } else if (code === 39 || code === 46 || code === 96) {
      continue; // apostrophes, full stops and backticks are ignored
    } else if (code > 127) {
      return undefined;
    } else if (code === HYPHEN) {
      if (!isInWord) return undefined;
      isInWord = false;
      isHyphened = true;
      last = HYPHEN;
    } else {
      if (!isInWord && last === HYPHEN) return undefined;
      isInWord = false;
      last = BLANK;
    }
  }
  if (!isInWord && last === HYPHEN) return undefined;
  if (length < 2) return -1;
  if (count === 1) return names.findBytes(letters, 0, length, hash);
  return rowOfWords(names, count, length, isHyphened);
}

/** Same order as `surnameKeys`: joined words, parts of a hyphenated name or all words but one, single words. */
function rowOfWords(names: PackedKeyIndex, count: number, length: number, isHyphened: boolean): number {
  while (count > 1 && hyphened[count - 1] === 0 && isOneOf(packedSuffixes, starts[count - 1], length))
    length = starts[--count];
  let found = findRow(names, 0, length);
  if (isHyphened) {
    let from = 0;
    for (let k = 1; k < count && found < 0; k++)
      if (hyphened[k] === 1) {
        found = findRow(names, from, starts[k]);
        from = starts[k];
      }
    if (found < 0) found = findRow(names, from, length);
  } else if (count > 2) {
    if (found < 0) found = findRow(names, starts[1], length);
    if (found < 0) found = findRow(names, 0, starts[count - 1]);
  }
  for (let k = 0; k < count && found < 0; k++) {
    const to = k + 1 < count ? starts[k + 1] : length;
    if (!isOneOf(packedParticles, starts[k], to)) found = findRow(names, starts[k], to);
  }
  return found;
}
