/** What windows-1252 has at 0x80 to 0x9F, where Latin-1 has control characters. (Node's own decoder takes it for Latin-1.) */
const FROM_0X80 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/** The text of windows-1252 bytes that were read as Latin-1. */
export const fromWindows1252 = (latin1: string): string =>
  latin1.replace(/[\x80-\x9f]/g, (letter) => FROM_0X80[letter.charCodeAt(0) - 0x80]);
