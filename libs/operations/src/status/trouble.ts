import { DEAD_AFTER_SECONDS } from '../beats/process-beat';
import { since } from './words';

/** Why nothing new can be known of the service. */
export interface Trouble {
  /** Slow: the database answers, though not in time what the service's state is read by. */
  readonly kind: 'away' | 'slow';
  readonly since: Date;
  /** Host and port of the database, and the variable that says so. */
  readonly at: string;
}

/** What is told of the service while its state cannot be read in time: it may well move. */
export const databaseSlow = (from: Date, now: Date): string =>
  `The database answers, but has not told the state of the service in time ${since(from, now)}: what is shown may be old. It has too much to do, or waits for a lock; the log of the api has the error.`;

/** What is told of every queue while the database is away. */
export const databaseAway = ({ since: from, at }: Pick<Trouble, 'since' | 'at'>, now: Date): string =>
  `The database does not answer at ${at} ${since(from, now)}: start it, or mend the way to it. Until then nothing is taken or finished; what was stored is kept, and work goes on by itself.`;

/** What is told in place of who is missing, while nobody can be told from the dead. */
export const signsLate = (from: Date, now: Date): string =>
  `Signs of life are late: ${since(from, now)} none could be written, as while the database is away. Who is missing is known within ${DEAD_AFTER_SECONDS} seconds; start whoever has not come back by then.`;
