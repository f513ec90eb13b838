import { DomainError } from '@donorlens/primitives';

/** The queue did not answer in time, is not reachable, or refused. Time is lost, never data: Postgres has the work. */
export class QueueAwayError extends DomainError {
  readonly code = 'queue_away';
}

/**
 * The result of `work`, or a QueueAwayError after `timeoutMs`. The queue's own clients can wait for ever
 * (never connected, frozen server, closing while reconnecting), so every call is made through this.
 */
export async function within<T>(timeoutMs: number, what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new QueueAwayError(`${what}: no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
