import { DomainError, withTimeout } from '@donorlens/primitives';

/** The queue did not answer in time, is not reachable, or refused. Time is lost, never data: Postgres has the work. */
export class QueueAwayError extends DomainError {
  readonly code = 'queue_away';
}

/**
 * The result of `work`, or a QueueAwayError after `timeoutMs`. The queue's own clients can wait forever
 * (never connected, frozen server, closing while reconnecting), so every call is made through this.
 */
export const withQueueTimeout = <T>(timeoutMs: number, what: string, work: Promise<T>): Promise<T> =>
  withTimeout(
    timeoutMs,
    () => work,
    () => new QueueAwayError(`${what}: no answer within ${timeoutMs} ms`),
  );
