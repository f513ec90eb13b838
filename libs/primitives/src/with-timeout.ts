/** The work took longer than its time limit. */
export class TimeoutError extends Error {
  constructor(readonly timeoutMs: number) {
    super(`no result within ${timeoutMs} ms`);
    this.name = 'TimeoutError';
  }
}

/**
 * Waits for work, but only until its time limit or until the caller aborts.
 * @param timeoutMs - time limit in milliseconds
 * @param work - receives a signal that aborts at the limit. The wait ends then even if the work ignores the signal;
 *   what the work returns or throws later is dropped
 * @param makeError - the error that is thrown at the limit; a TimeoutError by default
 * @param parent - the caller's signal. Its reason is thrown when it aborts; work is not started if it already has
 * @throws what the work throws, the error of the limit, or the parent's reason
 */
export async function withTimeout<T>(
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
  makeError: () => Error = () => new TimeoutError(timeoutMs),
  parent?: AbortSignal,
): Promise<T> {
  parent?.throwIfAborted();
  const controller = new AbortController();
  const { signal } = controller;
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  const abortWithParent = (): void => controller.abort(parent?.reason);
  parent?.addEventListener('abort', abortWithParent, { once: true });
  const timer = setTimeout(() => controller.abort(makeError()), timeoutMs);
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener('abort', abortWithParent);
  }
}
