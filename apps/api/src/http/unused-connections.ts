import { type Socket } from 'node:net';
import { type FastifyInstance } from 'fastify';

/**
 * Ends connections on which no request has begun when the server closes: browsers and clients open them in advance.
 * To Node they are neither idle nor late once the server is closing, so it would wait for them for ever.
 */
export function endUnusedConnections(fastify: FastifyInstance): void {
  const unused = new Set<Socket>();
  let closing = false;
  fastify.server.on('connection', (socket: Socket) => {
    if (closing) socket.destroy();
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  fastify.server.on('request', ({ socket }: { readonly socket: Socket }) => unused.delete(socket));
  fastify.addHook('preClose', (done) => {
    closing = true;
    for (const socket of unused) socket.destroy();
    done();
  });
}
