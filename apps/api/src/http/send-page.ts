import { gzipSync } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type IncomingHttpHeaders } from 'node:http';
import { PAGE_HEADERS } from './base-headers';

const GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i;

/** True if the client accepts gzip with a quality above 0. */
export const acceptsGzip = (headers: IncomingHttpHeaders): boolean =>
  GZIP.test(String(headers['accept-encoding'] ?? ''));

/** Sets the headers of a page; the handler returns the result and may override headers. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, html: string): string | Buffer {
  void reply.headers({ ...PAGE_HEADERS, vary: 'Accept, Accept-Encoding, Cookie' }).type('text/html; charset=utf-8');
  return packed(request, reply, html);
}

/** Text that is compressed once and sent often. */
export class CachedText {
  private bytes: Buffer | undefined;

  constructor(readonly text: string) {}

  get gzip(): Buffer {
    this.bytes ??= gzipSync(this.text, { level: 9 });
    return this.bytes;
  }
}

/** Compresses the text if the client accepts gzip. */
export function packed(request: FastifyRequest, reply: FastifyReply, text: string | CachedText): string | Buffer {
  if (!acceptsGzip(request.headers)) return typeof text === 'string' ? text : text.text;
  void reply.header('content-encoding', 'gzip');
  return typeof text === 'string' ? gzipSync(text) : text.gzip;
}
