import { gzipSync } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { acceptsGzip } from '../http/accepts-gzip';
import { PAGE_POLICY } from '../http/base-headers';

/** A page of that policy and encoding, ready to be returned by a handler; headers that it sets may be set anew. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, html: string): string | Buffer {
  void reply
    .headers({ 'content-security-policy': PAGE_POLICY, vary: 'Accept, Accept-Encoding, Cookie' })
    .type('text/html; charset=utf-8');
  return packed(request, reply, html);
}

/** Text that is worth packing goes packed to whoever takes it. */
export function packed(request: FastifyRequest, reply: FastifyReply, text: string): string | Buffer {
  if (!acceptsGzip(request.headers)) return text;
  void reply.header('content-encoding', 'gzip');
  return gzipSync(text);
}
