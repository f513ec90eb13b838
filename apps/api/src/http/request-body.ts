import { type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { type FastifyRequest } from 'fastify';
import { holdBody, releaseBody } from './body-budget';
import { checkBounds, type JsonBounds } from './json-bounds';
import { Problem } from './problem';

export interface BodyLimits extends JsonBounds {
  /** After decompression. */
  readonly maxBytes: number;
}

/** How much larger than its gzip a body may be, once it is larger than any synchronous one. Text has 3 to 50. */
const GZIP_RATIO = 400;
const GZIP_FREE_BYTES = 5 * 1024 * 1024;

/** A client that sends 5 MB within this time has 170 kB/s. */
const READ_TIMEOUT_MS = 30_000;

const GZIP = ['gzip', 'x-gzip'];

/** The content coding of a request. @throws Problem 415 for anything but gzip and none */
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
 * Reads a whole body of JSON, gunzipped. Stops reading at the limit, whatever the headers promised. What it holds counts
 * against the budget of the process until the request is answered.
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
    if (bytes > GZIP_FREE_BYTES && bytes > gunzip.bytesWritten * GZIP_RATIO)
      throw new Problem('body-too-large', `The gzip inflates to more than ${GZIP_RATIO} times its size.`);
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
    source.resume(); // the rest is thrown away, so that the client can finish sending and read the answer
    gunzip.destroy();
  }
}

/**
 * @param wire the stream that the client feeds: what is left of it after a fault flows on unread
 * @param hold told of each part that is kept; may refuse it with a Problem
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
    const onClose = (): void => stop(new Problem('malformed-body', 'The body ended before its end.'));
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
 * Lets what is left of a body flow by unread, so that the client can finish sending and read our answer.
 * A reader that stopped half way leaves its listener behind, and with one nothing flows.
 */
export function drain(source: Readable): void {
  source.removeAllListeners('readable');
  setImmediate(() => source.on('error', () => undefined).resume());
}
