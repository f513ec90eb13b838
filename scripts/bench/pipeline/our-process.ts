import { RESULT_COLUMNS } from '@donorlens/batches';
import { copyIn } from '@donorlens/database';
import { enrichChunk } from '@donorlens/enrichment';
import { AddressKeys } from '@donorlens/locations';
import { openRelease, type Release } from '@donorlens/reference-data';
import { restoreFastStrings } from '@donorlens/tabular';
import { on } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Client } from 'pg';
import { type ReadChunk } from './reading-thread';
import { BATCH_ID } from './sql-method';

/** Does the work of api and worker in one process: a thread reads chunks, the main thread enriches and copies them. */
export class DonorlensMethod {
  private readonly addressKeys = new AddressKeys({ secret: 'secret of a bench', benchmark: 'b', vintage: 'v' });
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

/** Message to the process: the file to read and the table to fill. */
export interface FileRequest {
  readonly file: string;
  readonly table: string;
}

/** Runs as a separate process, like a worker: opens a release file, then runs the method for each message. */
async function main(releaseFile: string, databaseUrl: string): Promise<void> {
  const release = openRelease(readFileSync(releaseFile));
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  restoreFastStrings();
  const method = new DonorlensMethod(client, release);
  process.on('message', ({ file, table }: FileRequest) => {
    void method.run(table, file).then(() => process.send?.('done'));
  });
  process.send?.('ready');
}

void main(process.argv[2], process.argv[3]);
