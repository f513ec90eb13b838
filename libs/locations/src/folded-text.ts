/** Capital letters, digits and #, in words with one blank between them: most of what the FEC publishes. */
const FOLDED = /^[A-Z0-9#]+(?: [A-Z0-9#]+)*$/;
/** Removed inside a word: O'NEIL, N.W., ST. Between digits they separate numbers: 12.5 becomes 12 5. */
const INNER = /(?<!\d)['.’`]|['.’`](?!\d)/g;
const NUMBER_SIGN = /#/g;
const BETWEEN_WORDS = /[^A-Z0-9#]+/g;
const BETWEEN_WORDS_ANYWHERE = /[^\p{L}\p{N}#]+/gu;
const MARKS = /\p{M}+/gu;
const NOT_ASCII = /[^\x00-\x7f]/;
/** Letters that Unicode does not decompose. */
const WRITTEN_OUT: Readonly<Record<string, string>> = { Ø: 'O', Ł: 'L', Đ: 'D', Æ: 'AE', Œ: 'OE' };

/**
 * Text in capital letters without accents and punctuation, one blank between words; # is a word of its own.
 * Letters and digits beyond ASCII stay, so that texts which differ only in them stay different. Idempotent.
 */
export function folded(text: string): string {
  const upper = text.toUpperCase();
  if (FOLDED.test(upper) && !upper.includes('#')) return upper;
  const isAscii = !NOT_ASCII.test(upper);
  return (isAscii ? upper : baseLetters(upper))
    .replace(INNER, '')
    .replace(NUMBER_SIGN, ' # ')
    .replace(isAscii ? BETWEEN_WORDS : BETWEEN_WORDS_ANYWHERE, ' ')
    .trim();
}

/** Marks are also removed before normalization, because sorting a long run of them takes quadratic time. */
const baseLetters = (upper: string): string =>
  upper
    .replace(MARKS, '')
    .normalize('NFD')
    .replace(MARKS, '')
    .replace(/[ØŁĐÆŒ]/g, (letter) => WRITTEN_OUT[letter]);
