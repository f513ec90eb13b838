import { type IncomingMessage } from 'node:http';
import { type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { GZIP_BOMB, isGzipBomb } from '@donorlens/batches';
import { type FastifyRequest } from 'fastify';
import { checkBounds, type JsonBounds } from './json-body';
import { Problem } from './problem';

/** Memory for all decompressed request bodies of this process: two of maximum size, or a dozen bulk requests. */
export const BODY_BUDGET = { bytes: 64 * 1024 * 1024 };

let heldBytes = 0;
const heldBy = new WeakMap<IncomingMessage, number>();

/** Counts bytes as they arrive, not as announced by Content-Length. @throws Problem 503 */
export function holdBody(request: IncomingMessage, bytes: number): void {
  if (heldBytes + bytes > BODY_BUDGET.bytes)
    throw new Problem('unavailable', 'Too many large bodies are being read; send this one again in a moment.', {
      headers: { 'retry-after': '2' },
    });
  heldBytes += bytes;
  heldBy.set(request, (heldBy.get(request) ?? 0) + bytes);
}

/** Releases the memory of a body when its request ends; idempotent. */
export function releaseBody(request: IncomingMessage): void {
  heldBytes -= heldBy.get(request) ?? 0;
  heldBy.delete(request);
}

export const bodyBytesHeld = (): number => heldBytes;

export interface BodyLimits extends JsonBounds {
  /** Maximum size after decompression. */
  readonly maxBytes: number;
}

/** 5 MB within this time require 170 kB/s. */
const READ_TIMEOUT_MS = 30_000;

const GZIP = ['gzip', 'x-gzip'];

/** Whether the body is gzipped. @throws Problem 415 for content codings other than gzip and identity */
export function isGzipped(request: FastifyRequest): boolean {
  const coding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (GZIP.includes(coding)) return true;
  if (coding === 'identity' || coding === '') return false;
  throw new Problem('unsupported-encoding', 'Bodies are read as they are or with Content-Encoding: gzip.', {
    headers: { 'accept-encoding': 'gzip' },
  });
}

const tooLarge = ({ maxBytes, advice }: BodyLimits): Problem =>
  new Problem('body-too-large', `A body here has at most ${maxBytes} bytes, decompressed. ${advice}`, {
    members: { limit: maxBytes },
  });

/**
 * Reads and decompresses a whole body. Stops at the limit regardless of Content-Length. The bytes count against the
 * memory budget of the process until the request ends.
 * @throws Problem 413, 415, 408, 503, or 400 for broken gzip
 */
export async function readBody(request: FastifyRequest, limits: BodyLimits): Promise<Buffer> {
  const gzipped = isGzipped(request);
  if (Number(request.headers['content-length']) > limits.maxBytes) throw tooLarge(limits);
  const source = request.body as Readable | undefined;
  if (!source) return Buffer.alloc(0);
  const hold = (part: Buffer): void => holdBody(request.raw, part.length);
  try {
    const body = await (gzipped ? gunzipped(source, limits, hold) : collected(source, source, limits, hold));
    checkBounds(body, limits);
    return body;
  } catch (error) {
    releaseBody(request.raw);
    throw error;
  }
}

type Hold = (part: Buffer) => void;

async function gunzipped(source: Readable, limits: BodyLimits, hold: Hold): Promise<Buffer> {
  const gunzip = createGunzip();
  let bytes = 0;
  const holdSound = (part: Buffer): void => {
    bytes += part.length;
    if (isGzipBomb(bytes, gunzip.bytesWritten))
      throw new Problem('body-too-large', `The ${GZIP_BOMB}. ${limits.advice}`);
    hold(part);
  };
  source.pipe(gunzip);
  try {
    return await collected(gunzip, source, limits, holdSound);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem('malformed-body', 'The gzip data is truncated or broken.');
  } finally {
    source.unpipe(gunzip);
    source.resume(); // discards the rest, so that the client can finish sending and read the response
    gunzip.destroy();
  }
}

/**
 * @param wire - the stream from the client; after an error, the rest is discarded
 * @param hold - called with each part; may throw a Problem
 */
function collected(source: Readable, wire: Readable, limits: BodyLimits, hold: Hold): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const timer = setTimeout(
      () => stop(new Problem('request-timeout', `The body did not arrive within ${READ_TIMEOUT_MS / 1000} seconds.`)),
      READ_TIMEOUT_MS,
    );
    const onData = (part: Buffer): void => {
      bytes += part.length;
      if (bytes > limits.maxBytes) return stop(tooLarge(limits));
      try {
        hold(part);
        parts.push(part);
      } catch (error) {
        stop(error);
      }
    };
    const onEnd = (): void => {
      detach();
      resolve(parts.length === 1 ? parts[0] : Buffer.concat(parts, bytes));
    };
    const onClose = (): void =>
      stop(
        new Problem('malformed-body', 'The body is incomplete: the client disconnected before it had sent everything.'),
      );
    const stop = (error: unknown): void => {
      detach();
      source.on('error', () => undefined);
      wire.resume();
      parts.length = 0;
      reject(error instanceof Error ? error : new Error('reading failed', { cause: error }));
    };
    const detach = (): void => {
      clearTimeout(timer);
      source.off('data', onData).off('end', onEnd).off('error', stop).off('close', onClose);
      wire.off('aborted', onClose);
    };
    source.on('data', onData).on('end', onEnd).on('error', stop).on('close', onClose);
    wire.on('aborted', onClose);
  });
}

/**
 * Discards the rest of a body, so that the client can finish sending and read the response. It removes the `readable`
 * listener of a reader that stopped early, because the listener would keep the stream paused.
 */
export function drain(source: Readable): void {
  source.removeAllListeners('readable');
  setImmediate(() => source.on('error', () => undefined).resume());
}
