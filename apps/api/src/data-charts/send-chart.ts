import { createHash } from 'node:crypto';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { acceptsGzip } from '../http/accepts-gzip';
import { packed, sendPage } from '../pages/send-page';
import { CHART_POLICY } from '../pages/standalone-chart';
import { type Published } from './published';
import { isNamed } from './send-variant';

/** The tag of a text in the encoding in which it leaves. */
function tagOf(text: string, request: FastifyRequest): string {
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 27);
  return `"${tag}${acceptsGzip(request.headers) ? '-gzip' : ''}"`;
}

/** Sets the tag; true where the client has the text already and is told so. */
function isKnown(request: FastifyRequest, reply: FastifyReply, text: string): boolean {
  const etag = tagOf(text, request);
  void reply.header('etag', etag);
  const known = request.headers['if-none-match'];
  if (known === undefined || !isNamed(known, etag)) return false;
  void reply.code(304).send();
  return true;
}

/** A page is asked for anew each time, since it shows who is signed in; who has it already is told so. */
export function sendChartPage(
  request: FastifyRequest,
  reply: FastifyReply,
  html: string,
  version: Published | null,
): void {
  void reply.headers({ 'cache-control': 'private, no-cache', vary: 'Accept, Accept-Encoding, Cookie' });
  if (version !== null) {
    void reply.header('data-version', `charts-${version.id}`);
    if (isKnown(request, reply, html)) return;
  }
  void reply.send(sendPage(request, reply, html));
}

/** A picture is kept as a file is. */
export function sendPicture(request: FastifyRequest, reply: FastifyReply, svg: string, version: Published): void {
  void reply.headers({
    'cache-control': 'private, max-age=3600',
    vary: 'Accept, Accept-Encoding',
    'last-modified': version.at.toUTCString(),
    'data-version': `charts-${version.id}`,
  });
  if (isKnown(request, reply, svg)) return;
  void reply.headers({ 'content-type': 'image/svg+xml; charset=utf-8', 'content-security-policy': CHART_POLICY });
  void reply.send(packed(request, reply, svg));
}
