import { type ChunkBuilder, type BuiltChunk } from './chunk-builder';
import { IntakeError } from './intake-error';
import { type InputReader } from './input-reader';
import { INTAKE_LIMITS } from './limits';

/** Chunks compressed at a time: one for each core that small machines have, and one that is being written. */
const COMPRESSING = 3;

/** Chunks of an input that comes in bytes. Reading waits for whoever takes the chunks. */
export async function* chunksOfBytes(
  bytes: AsyncIterable<Buffer>,
  reader: InputReader,
  builder: ChunkBuilder,
  maxRows: () => void,
): AsyncGenerator<BuiltChunk, void> {
  for await (const piece of bytes) {
    reader.push(piece);
    maxRows();
    yield* taken(builder, COMPRESSING);
  }
  reader.finish();
  builder.finish();
  yield* taken(builder, 0);
}

/** Chunks of queries that are already parsed. */
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
    if (builder.waiting > COMPRESSING) yield* taken(builder, COMPRESSING);
  }
  builder.finish();
  yield* taken(builder, 0);
}

async function* taken(builder: ChunkBuilder, leave: number): AsyncGenerator<BuiltChunk, void> {
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

/** Reads chunks until they hold `headBytes`: what most inputs are in full. */
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
