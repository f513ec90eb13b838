import { type Socket } from 'node:net';
import { withinRequest } from '@donorlens/observability';
import { type FastifyInstance, type FastifyRequest, type HookHandlerDoneFunction } from 'fastify';
import { notWaitedFor } from './problem';

/** For so long requests that come in a turn of the event loop begin in it; those after them wait in line, of which each turn takes as much. */
const TURN_MS = 200;

/** A turn takes one connection. After one that was longer than this, requests wait until all are taken, a turn's time at most. */
const LONG_MS = 10;

/** Requests of one connection that wait for those before them. */
const MOST_BEHIND = 256;

/**
 * Lets requests begin by turns of the event loop. All that have come would otherwise have the same turn: seconds of pages by
 * hundreds of connections, in which the next connection is not taken, the database is not heard and nobody who has gone
 * is noticed. A health check does not stand in line. To wait is not free: what is waiting has to be kept from the garbage
 * collector, so short requests come through without it.
 *
 * Of one connection a request begins when those before it have been answered: only then does its response close with the
 * connection, and give back what it holds. A connection that sends hundreds without waiting is ended: node holds back who
 * reads no answers, not who asks faster than answers are made.
 */
export function admitInTurns(fastify: FastifyInstance, turnMs = TURN_MS): void {
  const line: (() => void)[] = [];
  let turnBegan = 0; // 0: no request has come in this turn
  let hasConnected = false;
  let connectingSince = 0; // 0: requests may begin

  const endTurn = (): void => {
    const now = performance.now();
    const mayConnect = connectingSince > 0 ? now - connectingSince < turnMs : now - turnBegan > LONG_MS;
    connectingSince = hasConnected && mayConnect ? connectingSince || now : 0;
    hasConnected = false;
    if (connectingSince > 0) setImmediate(endTurn);
    else if (line.length === 0) turnBegan = 0;
    else goOn(now + turnMs);
  };
  const goOn = (until: number): void => {
    const now = performance.now();
    if (now >= until || line.length === 0) {
      turnBegan = now;
      setImmediate(endTurn);
    } else {
      queueMicrotask(() => process.nextTick(goOn, until)); // once it has done what it can without waiting
      line.shift()?.();
    }
  };
  const afterWaiting = (request: FastifyRequest, done: HookHandlerDoneFunction, work: () => void): void =>
    withinRequest(request.span, () => (request.raw.socket.destroyed ? done(notWaitedFor()) : work()));
  const admit = (request: FastifyRequest, done: HookHandlerDoneFunction): void => {
    if (turnBegan === 0) {
      turnBegan = performance.now();
      setImmediate(endTurn);
    }
    const mustWait = connectingSince > 0 || line.length > 0 || performance.now() - turnBegan > turnMs;
    if (mustWait && !request.routeOptions.url?.startsWith('/health/'))
      line.push(() => afterWaiting(request, done, () => done()));
    else done();
  };

  fastify.server.on('connection', () => (hasConnected = true));
  const behind = new WeakMap<Socket, number>();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (reply.raw.socket !== null) {
      admit(request, done);
      return;
    }
    const { socket } = request.raw;
    const count = (behind.get(socket) ?? 0) + 1;
    behind.set(socket, count);
    if (count > MOST_BEHIND) socket.destroy();
    if (socket.destroyed) return;
    reply.raw.once('socket', () => {
      behind.set(socket, (behind.get(socket) ?? 1) - 1);
      process.nextTick(afterWaiting, request, done, () => admit(request, done)); // when the one before has closed
    });
  });
}
