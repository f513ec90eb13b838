import { decomposed, isAscii } from './latin-letters';

const SUFFIXES = new Set(['JR', 'SR', 'II', 'III', 'IV', 'V', 'ESQ', 'MD', 'PHD', 'JUNIOR', 'SENIOR']);
const PARTICLES = new Set(
  (
    'VAN VON DER DEN DE DEL LA LE LOS LAS SAN SANTA ST TEN TER BIN IBN ABU AL EL MAC MC ' +
    'DI DA DOS DAS DU D O ZU AND Y E'
  ).split(' '),
);

/** Upper-case A-Z, blanks and hyphens only: accents, full stops and apostrophes gone, everything else a blank. */
function foldedSurname(raw: string): string {
  const letters = isAscii(raw) ? raw : decomposed(raw).replace(/\p{M}+/gu, '');
  return letters
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
  const words = foldedSurname(raw)
    .split(' ')
    .filter((word) => word !== '');
  while (words.length > 1 && SUFFIXES.has(words[words.length - 1])) words.pop();
  const name = words.join(' ');
  const keys = [blankless(name)];
  if (name.includes('-')) keys.push(...name.split('-').map(blankless));
  else if (words.length >= 3) keys.push(words.slice(1).join(''), words.slice(0, -1).join(''));
  keys.push(...name.split(/[ -]/).filter((word) => !PARTICLES.has(word)));
  return keys.filter((key) => key.length >= 2);
}
