import { isUtf8 } from 'node:buffer';
import { fromWindows1252 } from '@donorlens/primitives';

/**
 * A record as UTF-8: as it is where it is valid UTF-8, else taken for windows-1252 (which Latin-1 files in truth are).
 * Decided record by record, because exports are often glued together from both.
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
