import { DEAD_AFTER_SECONDS } from '../heartbeats/process-heartbeat';
import { sinceText } from './stall-reason';

/** Why the state of the service cannot be read. */
export interface DatabaseIssue {
  /** Slow: the database answers, but the state of the service cannot be read in time. */
  readonly kind: 'away' | 'slow';
  readonly since: Date;
  /** Host and port of the database, and the variable that says so. */
  readonly at: string;
}

/** While the state cannot be read in time; the queues may make progress. */
export const databaseSlowMessage = (from: Date, now: Date): string =>
  `The database answers, but the state of the service could not be read in time ${sinceText(from, now)}: the values shown may be old. The database is overloaded or waits for a lock; check the error in the log of the api.`;

/** Stall reason of every queue while the database does not answer. */
export const databaseDownMessage = ({ since: from, at }: Pick<DatabaseIssue, 'since' | 'at'>, now: Date): string =>
  `The database does not answer at ${at} ${sinceText(from, now)}: start it, or check the connection. Until then no job is taken or completed; stored data are safe, and work continues by itself.`;

/** Shown instead of missing processes while heartbeats cannot be written. */
export const heartbeatsLateMessage = (from: Date, now: Date): string =>
  `Heartbeats are late: no process could write one ${sinceText(from, now)}, for example because the database did not answer. Missing processes are reported within ${DEAD_AFTER_SECONDS} seconds; start those that are missing then.`;
