import { isDatabaseAway } from '@donorlens/database';

/** Codes of Node and the system: ECONNREFUSED, ENOSPC, EAI_AGAIN. `ERR_...` are the program's own faults. */
const SYSTEM_CODE = /^E(?!RR_)[A-Z0-9_]+$/;

/** True for a database, disk or network that is away: waiting helps, and nobody's work is to blame. */
export function isWeather(error: unknown): boolean {
  if (isDatabaseAway(error)) return true;
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) return false;
  return SYSTEM_CODE.test(error.code) || error.code === 'ERR_STREAM_PREMATURE_CLOSE'; // a COPY whose connection closed
}
