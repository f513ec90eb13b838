import { on } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Client } from 'pg';
import { RESULT_COLUMNS, copyIn } from '@donorlens/database';
import { enrichChunk } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import { type Release } from '@donorlens/reference-data';
import { type ReadChunk } from './reading-thread';
import { BATCH_ID } from './roads';

/** What api and worker do with a file, in one process: a thread with the reader of the one, another with the function of the other, one COPY. */
export class OurRoad {
  private readonly addressKeys = new AddressKeys({ secret: 'made up for a bench', benchmark: 'b', vintage: 'v' });
  private readonly reading = new Worker(join(__dirname, 'reading-thread.js'));

  constructor(
    private readonly client: Client,
    private readonly release: Release,
  ) {}

  async run(table: string, file: string): Promise<void> {
    await copyIn(this.client, `copy ${table} (${RESULT_COLUMNS.join(', ')}) from stdin`, this.lines(file));
  }

  private async *lines(file: string): AsyncGenerator<Buffer> {
    const { reading, release, addressKeys } = this;
    const shared = { batchId: BATCH_ID, type: 'contributions', format: 'csv', minAge: null } as const;
    const chunks = on(reading, 'message') as AsyncIterableIterator<[ReadChunk]>;
    reading.postMessage({ file });
    for await (const [chunk] of chunks) {
      if (chunk === null) return;
      reading.postMessage('taken');
      const { input, ...spec } = chunk;
      const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
      yield enrichChunk({ ...shared, ...spec }, bytes, release, { addressKeys }).copy;
    }
  }
}
