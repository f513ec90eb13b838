import { setTimeout as sleep } from 'node:timers/promises';
import { isUnreachable } from '../exit-code';
import { HttpFault } from './service-client';
import { messageOf } from '../fault-code';

/** Waits between tries: doubled from a quarter of a second up to five. */
const FIRST_MS = 250;
const MOST_MS = 5_000;
/** An api that restarts, moves or is upgraded is back within this. */
export const PATIENCE_MS = 5 * 60_000;

/** Statuses that say: the same request may well be answered later. 409 is an idempotency key still being worked on. */
const PASSING = new Set([408, 409, 425, 429, 500, 502, 503, 504]);

export interface RetryOptions {
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
  /** Called once, when the first try has failed. */
  told?(message: string): void;
  /** Statuses that may pass; the default leaves out what a client can only change itself. */
  readonly passing?: ReadonlySet<number>;
}

export const mayPass = (error: unknown, passing: ReadonlySet<number> = PASSING): boolean =>
  error instanceof HttpFault ? passing.has(error.status) : isUnreachable(error) || isCut(error);

/** A connection that ended in the middle of an answer or of a file. */
const isCut = (error: unknown): boolean =>
  /terminated|other side closed|aborted|premature close/i.test(messageOf(error));

/** Repeats work that may pass, for as long as patience lasts after the last success of the caller. */
export async function withPatience<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const deadline = Date.now() + (options.patienceMs ?? PATIENCE_MS);
  let told = false;
  for (let backoffMs = FIRST_MS; ; backoffMs = Math.min(backoffMs * 2, MOST_MS)) {
    try {
      return await work();
    } catch (error) {
      options.signal?.throwIfAborted();
      const waitMs = (error instanceof HttpFault ? error.retryAfterMs : null) ?? backoffMs;
      if (!mayPass(error, options.passing) || Date.now() + waitMs > deadline) throw error;
      if (!told) options.told?.(messageOf(error));
      told = true;
      await sleep(waitMs, undefined, { signal: options.signal });
    }
  }
}
