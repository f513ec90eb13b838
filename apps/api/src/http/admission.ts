import { type Socket } from 'node:net';
import { withinRequest } from '@donorlens/observability';
import { type FastifyInstance } from 'fastify';

/** For so long requests begin in one turn of the event loop. */
const TURN_MS = 10;

/** A turn takes one connection. While more come, so many turns take them and begin nothing. */
const MOST_CONNECTIONS_FIRST = 64;

/**
 * Requests begin in the order in which they came, some milliseconds of them in a turn of the event loop. All that have come
 * would otherwise have the same turn: seconds of pages by hundreds of connections, in which the next connection is not
 * taken, the database is not heard and nobody who has gone is noticed. A health check does not stand in line, nor does
 * what is sent behind another request on its connection: Node stops to read from that while its answers pile up.
 */
export function admitInTurns(fastify: FastifyInstance): void {
  const line = new Map<Socket, () => void>();
  let until = 0; // 0: nothing has begun in this turn
  let hasConnected = false;
  let connectionsFirst = 0;

  const nextTurn = (): void => {
    if (line.size === 0) {
      until = 0;
    } else if (hasConnected && connectionsFirst < MOST_CONNECTIONS_FIRST) {
      hasConnected = false;
      connectionsFirst++;
      setImmediate(nextTurn);
    } else {
      connectionsFirst = 0;
      until = performance.now() + TURN_MS;
      goOn();
    }
  };
  const goOn = (): void => {
    if (performance.now() < until)
      for (const [socket, begin] of line) {
        line.delete(socket);
        if (socket.destroyed) continue;
        queueMicrotask(() => process.nextTick(goOn)); // once it has done what it can without waiting
        begin();
        return;
      }
    setImmediate(nextTurn);
  };

  fastify.server.on('connection', () => (hasConnected = true));
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    if (until === 0) {
      until = performance.now() + TURN_MS;
      setImmediate(nextTurn);
    }
    const isInTurn = line.size === 0 && performance.now() < until;
    if (isInTurn || line.has(socket) || request.url.startsWith('/health/')) return done();
    line.set(socket, () => withinRequest(request.span, done));
  });
}
