import { MAX_CHUNK_WAIT_SECONDS, CountMismatchError } from '@donorlens/batches';
import { isDatabaseAway } from '@donorlens/database';
import { ChunkMismatchError } from '@donorlens/enrichment';
import { ReleaseFormatError, UnknownReleaseError } from '@donorlens/reference-data';

/** Codes of Node and the system: ECONNREFUSED, ENOSPC, EAI_AGAIN. `ERR_...` are faults of the program. */
const SYSTEM_CODE = /^E(?!RR_)[A-Z0-9_]+$/;

/** True if the database, the disk or the network is away: waiting helps, and the work is not at fault. */
export function isTransientError(error: unknown): boolean {
  if (isDatabaseAway(error)) return true;
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  return SYSTEM_CODE.test(error.code) || error.code === 'ERR_STREAM_PREMATURE_CLOSE'; // a COPY whose connection closed
}

/** What happens to a chunk whose attempt threw an error. */
export type ChunkFault =
  | { readonly kind: 'fatal'; readonly errorCode: string }
  | { readonly kind: 'counted'; readonly retryMs: number }
  | { readonly kind: 'transient'; readonly retryMs: number };

const TRANSIENT_RETRY_MS = 2_000;
const MAX_RETRY_MS = 1_000 * MAX_CHUNK_WAIT_SECONDS;
/** 4 s doubled each time: two minutes, in which a rolling upgrade starts a worker that reads the new format. */
const FORMAT_ATTEMPTS = 6;
/** The same backoff for about six minutes: long enough for an operator to repair the database. */
const MAX_ATTEMPTS = 10;

/**
 * Classifies the error of a chunk's attempt. A permanent error fails the batch at once. A transient one (the database,
 * the disk or the network is away) is waited for and does not count. Any other counts as an attempt, up to a maximum.
 * @param attempts - of the chunk so far, this one included
 * @param isSnapshot - rows of a bulk file, of which a full disk is reported: to give up frees the disk
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
