/**
 * Classes of SQLSTATE that say nothing about the statement: connection (08), transaction state as an idle timeout or a
 * standby leave it (25), authorization (28), rollback by a deadlock (40), resources (53), locks (55), operator (57),
 * the system's files (58).
 */
const WEATHER_CLASSES: ReadonlySet<string> = new Set(['08', '25', '28', '40', '53', '55', '57', '58']);
/** Codes of Node and the system: ECONNREFUSED, ENOSPC, EAI_AGAIN. `ERR_...` are the program's own faults. */
const SYSTEM_CODE = /^E(?!RR_)[A-Z0-9_]+$/;
/** What the driver says of a connection without giving a code. */
const DRIVER_MESSAGE =
  /connection (terminated|error|was lost)|connection timeout|timeout exceeded|read timeout|not queryable/i;

/** True for a database, disk or network that is away: waiting helps, and nobody's work is to blame. */
export function isWeather(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === null) return DRIVER_MESSAGE.test(error.message);
  if (code === 'ERR_STREAM_PREMATURE_CLOSE') return true; // a COPY whose connection closed
  return SYSTEM_CODE.test(code) || (code.length === 5 && WEATHER_CLASSES.has(code.slice(0, 2)));
}
