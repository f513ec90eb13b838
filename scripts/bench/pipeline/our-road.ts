import { type Client } from 'pg';
import { ChunkBuilder, ItemKeys, chunksOfBytes, readerOf } from '@donorlens/batches';
import { RESULT_COLUMNS, copyIn } from '@donorlens/database';
import { enrichChunk } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import { type Release } from '@donorlens/reference-data';
import { BATCH_ID, type Road, piecesOf } from './roads';

const REQUEST = { type: 'contributions', format: 'itcont', apiKeyId: '', releaseId: '' } as const;
const CHUNK_ROWS = 1_000;

/** What api and worker do with a file, in one process: the reader of the one, the function of the other, one COPY. */
export class OurRoad implements Road {
  readonly name = 'donorlens, one process';
  private readonly addressKeys = new AddressKeys({ secret: 'made up for a bench', benchmark: 'b', vintage: 'v' });

  constructor(
    private readonly client: Client,
    private readonly file: string,
    private readonly release: Release,
  ) {}

  async run(table: string): Promise<void> {
    await copyIn(this.client, `copy ${table} (${RESULT_COLUMNS.join(', ')}) from stdin`, this.lines());
  }

  private async *lines(): AsyncGenerator<Buffer> {
    const builder = new ChunkBuilder(CHUNK_ROWS, undefined, (text) => Promise.resolve(text));
    const reader = readerOf(REQUEST, builder, new ItemKeys());
    const { release, addressKeys } = this;
    for await (const { firstRow, rows, input } of chunksOfBytes(
      piecesOf(this.file),
      reader,
      builder,
      () => undefined,
    )) {
      const { columns, mapping } = reader;
      const shared = { batchId: BATCH_ID, type: 'contributions', format: 'csv', minAge: null } as const;
      yield enrichChunk({ ...shared, columns, mapping, firstRow, rows }, input, release, { addressKeys }).copy;
    }
  }
}
