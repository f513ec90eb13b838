import { isUtf8 } from 'node:buffer';
import { fromWindows1252 } from '@donorlens/primitives';

/**
 * A line as UTF-8: as it is where it is valid UTF-8, else taken for windows-1252 (which Latin-1 files in truth are).
 * Decided line by line, because filings and bulk files hold both.
 */
export const asUtf8 = (line: Buffer): Buffer =>
  isUtf8(line) ? line : Buffer.from(fromWindows1252(line.toString('latin1')), 'utf8');
