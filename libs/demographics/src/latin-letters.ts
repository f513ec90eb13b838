/** Letters that Unicode does not decompose, written out as the name files write them. */
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
 * The base letters of a text, without accents and other marks; ASCII text comes back as it is.
 * Marks are dropped before Unicode NFKD too: sorting a long run of them takes the square of its length.
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
