import { gzipSync } from 'node:zlib';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { acceptsGzip } from './media-types';
import { requestPolicy } from './route-policy';

/** Allows only scripts and styles from files of this service. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Policy of pages that other sites may show in a frame. */
const FRAMED_PAGE_POLICY = PAGE_POLICY.replace("frame-ancestors 'none'", 'frame-ancestors *');

/**
 * Headers of every page. With `no-referrer`, browsers would send forms with the origin `null`. `isSameOrigin` would
 * reject such a form without Sec-Fetch-Site, which browsers omit over HTTP from another machine.
 */
export const pageHeadersOf = (request: FastifyRequest): Record<string, string> => ({
  'content-security-policy': requestPolicy(request)?.page === 'framed' ? FRAMED_PAGE_POLICY : PAGE_POLICY,
  'referrer-policy': 'same-origin',
});

/** Sets the headers of a page; the handler returns the result and may override headers. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, html: string): string | Buffer {
  void reply.headers({ ...pageHeadersOf(request), vary: 'Accept, Accept-Encoding, Cookie' });
  void reply.type('text/html; charset=utf-8');
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
