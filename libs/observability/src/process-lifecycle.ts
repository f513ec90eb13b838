import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ConfigError } from '@donorlens/config';
import { createLogger, type Logger } from './logger';
import { type StuckTask } from './stuck-loop-watch';

const WRONG_ENVIRONMENT = 2;
const DEPENDENCY = 3;
const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** Ends a failed start with one line and an exit code: 2 for the environment, 3 for a dependency. */
export function endFailedStart(role: string, error: unknown): never {
  const message = error instanceof Error ? error.message || error.name : String(error);
  createLogger(role, 'error').fatal(message);
  process.exit(error instanceof ConfigError ? WRONG_ENVIRONMENT : DEPENDENCY);
}

/**
 * Runs a start that a stop signal ends at once. Without a listener, process 1 of a container ignores signals, such as
 * while it waits for the database. The caller adds its own listeners at once after it.
 */
export async function stoppableStart<T>(start: () => Promise<T>): Promise<T> {
  let isStarting = true;
  // The listener stays: Node.js drops a signal that arrives between the removal of the last listener and the next one.
  for (const signal of STOP_SIGNALS) process.on(signal, () => isStarting && process.exit(0));
  try {
    return await start();
  } finally {
    isStarting = false;
  }
}

/** The state after an unexpected error is unknown: log one line, then exit and restart. */
export function endOnUnexpected(logger: Logger): void {
  const end = (err: unknown): never => {
    logger.fatal({ err }, 'unexpected error');
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}

/** Less than the 30 s after SIGTERM when orchestrators kill a process. */
const SHUTDOWN_TIMEOUT_MS = 25_000;

/**
 * Ends a process that got a signal to stop and still has work, such as a download whose client has stopped reading.
 * Interrupted work is repeated later: transactions roll back, and clients retry. Call it after all listeners for
 * signals are registered.
 */
export function exitAfterShutdownTimeout(logger: Logger, timeoutMs = SHUTDOWN_TIMEOUT_MS): void {
  const end = (): void => {
    logger.warn('work in progress did not end in time; the process ends and interrupted work is repeated');
    process.exit(0);
  };
  for (const signal of STOP_SIGNALS) process.once(signal, () => setTimeout(end, timeoutMs).unref());
}

/** Longest time a process that lost its supervisor may take to close before it is ended. */
const CLOSING_MS = 10_000;

/** Reports to the supervisor of `npm start` that this process is ready; does nothing without one. */
export function announceReady(): void {
  process.send?.({ type: 'ready' });
}

/**
 * Ends this process when its supervisor ends, also after a kill -9: the IPC channel breaks, and the process stops as on
 * SIGTERM. Call it once in main.ts; it does nothing without a supervisor.
 */
export function endWithSupervisor(): void {
  if (!process.send) return;
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), CLOSING_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  process.channel?.unref();
}

/**
 * A spare process of `npm start` has loaded its modules and waits here until its supervisor needs it. Other processes
 * go on at once. Call it after endWithSupervisor.
 */
export async function waitUntilNeeded(): Promise<void> {
  if (!process.argv.includes('--spare')) return;
  process.channel?.ref();
  await once(process, 'message');
  process.channel?.unref();
}

const HEARTBEAT_MS = 500;
/**
 * Processor time. No healthy work computes for so long without a pause: a chunk takes well under a second. It is a
 * third of a chunk's lease, so that even on half a core the next worker takes the row after this one has ended.
 */
const STUCK_SECONDS = 3;

const WATCH = require.resolve('./stuck-loop-watch');

/**
 * Kills this process once its event loop has stood still for three seconds of computing, as over a row that never ends:
 * it would keep its work and answer no probe until it is restarted. A separate thread watches, since nothing else still
 * runs. Tests from TypeScript sources have no watchdog.
 */
export function endWhenStuck(role: string, stuckSeconds = STUCK_SECONDS): void {
  if (!WATCH.endsWith('.js')) return;
  const heartbeats = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const task: StuckTask = { heartbeats, role, stuckSeconds };
  new Worker(WATCH, { workerData: task }).unref();
  setInterval(() => Atomics.add(heartbeats, 0, 1), HEARTBEAT_MS).unref();
}
