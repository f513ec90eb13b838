import { type FastifyReply, type FastifyRequest } from 'fastify';
import { type Variant } from './table-body';

/** Sends the file, or 304 where the client has it. */
export function sendVariant(request: FastifyRequest, reply: FastifyReply, { etag, bytes, headers }: Variant): void {
  void reply.headers(headers);
  const known = request.headers['if-none-match'];
  if (known === undefined || !isNamed(known, etag)) void reply.send(bytes);
  else {
    for (const ofTheBody of ['content-type', 'content-disposition', 'content-encoding']) reply.removeHeader(ofTheBody);
    void reply.code(304).send();
  }
}

/** Compared as RFC 9110 asks for If-None-Match: in a list, weak or not, `*` is any. */
function isNamed(header: string, etag: string): boolean {
  return header.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
