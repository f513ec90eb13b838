import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/**
 * COPY ... FROM STDIN in the client's transaction.
 * @param source  COPY text or CSV; pieces may end anywhere. A source that throws ends the COPY with an error, nothing is kept
 * @returns       rows copied
 */
export async function copyIn(
  client: ClientBase,
  sql: string,
  source: Buffer | AsyncIterable<Buffer | string>,
): Promise<number> {
  const copy = client.query(copyFrom(sql));
  await pipeline(
    Buffer.isBuffer(source) ? Readable.from([source], { objectMode: false }) : Readable.from(source),
    copy,
  );
  return copy.rowCount;
}

/**
 * COPY ... TO STDOUT, in step with its reader. The client must not be used until the stream has ended or was destroyed;
 * after an early destroy, release it with an error so that the pool throws it away.
 */
export function copyOut(client: ClientBase, sql: string): Readable {
  return client.query(copyTo(sql));
}
