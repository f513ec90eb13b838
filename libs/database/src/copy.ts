import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ClientBase } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** Time limit for the server to accept a piece, and to end the COPY. */
const ACCEPT_MS = 35_000;

/** A COPY takes as long as its source or reader: the time limit of statements does not apply. */
const UNTIMED = { query_timeout: 2 ** 31 - 1 };

/**
 * COPY ... FROM STDIN in the client's transaction.
 * @param source - COPY text or CSV; pieces may end anywhere. If the source throws, the COPY ends with an error and
 *   copies nothing
 * @returns rows copied
 * @throws also if the server does not accept a piece in time
 */
export async function copyIn(
  client: ClientBase,
  sql: string,
  source: Buffer | AsyncIterable<Buffer | string>,
  acceptMs = ACCEPT_MS,
): Promise<number> {
  const copy = client.query(Object.assign(copyFrom(sql), UNTIMED));
  const idle = new IdleTimeout(acceptMs);
  const pieces = idle.passThrough(Buffer.isBuffer(source) ? [source] : source);
  await idle.race(pipeline(Readable.from(pieces, { objectMode: !Buffer.isBuffer(source) }), copy));
  return copy.rowCount;
}

/**
 * COPY ... TO STDOUT with backpressure from its reader. The client must not be used until the stream has ended or was
 * destroyed; after an early destroy, release it with an error so that the pool discards it.
 */
export function copyOut(client: ClientBase, sql: string): Readable {
  const copy = Object.assign(copyTo(sql), UNTIMED, { callback: () => undefined });
  copy.once('close', () => copy.callback()); // pg has put its timer there, and the stream does not end it
  return client.query(copy);
}

/** Ends the wait for a server that stopped answering. The time that the source takes for a piece does not count. */
class IdleTimeout {
  private timer: NodeJS.Timeout | undefined;
  private readonly late: Promise<never>;
  private expire: () => void = () => undefined;

  constructor(private readonly ms: number) {
    this.late = new Promise((_, reject) => {
      this.expire = () => reject(new Error('Query read timeout')); // the message of pg for a statement
    });
    this.late.catch(() => undefined);
  }

  /** The same pieces. The clock runs from yielding one until the next is requested, and after the last. */
  async *passThrough<T>(source: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
    for await (const piece of source) {
      this.start();
      yield piece;
      clearTimeout(this.timer);
    }
    this.start();
  }

  async race<T>(work: Promise<T>): Promise<T> {
    try {
      return await Promise.race([work, this.late]);
    } finally {
      clearTimeout(this.timer);
    }
  }

  private start(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(this.expire, this.ms);
  }
}
