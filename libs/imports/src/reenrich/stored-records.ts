import { type Pool } from 'pg';
import { copyOut } from '@donorlens/database';
import { FIELD_SEPARATOR } from '@donorlens/primitives';

/** Rows that are read at a time: some eight megabytes. */
const PAGE_ROWS = 40_000;
const LF = 10;
const BACKSLASH = 92;

/** One after another, each ended by LF. */
export interface RecordPage {
  readonly bytes: Buffer;
  /** Row of the last record; null where there are none. */
  readonly last: string | null;
}

/**
 * Stored rows of a cycle as import records, by their identity: row_id, file_cycle (empty: an electronic filing's row)
 * and the record.
 * @param after  the row before the first
 */
export async function recordsAfter(pool: Pool, cycle: number, after: string): Promise<RecordPage> {
  const client = await pool.connect();
  let fault: Error | undefined;
  try {
    const pieces: Buffer[] = [];
    const rows = copyOut(
      client,
      `copy (select row_id || e'\\x1c' || coalesce(file_cycle::text, '') || e'\\x1c' || record
             from contribution where cycle = ${Math.trunc(cycle)} and row_id > ${BigInt(after)}
             order by row_id limit ${PAGE_ROWS}) to stdout`,
    );
    for await (const piece of rows as AsyncIterable<Buffer>) pieces.push(piece);
    const bytes = unescaped(Buffer.concat(pieces));
    return { bytes, last: lastRow(bytes) };
  } catch (error) {
    fault = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(fault);
  }
}

/** COPY doubles a backslash; of what else it would escape, no record holds anything. In place. */
function unescaped(bytes: Buffer): Buffer {
  const first = bytes.indexOf(BACKSLASH);
  if (first < 0) return bytes;
  let to = first;
  for (let from = first; from < bytes.length; from++) {
    if (bytes[from] === BACKSLASH) from++;
    bytes[to++] = bytes[from];
  }
  return bytes.subarray(0, to);
}

function lastRow(bytes: Buffer): string | null {
  if (bytes.length === 0) return null;
  const start = bytes.lastIndexOf(LF, bytes.length - 2) + 1;
  return bytes.toString('latin1', start, bytes.indexOf(FIELD_SEPARATOR, start));
}
