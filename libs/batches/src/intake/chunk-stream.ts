import { type BuiltChunk } from '../chunk.store';
import { ChunkBuilder } from './chunk-builder';
import { type InputReader } from './input-readers';
import { IntakeError } from './intake-error';
import { type ItemKeys } from './item-keys';
import { INTAKE_LIMITS } from './limits';

/** Chunks compressed at a time: one for each core of a small machine, and one that is written. */
const COMPRESSING = 3;

/** Chunks of an input of bytes, with backpressure from the consumer of the chunks. */
export async function* chunksOfBytes(
  bytes: AsyncIterable<Buffer>,
  reader: InputReader,
  builder: ChunkBuilder,
  checkRowLimit: () => void,
): AsyncGenerator<BuiltChunk, void> {
  for await (const piece of bytes) {
    reader.push(piece);
    checkRowLimit();
    yield* takeChunks(builder, COMPRESSING);
  }
  reader.finish();
  checkRowLimit();
  builder.finish();
  yield* takeChunks(builder, 0);
}

/** Chunks of records that have the format of a chunk. */
export async function* chunksOfRecords(
  records: AsyncIterable<Buffer>,
  builder: ChunkBuilder,
  checkRowLimit: () => void,
): AsyncGenerator<BuiltChunk, void> {
  for await (const record of records) {
    builder.add(record, 0, record.length);
    checkRowLimit();
    if (builder.waiting > COMPRESSING) yield* takeChunks(builder, COMPRESSING);
  }
  builder.finish();
  yield* takeChunks(builder, 0);
}

/** Chunks of parsed queries. */
export async function* chunksOfItems(
  items: readonly unknown[],
  builder: ChunkBuilder,
  update: (text: Buffer) => void,
): AsyncGenerator<BuiltChunk, void> {
  if (items.length === 0) throw new IntakeError('no_rows', 'there are no queries');
  for (const [index, item] of items.entries()) {
    const text = Buffer.from(jsonText(item));
    if (text.length > INTAKE_LIMITS.recordBytes)
      throw new IntakeError('record_too_long', `query ${index + 1} is longer than 8 MB`, { query: index + 1 });
    builder.add(text, 0, text.length);
    update(text);
    if (builder.waiting > COMPRESSING) yield* takeChunks(builder, COMPRESSING);
  }
  builder.finish();
  yield* takeChunks(builder, 0);
}

async function* takeChunks(builder: ChunkBuilder, leave: number): AsyncGenerator<BuiltChunk, void> {
  while (builder.waiting > leave) {
    const chunk = await builder.take();
    if (chunk) yield chunk;
  }
}

function jsonText(item: unknown): string {
  try {
    return JSON.stringify(item) ?? 'null';
  } catch {
    throw new IntakeError('bad_json', 'a query is nested too deeply');
  }
}

/** Reads chunks until they hold `headBytes`, which is all of most inputs. */
export async function headOf(
  chunks: AsyncGenerator<BuiltChunk, void>,
): Promise<{ head: BuiltChunk[]; whole: boolean }> {
  const head: BuiltChunk[] = [];
  for (let bytes = 0; bytes < INTAKE_LIMITS.headBytes;) {
    const next = await chunks.next();
    if (next.done) return { head, whole: true };
    head.push(next.value);
    bytes += next.value.input.length;
  }
  return { head, whole: false };
}

export async function* headThenRest(
  head: readonly BuiltChunk[],
  chunks: AsyncIterable<BuiltChunk>,
): AsyncGenerator<BuiltChunk, void> {
  yield* head;
  yield* chunks;
}

/** Bytes scanned at a time, so that little is read beyond the wanted records. */
const SLICE = 4096;

/** Collects the first records only, uncompressed. */
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
 * Reads until the records are full, or the bytes of a preview are used up.
 * @throws IntakeError if they contain no whole record
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
