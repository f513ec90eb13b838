import { type Readable } from 'node:stream';
import { constants, createGzip } from 'node:zlib';
import { type FastifyReply } from 'fastify';
import { endWhenStalled } from './stalled-reader';

/** Sends what is still being written, without its length. */
export function sendStream(
  reply: FastifyReply,
  headers: Readonly<Record<string, string>>,
  lines: Readable,
  gzip: boolean,
): void {
  endWhenStalled(reply.raw);
  void reply.headers(headers).send(gzip ? gzipped(lines) : lines);
}

function gzipped(lines: Readable): Readable {
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  lines.on('error', (error) => gzip.destroy(error));
  gzip.on('close', () => lines.destroy());
  return lines.pipe(gzip);
}
