import { parentPort } from 'node:worker_threads';
import { type BuiltChunk, ChunkBuilder, ItemKeys, chunksOfBytes, readerOf } from '@donorlens/batches';
import { type FieldMapping } from '@donorlens/primitives';
import { piecesOf } from './sql-method';

/** A chunk, as it is read; null behind the last. */
export type ReadChunk =
  | (Pick<BuiltChunk, 'firstRow' | 'rows' | 'input'> & {
      readonly columns: readonly string[];
      readonly mapping: FieldMapping;
    })
  | null;

const REQUEST = { type: 'contributions', format: 'itcont', apiKeyId: '', releaseId: '' } as const;
const CHUNK_ROWS = 1_000;
/** Read ahead of the part that enriches them. */
const AHEAD = 16;

/** What an api does with a file but for storing it: reads it and cuts it into chunks. One file after the other. */
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
