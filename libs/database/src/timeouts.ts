/** What a connection of ours waits for at most, in milliseconds, by Postgres' names. */
export const TIMEOUTS = {
  statement_timeout: 30_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 60_000,
} as const;
