import { type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type FastifyInstance } from 'fastify';

const LOOK_MS = 100;

/**
 * Ends connections on which nothing is under way when the server closes, which would otherwise wait for them: those on
 * which no request has begun, as browsers and clients open them in advance, for ever; those whose last answer leaves
 * after it began to close, for as long as clients may keep one. Node's own way cuts an answer that is written and has
 * not been read yet.
 */
export function endUnusedConnections(fastify: FastifyInstance): void {
  const { server } = fastify;
  const newest = new Map<Socket, ServerResponse | null>();
  let closing = false;
  server.on('connection', (socket: Socket) => {
    if (closing) socket.destroy();
    newest.set(socket, null);
    socket.once('close', () => newest.delete(socket));
  });
  server.on('request', ({ socket }: { readonly socket: Socket }, response: ServerResponse) =>
    newest.set(socket, response),
  );
  server.closeIdleConnections = () => {
    for (const [socket, response] of newest) if (response?.writableFinished ?? true) socket.destroy();
  };
  fastify.addHook('preClose', (done) => {
    closing = true;
    const looking = setInterval(() => server.closeIdleConnections(), LOOK_MS);
    server.once('close', () => clearInterval(looking));
    done();
  });
}
