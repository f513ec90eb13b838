import { Readable } from 'node:stream';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { sendStream } from './send-stream';
import { isLongVariant, type LongVariant, type Variant } from './table-body';

/** Headers that a 304 does not repeat. */
const OF_THE_BODY = new Set(['content-type', 'content-disposition', 'content-encoding']);

/**
 * Sends the file, or 304 where the client has it.
 * @throws Problem 503 where too many long files leave
 */
export function sendVariant(request: FastifyRequest, reply: FastifyReply, variant: Variant | LongVariant): void {
  const { etag, headers } = variant;
  const known = request.headers['if-none-match'];
  if (known !== undefined && isNamed(known, etag)) {
    const ofTheAnswer = Object.entries(headers).filter(([name]) => !OF_THE_BODY.has(name));
    void reply.code(304).headers(Object.fromEntries(ofTheAnswer)).send();
  } else if (isLongVariant(variant)) {
    if (request.method === 'HEAD') void reply.headers(headers).send();
    else {
      const { pieces, end } = variant.read();
      reply.raw.once('close', end);
      sendStream(reply, headers, Readable.from(pieces(), { objectMode: false }), variant.gzip);
    }
  } else if (request.method === 'GET' && request.raw.complete) sendDirectly(reply, variant);
  else void reply.headers(headers).send(variant.bytes);
}

/**
 * A file that is kept leaves without the steps that make an answer of something else: nothing is left to be serialized, and no
 * body of the request to be drained. The hooks that follow a response still run.
 */
function sendDirectly(reply: FastifyReply, { bytes, headers, lines }: Variant): void {
  reply.hijack();
  const all = lines.slice();
  const before = reply.getHeaders();
  for (const name in before) if (!(name in headers)) all.push(name, String(before[name]));
  reply.raw.writeHead(200, all);
  reply.raw.end(bytes);
}

/** Compared as RFC 9110 asks for If-None-Match: in a list, weak or not, `*` is any. */
export function isNamed(header: string, etag: string): boolean {
  return header.split(',').some((one) => {
    const tag = one.trim();
    return tag === '*' || tag === etag || tag === `W/${etag}`;
  });
}
