import { type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { withTimeout } from '@donorlens/primitives';
import { IntakeError } from './intake-error';
import { INTAKE_LIMITS } from './limits';
import { Semaphore } from 'async-mutex';

const { gzipRatio, gzipFreeBytes } = INTAKE_LIMITS;
export const GZIP_BOMB = `gzip inflates to more than ${gzipRatio} times its size; send it without gzip`;

/** True if a gzip stream inflates more than text does. */
export const isGzipBomb = (inflatedBytes: number, gzipBytes: number): boolean =>
  inflatedBytes > gzipFreeBytes && inflatedBytes > gzipRatio * gzipBytes;

/** Bytes needed to detect a gzip, a workbook and the byte order marks of a text. */
const SNIFFED = 4;

/**
 * The bytes of an input, inflated if they are a gzip. Checks the limits of size, gzip ratio and idle time. The source is
 * not destroyed when reading stops early, so that its owner can still answer.
 * @param hash - of the bytes as they were sent
 */
export async function* inputBytes(source: Readable, hash: Hash, signal?: AbortSignal): AsyncGenerator<Buffer, void> {
  const pieces = withWholeStart(sentPieces(source, hash, signal));
  let bytes = 0;
  for await (const piece of withWholeStart(gunzipped(pieces))) {
    bytes += piece.length;
    if (bytes > INTAKE_LIMITS.bytes)
      throw new IntakeError('too_large', 'the input is larger than 2 GB; send it in parts');
    yield piece;
  }
}

async function* sentPieces(
  source: Readable,
  hash: Hash,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer, void> {
  const iterator = (source.iterator({ destroyOnReturn: false }) as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  for (;;) {
    const piece = await nextPiece(iterator, signal);
    if (piece === null) return;
    hash.update(piece);
    yield piece;
  }
}

/** Waits for the client, up to a limit and until it disconnects. */
async function nextPiece(iterator: AsyncIterator<unknown>, signal: AbortSignal | undefined): Promise<Buffer | null> {
  try {
    const next = await withTimeout(INTAKE_LIMITS.idleMs, () => iterator.next(), tooSlow, signal);
    if (next.done) return null;
    return Buffer.isBuffer(next.value) ? next.value : Buffer.from(String(next.value));
  } catch (err) {
    if (signal?.aborted) throw new IntakeError('aborted', 'the client disconnected before the end of the input');
    if (err instanceof IntakeError) throw err;
    throw new IntakeError('aborted', 'the connection closed before the end of the input; send it again');
  }
}

const tooSlow = (): IntakeError =>
  new IntakeError('too_slow', 'no data was received for 60 seconds; send the input again');

/** Makes the first piece long enough for detection. */
async function* withWholeStart(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let start: Buffer | null = Buffer.alloc(0);
  for await (const piece of pieces) {
    if (start === null) yield piece;
    else {
      start = Buffer.concat([start, piece]);
      if (start.length < SNIFFED) continue;
      yield start;
      start = null;
    }
  }
  if (start && start.length > 0) yield start;
}

/** Compares the output with the bytes that zlib has read: the source may be far ahead of them. */
async function* gunzipped(pieces: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  const first = await pieces.next();
  if (first.done) return;
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield first.value;
    yield* pieces;
    return;
  }
  const gunzip = createGunzip();
  const fed = pipeline(Readable.from(startingWith(first.value, pieces)), gunzip);
  fed.catch(() => undefined); // the same error ends the loop below
  try {
    let bytes = 0;
    for await (const piece of gunzip as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (isGzipBomb(bytes, gunzip.bytesWritten)) throw new IntakeError('gzip_bomb', `the ${GZIP_BOMB}`);
      yield piece;
    }
  } catch (err) {
    throw gzipError(err);
  }
}

export async function* startingWith(first: Buffer, rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  yield first;
  yield* rest;
}

/** By its code, since the error may be of another realm. */
function gzipError(err: unknown): unknown {
  const code = typeof err === 'object' && err !== null && 'code' in err ? err.code : undefined;
  if (code === 'Z_BUF_ERROR')
    return new IntakeError('truncated_gzip', 'the gzip data is truncated; compress and send the file again');
  if (typeof code === 'string' && code.startsWith('Z_')) return new IntakeError('bad_gzip', 'the gzip is damaged');
  return err;
}

export interface UploadLimits {
  /** Uploads read at a time by this process, and of one API key. */
  readonly all: number;
  readonly ofKey: number;
  /** Longest wait for a slot. */
  readonly waitMs: number;
}

/**
 * Limits how many uploads are read at a time: each may hold a record of megabytes and the chunks before it. An upload
 * without a slot is not read any further, so that its sender is slowed down. A key with many uploads waits for its own,
 * and does not delay others.
 */
export class UploadLimiter {
  private readonly all: Semaphore;
  private readonly ofKeys = new Map<string, Semaphore>();

  constructor(private readonly limits: UploadLimits) {
    this.all = new Semaphore(limits.all);
  }

  /** @returns releases the slot. @throws IntakeError `busy`, or `aborted` if the client disconnects */
  async acquire(key: string, signal?: AbortSignal): Promise<() => void> {
    const acquired = this.acquireBoth(key);
    try {
      return await withTimeout(this.limits.waitMs, () => acquired, busy, signal);
    } catch (error) {
      void acquired.then((release) => release()); // the semaphores cannot cancel a wait
      throw signal?.aborted ? new IntakeError('aborted', 'the client disconnected before the end of the input') : error;
    }
  }

  private async acquireBoth(key: string): Promise<() => void> {
    const ofKey = this.ofKeys.get(key) ?? new Semaphore(this.limits.ofKey);
    this.ofKeys.set(key, ofKey);
    const [, releaseKey] = await ofKey.acquire();
    const [, releaseAll] = await this.all.acquire();
    return () => {
      releaseAll();
      releaseKey();
      if (ofKey.getValue() === this.limits.ofKey) this.ofKeys.delete(key);
    };
  }
}

const busy = (): IntakeError =>
  new IntakeError('busy', 'too many inputs arrive at once; try again in a minute', { retryAfterSeconds: 60 });

/** The bytes of an upload, of which only the first few are read before it has a slot. */
export async function* limitUpload(
  bytes: AsyncGenerator<Buffer, void>,
  freeBytes: number,
  acquire: () => Promise<void>,
): AsyncGenerator<Buffer, void> {
  let read = 0;
  let hasSlot = false;
  for await (const piece of bytes) {
    read += piece.length;
    if (read > freeBytes && !hasSlot) {
      await acquire();
      hasSlot = true;
    }
    yield piece;
  }
}
