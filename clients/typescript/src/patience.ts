import { DonorlensProblem } from './problem';
import { sleep } from './sleep';

/** A longer wait is the caller's to decide on: a used up daily quota comes back at midnight. */
const MOST_WAIT_SECONDS = 60;

/** Refusals that say when to come back: too many requests, and not ready yet. Nothing was done, so trying again is safe. */
function waitOf(error: unknown): number | null {
  if (!(error instanceof DonorlensProblem) || ![429, 503].includes(error.status)) return null;
  const seconds = error.retryAfterSeconds;
  return seconds === null || seconds > MOST_WAIT_SECONDS ? null : Math.max(1, seconds);
}

/** Tries again when it was asked to come back, up to so many times. */
export async function patiently<T>(
  attempt: () => Promise<T>,
  mostRetries: number,
  signal?: AbortSignal | null,
): Promise<T> {
  for (let retries = 0; ; retries++)
    try {
      return await attempt();
    } catch (error) {
      const seconds = waitOf(error);
      if (seconds === null || retries >= mostRetries) throw error;
      await sleep(seconds, signal);
    }
}
