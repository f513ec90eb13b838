/**
 * Classes of SQLSTATE that say nothing about the statement: connection (08), transaction state as an idle timeout or a
 * standby leave it (25), authorization (28), rollback by a deadlock (40), resources (53), locks (55), operator (57),
 * the system's files (58).
 */
const CLASSES: ReadonlySet<string> = new Set(['08', '25', '28', '40', '53', '55', '57', '58']);
const NETWORK: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);
/** What the driver says of a connection without giving a code. */
const DRIVER_MESSAGE =
  /connection (terminated|error|was lost)|connection timeout|timeout exceeded|read timeout|not queryable/i;

/** True where the database is away, full, or refuses for another reason that is not the statement's: waiting helps. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : null;
  if (code === null) return DRIVER_MESSAGE.test(error.message);
  return NETWORK.has(code) || (code.length === 5 && CLASSES.has(code.slice(0, 2)));
}
