import { MAX_CHUNK_WAIT_SECONDS, CountMismatchError } from '@donorlens/batches';
import { isTransientDatabaseError } from '@donorlens/database';
import { ChunkMismatchError } from '@donorlens/enrichment';
import { ReleaseFormatError, UnknownReleaseError } from '@donorlens/reference-data';

/** Error codes of the operating system: ECONNREFUSED, ENOSPC, EAI_AGAIN. Codes `ERR_...` of Node are program errors. */
const SYSTEM_CODE = /^E(?!RR_)[A-Z0-9_]+$/;

/** True if the database, the disk or the network is unavailable: the job did not cause the error and can be retried. */
export function isTransientError(error: unknown): boolean {
  if (isTransientDatabaseError(error)) return true;
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  return SYSTEM_CODE.test(error.code) || error.code === 'ERR_STREAM_PREMATURE_CLOSE'; // COPY, connection closed
}

/** What happens to a chunk whose attempt threw an error. */
export type ChunkFault =
  | { readonly kind: 'fatal'; readonly errorCode: string }
  | { readonly kind: 'counted'; readonly retryMs: number }
  | { readonly kind: 'transient'; readonly retryMs: number };

const TRANSIENT_RETRY_MS = 2_000;
const MAX_RETRY_MS = 1_000 * MAX_CHUNK_WAIT_SECONDS;
/** Waits double from 4 s, two minutes in total: within that time a rolling upgrade starts a worker for the format. */
const FORMAT_ATTEMPTS = 6;
/** The same backoff takes about six minutes: enough time for an operator to repair the database. */
const MAX_ATTEMPTS = 10;

/**
 * Classifies the error of a chunk's attempt. A permanent error fails the batch at once. After a transient error (the
 * database, the disk or the network is unavailable) the chunk is retried without a limit. Any other error counts.
 * @param attempts - number of attempts for the chunk so far, including this one
 * @param isSnapshot - true for rows of a bulk file: a full disk fails the batch, which frees disk space
 */
export function chunkFault(error: unknown, attempts: number, isSnapshot = false): ChunkFault {
  if (isSnapshot && error instanceof Error && 'code' in error && error.code === '53100')
    return { kind: 'fatal', errorCode: 'disk_full' };
  if (error instanceof ChunkMismatchError) return { kind: 'fatal', errorCode: 'unreadable_input' };
  if (error instanceof CountMismatchError || error instanceof UnknownReleaseError)
    return { kind: 'fatal', errorCode: error.code };
  if (error instanceof ReleaseFormatError && attempts >= FORMAT_ATTEMPTS)
    return { kind: 'fatal', errorCode: error.code };
  if (isTransientError(error)) return { kind: 'transient', retryMs: TRANSIENT_RETRY_MS };
  if (attempts >= MAX_ATTEMPTS) return { kind: 'fatal', errorCode: 'chunk_failed' };
  return { kind: 'counted', retryMs: Math.min(TRANSIENT_RETRY_MS * 2 ** attempts, MAX_RETRY_MS) };
}
