import { type Socket } from 'node:net';
import { withinRequest } from '@donorlens/observability';
import { type FastifyInstance } from 'fastify';
import { notWaitedFor } from './problem';

/** For so long requests that come in a turn of the event loop begin in it; those after them wait in line, of which each turn takes as much. */
const TURN_MS = 200;

/** A turn takes one connection. After one that was longer than this, requests wait until all are taken, a turn's time at most. */
const LONG_MS = 10;

/**
 * Lets requests begin by turns of the event loop. All that have come would otherwise have the same turn: seconds of pages by
 * hundreds of connections, in which the next connection is not taken, the database is not heard and nobody who has gone
 * is noticed. A health check does not stand in line. To wait is not free: what is waiting has to be kept from the garbage
 * collector, so short requests come through without it.
 */
export function admitInTurns(fastify: FastifyInstance, turnMs = TURN_MS): void {
  const line = new Map<Socket, () => void>();
  let turnBegan = 0; // 0: no request has come in this turn
  let hasConnected = false;
  let connectingSince = 0; // 0: requests may begin

  const endTurn = (): void => {
    const now = performance.now();
    const mayConnect = connectingSince > 0 ? now - connectingSince < turnMs : now - turnBegan > LONG_MS;
    connectingSince = hasConnected && mayConnect ? connectingSince || now : 0;
    hasConnected = false;
    if (connectingSince > 0) setImmediate(endTurn);
    else if (line.size === 0) turnBegan = 0;
    else goOn(now + turnMs);
  };
  const goOn = (until: number): void => {
    const now = performance.now();
    const next = now < until ? line.keys().next() : undefined;
    if (next === undefined || next.done) {
      turnBegan = now;
      setImmediate(endTurn);
    } else {
      queueMicrotask(() => process.nextTick(goOn, until)); // once it has done what it can without waiting
      begin(next.value);
    }
  };
  const begin = (socket: Socket): void => {
    const go = line.get(socket);
    line.delete(socket);
    go?.();
  };

  fastify.server.on('connection', () => (hasConnected = true));
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    if (turnBegan === 0) {
      turnBegan = performance.now();
      setImmediate(endTurn);
    }
    if (line.has(socket))
      begin(socket); // sent behind it without waiting: they begin in their order
    else if (connectingSince > 0 || line.size > 0 || performance.now() - turnBegan > turnMs)
      if (!request.routeOptions.url?.startsWith('/health/')) {
        line.set(socket, () => withinRequest(request.span, () => (socket.destroyed ? done(notWaitedFor()) : done())));
        return;
      }
    done();
  });
}
