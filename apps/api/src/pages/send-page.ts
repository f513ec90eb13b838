import { gzipSync } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { acceptsGzip } from '../http/accepts-gzip';
import { PAGE_HEADERS } from '../http/base-headers';

/** A page of that policy and encoding, ready to be returned by a handler; headers that it sets may be set anew. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, html: string): string | Buffer {
  void reply.headers({ ...PAGE_HEADERS, vary: 'Accept, Accept-Encoding, Cookie' }).type('text/html; charset=utf-8');
  return packed(request, reply, html);
}

/** Text that is the same for many, packed once. */
export class KeptText {
  private bytes: Buffer | undefined;

  constructor(readonly text: string) {}

  get gzip(): Buffer {
    this.bytes ??= gzipSync(this.text, { level: 9 });
    return this.bytes;
  }
}

/** Text that is worth packing goes packed to whoever takes it. */
export function packed(request: FastifyRequest, reply: FastifyReply, text: string | KeptText): string | Buffer {
  if (!acceptsGzip(request.headers)) return typeof text === 'string' ? text : text.text;
  void reply.header('content-encoding', 'gzip');
  return typeof text === 'string' ? gzipSync(text) : text.gzip;
}
