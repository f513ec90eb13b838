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

/** Base letters followed by their accents as marks of their own (Unicode NFKD). ASCII text comes back as it is. */
export const decomposed = (text: string): string =>
  text.replace(/[ßẞøØłŁđĐæÆ]/g, (letter) => WRITTEN_OUT[letter]).normalize('NFKD');

/** True when every character is ASCII: nothing to decompose. */
export function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
