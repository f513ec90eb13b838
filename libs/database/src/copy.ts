import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { Patience } from './patience';

/** Longest that the server may take to accept a piece, and to end. */
const ACCEPT_MS = 35_000;

/** A COPY takes as long as its other side: the time limit of statements is not for it. */
const UNTIMED = { query_timeout: 2 ** 31 - 1 };

/**
 * COPY ... FROM STDIN in the client's transaction.
 * @param source  COPY text or CSV; pieces may end anywhere. A source that throws ends the COPY with an error, nothing is kept
 * @returns       rows copied
 * @throws        also where the server falls silent
 */
export async function copyIn(
  client: ClientBase,
  sql: string,
  source: Buffer | AsyncIterable<Buffer | string>,
  acceptMs = ACCEPT_MS,
): Promise<number> {
  const copy = client.query(Object.assign(copyFrom(sql), UNTIMED));
  const patience = new Patience(acceptMs);
  const pieces = patience.between(Buffer.isBuffer(source) ? [source] : source);
  await patience.with(pipeline(Readable.from(pieces, { objectMode: !Buffer.isBuffer(source) }), copy));
  return copy.rowCount;
}

/**
 * COPY ... TO STDOUT, in step with its reader. The client must not be used until the stream has ended or was destroyed;
 * after an early destroy, release it with an error so that the pool throws it away.
 */
export function copyOut(client: ClientBase, sql: string): Readable {
  const copy = Object.assign(copyTo(sql), UNTIMED, { callback: () => undefined });
  copy.once('close', () => copy.callback()); // pg has put its timer there, and the stream does not end it
  return client.query(copy);
}
