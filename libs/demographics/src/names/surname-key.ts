import { HASH_SEED, type PackedKeyIndex, hashByte } from './key-index';
import { baseLetters } from './first-name-key';

export const SUFFIXES: ReadonlySet<string> = new Set([
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

/**
 * Upper-case A-Z, blanks and hyphens only: accents, full stops and apostrophes removed, other characters replaced by
 * blanks.
 */
function foldedSurname(raw: string): string {
  return baseLetters(raw)
    .toUpperCase()
    .replace(/[.'’‘`]+/g, '')
    .replace(/[^A-Z-]+/g, ' ');
}

const blankless = (text: string): string => text.replace(/[ -]+/g, '');

/**
 * The spellings under which a surname is looked up, in the order in which the first that is in the file wins:
 * the whole joined; the parts of a hyphenated name; of three words and more all but the first, all but the last;
 * the single words that are no particle. Each has two letters or more; trailing suffixes (JR, III, MD ...) are dropped
 * first.
 */
export function surnameKeys(raw: string): string[] {
  if (PLAIN_WORD.test(raw)) return [raw];
  const words = wordsOf(raw);
  const name = words.join(' ');
  return [blankless(name), ...partsOf(name, words)].filter((key) => key.length >= 2);
}

/**
 * The spellings of a surname as filed: those of `surnameKeys`, but a particle is none by itself, and of a word
 * after particles only the joined form and the word: BEN-AVI is BENAVI or AVI.
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

/** Has a particle: such a surname is looked up as filed. */
const PARTICLE = new RegExp(`(?:^|[ -])(?:${[...FILED_PARTICLES].join('|')})(?:[ .-]|$)`, 'i');
export const hasParticle = (surname: string): boolean => PARTICLE.test(surname);

/** The words of a folded surname without its trailing suffixes; hyphens stay. */
function wordsOf(raw: string): string[] {
  const words = foldedSurname(raw)
    .split(' ')
    .filter((word) => word !== '');
  while (words.length > 1 && SUFFIXES.has(words[words.length - 1])) words.pop();
  return words;
}

/** Already folded, and one word: its only spelling is itself. */
const PLAIN_WORD = /^[A-Z]{2,}$/;

function partsOf(name: string, words: readonly string[]): string[] {
  const single = name.split(/[ -]/).filter((word) => !PARTICLES.has(word));
  if (name.includes('-')) return name.split('-').map(blankless).concat(single);
  return words.length < 3 ? single : [words.slice(1).join(''), words.slice(0, -1).join(''), ...single];
}

/** Longer surnames, and those of more words, take the general road; the longest of the census files has 15 letters. */
const MAX_LETTERS = 64;
const MAX_PIECES = 16;
const BLANK = 32;
const HYPHEN = 45;

// Filled and read within one call; never handed out.
/** A to Z, one after the other. */
const letters = new Uint8Array(MAX_LETTERS);
/** Start of each run of letters between blanks and hyphens. */
const starts = new Uint8Array(MAX_PIECES);
/** 1 if a hyphen is before the run. */
const hyphened = new Uint8Array(MAX_PIECES);

/** Five bits a letter of a word that has six at most. */
const packed = (word: string): number => [...word].reduce((code, letter) => code * 32 + letter.charCodeAt(0) - 64, 0);
const MAX_PACKED_LETTERS = 6;
const packedSuffixes = new Set([...SUFFIXES].map(packed));
const packedParticles = new Set([...PARTICLES].map(packed));

function isOneOf(words: ReadonlySet<number>, from: number, to: number): boolean {
  if (to - from > MAX_PACKED_LETTERS) return false;
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

/** Row of the first spelling that is in the file, -1 if none is. Plain ASCII allocates nothing. */
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
 * Looks up each spelling of `surnameKeys` without allocating strings, if the text is ASCII and its hyphens
 * are between letters.
 * @returns the row; -1 if the file lists no spelling; undefined for other texts
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
        if (count === MAX_PIECES) return undefined;
        starts[count] = length;
        hyphened[count++] = last === HYPHEN ? 1 : 0;
        isIn = true;
      }
      if (length === MAX_LETTERS) return undefined;
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
