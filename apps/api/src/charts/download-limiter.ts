import { Semaphore, type SemaphoreInterface, withTimeout } from 'async-mutex';
import { Problem } from '../http/problem';

/** Each file holds a database connection until it has been sent. */
const MAX_CONTRIBUTION_FILES = 4;
/** Most files are short, so a client that waits this long usually gets its file. */
const CONTRIBUTION_FILE_WAIT_MS = 2_000;

export const tooManyDownloads = (detail: string): Problem =>
  new Problem('unavailable', `${detail}; try again in 10 seconds.`, { headers: { 'retry-after': '10' } });

/** Limits contribution files that are sent at a time. `acquire` rejects with Problem 503 after `waitMs`. */
export const contributionFileLimiter = (
  max = MAX_CONTRIBUTION_FILES,
  waitMs = CONTRIBUTION_FILE_WAIT_MS,
  busyDetail = `${max} contribution files are being sent`,
): SemaphoreInterface => withTimeout(new Semaphore(max), waitMs, tooManyDownloads(busyDetail));
