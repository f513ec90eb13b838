/**
 * True for a DATABASE_URL with `?pgbouncer=true`: a pooler that gives each transaction another connection. Nothing may be
 * kept in a session then: no setting, no statement prepared by name, no lock, no table beyond the transaction's end.
 */
export const isPooled = (databaseUrl: string): boolean => poolingIn(databaseUrl) === 'true';

/** As it stands in the URL; null where it is not said. */
export const poolingIn = (databaseUrl: string): string | null =>
  URL.canParse(databaseUrl) ? new URL(databaseUrl).searchParams.get('pgbouncer') : null;

/** Without what only we read. */
export function serverUrlOf(databaseUrl: string): string {
  if (poolingIn(databaseUrl) === null) return databaseUrl;
  return databaseUrl.replace(/([?&])pgbouncer=[^&#]*(&?)/, (_, before: string, after: string) => (after ? before : ''));
}
