import { ChunkBuilder } from './chunk-builder';
import { type InputReader } from './input-reader';
import { IntakeError } from './intake-error';
import { type ItemKeys } from './item-keys';
import { INTAKE_LIMITS } from './limits';

/** Scanned at a time: little beyond the records that are wanted. */
const SLICE = 4096;

/** Takes the first records and no more; compresses nothing. */
export class FirstRecords extends ChunkBuilder {
  constructor(
    private readonly wanted: number,
    keys?: ItemKeys,
  ) {
    super(Infinity, keys);
  }

  get full(): boolean {
    return this.rows >= this.wanted;
  }

  override add(bytes: Buffer, start: number, end: number): void {
    if (!this.full) super.add(bytes, start, end);
  }

  override addRewritten(bytes: Buffer, start: number, end: number, delimiter: number, quoting: boolean): void {
    if (!this.full) super.addRewritten(bytes, start, end, delimiter, quoting);
  }
}

/**
 * Reads until the records are full, or the bytes that a preview may cost are used up.
 * @throws IntakeError where not even one record is in them
 */
export async function readFirst(
  bytes: AsyncIterable<Buffer>,
  reader: InputReader,
  records: FirstRecords,
): Promise<void> {
  let left: number = INTAKE_LIMITS.previewBytes;
  for await (const piece of bytes) {
    for (let at = 0; at < piece.length && left > 0 && !records.full; at += SLICE) {
      const slice = piece.subarray(at, at + Math.min(SLICE, left));
      reader.push(slice);
      left -= slice.length;
    }
    if (records.full) return;
    if (left <= 0) break;
  }
  if (left > 0) reader.finish();
  else if (records.rows === 0)
    throw new IntakeError('record_too_long', 'the first 256 kB, which a preview reads, hold no whole row');
}
