import { DonorlensProblem } from './problem';
import { sleep } from './sleep';

/** Longer waits, such as for a daily quota, are left to the caller. */
const MAX_WAIT_SECONDS = 60;

/** Seconds of `Retry-After` if the error is a 429 or 503, which did nothing and may be repeated; otherwise null. */
function retryDelaySeconds(error: unknown): number | null {
  if (!(error instanceof DonorlensProblem) || ![429, 503].includes(error.status)) return null;
  const seconds = error.retryAfterSeconds;
  return seconds === null || seconds > MAX_WAIT_SECONDS ? null : Math.max(1, seconds);
}

/** Repeats an attempt that was refused with `Retry-After`, at most `maxRetries` times. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  maxRetries: number,
  signal?: AbortSignal | null,
): Promise<T> {
  for (let retries = 0; ; retries++)
    try {
      return await attempt();
    } catch (error) {
      const seconds = retryDelaySeconds(error);
      if (seconds === null || retries >= maxRetries) throw error;
      await sleep(seconds, signal);
    }
}
