import { createReadStream } from 'node:fs';
import { type Client } from 'pg';
import { copyIn } from '@donorlens/database';

/** One way from the file to rows of a table. */
export interface Road {
  readonly name: string;
  /** @param table an empty twin of `result`; a road may make one of its own in its place, with the same indexes */
  run(table: string): Promise<void>;
}

export const BATCH_ID = '00000000-0000-4000-8000-000000000001';
const READ_BYTES = 256 * 1024;

export const piecesOf = (file: string): AsyncIterable<Buffer> => createReadStream(file, { highWaterMark: READ_BYTES });

/** The floor: the finished rows, as a file, by one connection. */
export class BareCopy implements Road {
  readonly name = 'bare COPY of the finished rows, one connection';

  constructor(
    private readonly client: Client,
    private readonly readyFile: string,
  ) {}

  async run(table: string): Promise<void> {
    await copyIn(this.client, `copy ${table} from stdin`, piecesOf(this.readyFile));
  }
}
