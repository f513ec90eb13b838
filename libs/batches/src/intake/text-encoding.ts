import { isUtf8 } from 'node:buffer';
import { fromWindows1252 } from '@donorlens/primitives';

/**
 * A record as UTF-8: as it is where it is valid UTF-8, else taken for windows-1252 (which Latin-1 files in truth are).
 * Decided record by record, because exports are often glued together from both.
 */
export const asUtf8 = (record: Buffer): Buffer =>
  isUtf8(record) ? record : Buffer.from(fromWindows1252(record.toString('latin1')), 'utf8');
