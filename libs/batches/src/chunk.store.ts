import { promisify } from 'node:util';
import { type InputType, type ZlibOptions, constants, deflateRaw, inflateRaw } from 'node:zlib';
import { type PoolClient } from 'pg';
import { copyIn } from '@donorlens/database';

/** A chunk that is ready to be stored. */
export interface BuiltChunk {
  readonly seq: number;
  readonly firstRow: number;
  readonly rows: number;
  /** Records, deflated. */
  readonly input: Buffer;
}

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

const deflate = promisify<InputType, ZlibOptions, Buffer>(deflateRaw);
const inflate = promisify<InputType, ZlibOptions, Buffer>(inflateRaw);

/** Output buffers: each one more costs a switch to a thread and back, and a chunk of 1,000 usual records fits in one. */
const DEFLATED_AT_A_TIME = 64 * 1024;
const INFLATED_AT_A_TIME = 256 * 1024;
/** Far above the chunks of the intake. */
const MAX_CHUNK_BYTES = 64 * 1024 ** 2;

/**
 * Compresses the records of a chunk: names and addresses are stored only in this form, until the chunk is done.
 * The fastest level: four to six times smaller, at a tenth of the cost of enriching. Runs in a thread of Node's pool.
 */
export const deflated = (records: Buffer): Promise<Buffer> =>
  deflate(records, { level: constants.Z_BEST_SPEED, chunkSize: DEFLATED_AT_A_TIME });

/** @throws if the bytes were not made by `deflated` */
export const inflated = (input: Buffer): Promise<Buffer> =>
  inflate(input, { chunkSize: INFLATED_AT_A_TIME, maxOutputLength: MAX_CHUNK_BYTES });
