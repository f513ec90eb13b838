import { baseLetters } from './latin-letters';

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

/** Upper-case A-Z, blanks and hyphens only: accents, full stops and apostrophes gone, everything else a blank. */
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
 * the single words that are no particle. Each has two letters or more; trailing suffixes (JR, III, MD ...) are dropped first.
 */
export function surnameKeys(raw: string): string[] {
  if (PLAIN_WORD.test(raw)) return [raw];
  const words = foldedSurname(raw)
    .split(' ')
    .filter((word) => word !== '');
  while (words.length > 1 && SUFFIXES.has(words[words.length - 1])) words.pop();
  const name = words.join(' ');
  return [blankless(name), ...partsOf(name, words)].filter((key) => key.length >= 2);
}

/** Already folded, and one word: its only spelling is itself. */
const PLAIN_WORD = /^[A-Z]{2,}$/;

function partsOf(name: string, words: readonly string[]): string[] {
  const single = name.split(/[ -]/).filter((word) => !PARTICLES.has(word));
  if (name.includes('-')) return name.split('-').map(blankless).concat(single);
  return words.length < 3 ? single : [words.slice(1).join(''), words.slice(0, -1).join(''), ...single];
}
