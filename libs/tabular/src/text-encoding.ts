import { isUtf8 } from 'node:buffer';

/**
 * Characters of windows-1252 from 0x80 to 0x9F; Latin-1 has control characters there. (Node's decoder reads it as
 * Latin-1.)
 */
const FROM_0X80 =
  '\u20ac\x81\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\x8d\u017d\x8f' +
  '\x90\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\x9d\u017e\u0178';

/** The text of windows-1252 bytes that were read as Latin-1. */
export const fromWindows1252 = (latin1: string): string =>
  latin1.replace(/[\x80-\x9f]/g, (letter) => FROM_0X80[letter.charCodeAt(0) - 0x80]);

/**
 * A record as UTF-8: unchanged if it is valid UTF-8, else decoded as windows-1252, which most Latin-1 files are.
 * Decided record by record, because exports are often joined from both.
 */
export const asUtf8 = (record: Buffer): Buffer =>
  isUtf8(record) ? record : Buffer.from(fromWindows1252(record.toString('latin1')), 'utf8');

/** `mixed`: some lines are the one and some the other. */
export type TextEncoding = 'utf-8' | 'windows-1252' | 'mixed';

const LF = 10;

/** How the lines of a file are written, as they would be read. @param bytes its beginning, cut anywhere */
export function encodingOf(bytes: Buffer): TextEncoding {
  const end = bytes.lastIndexOf(LF);
  const lines = end < 0 ? bytes : bytes.subarray(0, end);
  if (isUtf8(lines)) return 'utf-8';
  let hasUtf8 = false;
  for (let from = 0; from < lines.length && !hasUtf8;) {
    const stop = lines.indexOf(LF, from);
    const line = lines.subarray(from, stop < 0 ? lines.length : stop);
    hasUtf8 = isUtf8(line) && line.some((byte) => byte >= 0x80);
    from += line.length + 1;
  }
  return hasUtf8 ? 'mixed' : 'windows-1252';
}
