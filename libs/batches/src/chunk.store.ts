import { type PoolClient } from 'pg';
import { copyIn } from '@donorlens/database';
import { type BuiltChunk } from './intake/chunk-builder';

/** Writes chunks of a batch in the client's transaction, also while they are still being received. */
export const copyChunks = (
  client: PoolClient,
  batchId: string,
  chunks: AsyncIterable<BuiltChunk> | Iterable<BuiltChunk>,
): Promise<number> =>
  copyIn(client, 'copy chunk (batch_id, seq, first_row, rows, input) from stdin', linesOf(batchId, chunks));

async function* linesOf(
  batchId: string,
  chunks: AsyncIterable<BuiltChunk> | Iterable<BuiltChunk>,
): AsyncGenerator<string> {
  for await (const { seq, firstRow, rows, input } of chunks)
    yield `${batchId}\t${seq}\t${firstRow}\t${rows}\t\\\\x${input.toString('hex')}\n`;
}
