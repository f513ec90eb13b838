import { parentPort } from 'node:worker_threads';
import { type BuiltChunk, ChunkBuilder, ItemKeys, chunksOfBytes, readerOf } from '@donorlens/batches';
import { type FieldMapping } from '@donorlens/primitives';
import { piecesOf } from './sql-method';

/** A chunk from the reader; null after the last one. */
export type ReadChunk =
  | (Pick<BuiltChunk, 'firstRow' | 'rows' | 'input'> & {
      readonly columns: readonly string[];
      readonly mapping: FieldMapping;
    })
  | null;

const REQUEST = { type: 'contributions', format: 'itcont', apiKeyId: '', releaseId: '' } as const;
const CHUNK_ROWS = 1_000;
/** Maximum number of chunks that wait for enrichment. */
const AHEAD = 16;

/** Reads a file and cuts it into chunks like the api, but stores nothing. The caller sends one file at a time. */
async function read(file: string, isWanted: () => Promise<void>): Promise<void> {
  const builder = new ChunkBuilder(CHUNK_ROWS, undefined, (text) => Promise.resolve(text));
  const reader = readerOf(REQUEST, builder, new ItemKeys());
  for await (const { firstRow, rows, input } of chunksOfBytes(piecesOf(file), reader, builder, () => undefined)) {
    await isWanted();
    const { columns, mapping } = reader;
    parentPort?.postMessage({ firstRow, rows, input, columns, mapping });
  }
  parentPort?.postMessage(null);
}

let ahead = 0;
let wanted: () => void = () => undefined;

parentPort?.on('message', (said: { readonly file: string } | 'taken') => {
  if (said === 'taken') {
    ahead--;
    wanted();
  } else
    void read(said.file, async () => {
      while (ahead >= AHEAD) await new Promise<void>((go) => (wanted = go));
      ahead++;
    });
});
