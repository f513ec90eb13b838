import { isDatabaseAway } from '@donorlens/database';

/** Codes of Node and the system: ECONNREFUSED, ENOSPC, EAI_AGAIN. `ERR_...` are faults of the program. */
const SYSTEM_CODE = /^E(?!RR_)[A-Z0-9_]+$/;

/** True if the database, the disk or the network is away: waiting helps, and the work is not at fault. */
export function isTransientError(error: unknown): boolean {
  if (isDatabaseAway(error)) return true;
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  return SYSTEM_CODE.test(error.code) || error.code === 'ERR_STREAM_PREMATURE_CLOSE'; // a COPY whose connection closed
}
