import { type Socket } from 'node:net';
import { withinRequest } from '@donorlens/observability';
import { type FastifyInstance, type FastifyRequest, type HookHandlerDoneFunction } from 'fastify';
import { clientDisconnected } from './problem';

// Keeps short requests fast while long requests run. ADR 12 has the measurements.

/** Long work yields after this many items, which take a few milliseconds. */
export const ITEMS_PER_YIELD = 1_000;

type Queue = (() => void)[];
const longWork: Queue = [];
/** A separate queue, so that long work does not wait for a thousand responses. */
const sharedResults: Queue = [];

/** Resumes one waiter of each queue per iteration of the event loop. */
function resumeNext(): void {
  longWork.shift()?.();
  sharedResults.shift()?.();
  if (longWork.length + sharedResults.length > 0) setImmediate(resumeNext);
}

const waitIn = (queue: Queue): Promise<void> =>
  new Promise((resume) => {
    if (longWork.length + sharedResults.length === 0) setImmediate(resumeNext);
    queue.push(resume);
  });

export const isLongWorkWaiting = (): boolean => longWork.length > 0;

/**
 * Resolves in a later iteration of the event loop. Only one caller resumes per iteration, in order of arrival. New
 * requests can therefore start even while many bulk requests are running.
 */
export const yieldToEventLoop = (): Promise<void> => waitIn(longWork);

/**
 * Waits for a result that many requests share. One request resumes per iteration of the event loop, because a
 * thousand pages rendered at once would fill the memory and block all other requests.
 * @throws the error of `shared`; Problem if the client has disconnected
 */
export async function awaitShared<T>(shared: Promise<T>, request: FastifyRequest): Promise<T> {
  await Promise.allSettled([shared]);
  await waitIn(sharedResults);
  if (request.raw.socket.destroyed) throw clientDisconnected();
  return shared;
}

/** Time in one iteration of the event loop during which requests start. Later requests wait for the next iteration. */
const START_WINDOW_MS = 200;
/** After a longer iteration, requests wait until all connections are accepted. Node.js accepts one per iteration. */
const LONG_ITERATION_MS = 10;
/** Maximum number of pipelined requests that wait in one connection. A connection with more is closed. */
const MAX_PIPELINED = 256;

/**
 * Limits how many requests start in one iteration of the event loop. Otherwise hundreds of page requests block the loop
 * for seconds: the api then accepts no connection, reads no database response and detects no disconnect. Health checks
 * never wait. A pipelined request starts after the previous response has been sent.
 */
export function limitRequestStarts(fastify: FastifyInstance, windowMs = START_WINDOW_MS): void {
  const scheduler = new StartScheduler(windowMs);
  const pipelined = new WeakMap<Socket, number>();
  const afterWaiting = (request: FastifyRequest, done: HookHandlerDoneFunction, start: () => void): void =>
    withinRequest(request.span, () => (request.raw.socket.destroyed ? done(clientDisconnected()) : start()));
  const schedule = (request: FastifyRequest, done: HookHandlerDoneFunction): void => {
    const isHealthCheck = request.routeOptions.url?.startsWith('/health/') === true;
    if (scheduler.mustWait() && !isHealthCheck) scheduler.enqueue(() => afterWaiting(request, done, () => done()));
    else done();
  };
  fastify.server.on('connection', () => scheduler.onConnection());
  fastify.addHook('onRequest', (request, reply, done) => {
    if (reply.raw.socket !== null) return schedule(request, done);
    const { socket } = request.raw;
    const count = (pipelined.get(socket) ?? 0) + 1;
    pipelined.set(socket, count);
    if (count > MAX_PIPELINED) socket.destroy();
    if (socket.destroyed) return;
    reply.raw.once('socket', () => {
      pipelined.set(socket, (pipelined.get(socket) ?? 1) - 1);
      process.nextTick(afterWaiting, request, done, () => schedule(request, done)); // after that response has closed
    });
  });
}

class StartScheduler {
  private readonly queue: Queue = [];
  /** 0 if no request has arrived in this iteration. */
  private iterationStart = 0;
  private hasNewConnection = false;
  /** Start of the wait for new connections; 0 if requests may start. */
  private acceptingSince = 0;

  constructor(private readonly windowMs: number) {}

  onConnection(): void {
    this.hasNewConnection = true;
  }

  enqueue(start: () => void): void {
    this.queue.push(start);
  }

  mustWait(): boolean {
    if (this.iterationStart === 0) {
      this.iterationStart = performance.now();
      setImmediate(() => this.endIteration());
    }
    return this.acceptingSince > 0 || this.queue.length > 0 || performance.now() - this.iterationStart > this.windowMs;
  }

  private endIteration(): void {
    const now = performance.now();
    const mayAccept =
      this.acceptingSince > 0
        ? now - this.acceptingSince < this.windowMs
        : now - this.iterationStart > LONG_ITERATION_MS;
    this.acceptingSince = this.hasNewConnection && mayAccept ? this.acceptingSince || now : 0;
    this.hasNewConnection = false;
    if (this.acceptingSince > 0) setImmediate(() => this.endIteration());
    else if (this.queue.length === 0) this.iterationStart = 0;
    else this.startUntil(now + this.windowMs);
  }

  private startUntil(end: number): void {
    const now = performance.now();
    if (now >= end || this.queue.length === 0) {
      this.iterationStart = now;
      setImmediate(() => this.endIteration());
      return;
    }
    queueMicrotask(() => process.nextTick(() => this.startUntil(end))); // after the synchronous part of this request
    this.queue.shift()?.();
  }
}

/** Responses sent without grouping after an iteration with only one response. Then grouping is tried again. */
const UNGROUPED_AFTER_ALONE = 32;
/** Larger groups would not fit the CPU cache. */
const MAX_GROUP = 32;

/**
 * Sends short responses of one event-loop iteration together at its end, so that a proxy or client with many open
 * requests wakes up only once. Disabled while long work waits, because that work would run first.
 */
export function groupResponses(fastify: FastifyInstance): void {
  let group: (() => void)[] = [];
  let ungrouped = 0;
  const sendGroup = (): void => {
    const responses = group;
    group = [];
    if (responses.length === 1) ungrouped = UNGROUPED_AFTER_ALONE;
    for (const send of responses) send();
  };
  fastify.addHook('onSend', (request, _reply, payload, done) => {
    if (typeof payload !== 'string' || isLongWorkWaiting()) return done(null, payload);
    if (ungrouped > 0) {
      ungrouped--;
      return done(null, payload);
    }
    const send = (): void => {
      try {
        done(null, payload);
      } catch (error) {
        done(error as Error); // fails this response only
      }
    };
    const size = group.push(() => withinRequest(request.span, send));
    if (size === 1) setImmediate(sendGroup);
    if (size === MAX_GROUP) sendGroup();
  });
}
