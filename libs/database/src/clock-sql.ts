/** Another transaction may have read the clock this much later than ours, which is no step of the clock. */
const SLACK = `interval '2 seconds'`;

/**
 * SQL: a lease or a wait is over. One that ends later than its own length from now was made before the clock of Postgres
 * was set back, and is over, too.
 * @param until - column of the end
 * @param seconds - SQL of the longest that it can be
 */
export const sqlIsOver = (until: string, seconds: number | string): string =>
  `(${until} <= now() or ${until} > clock_timestamp() + make_interval(secs => ${seconds}) + ${SLACK})`;

/** SQL: something happened longer ago than that, or later than now, before the clock of Postgres was set back. */
export const sqlIsOlder = (at: string, seconds: number | string): string =>
  `(${at} < now() - make_interval(secs => ${seconds}) or ${at} > clock_timestamp() + ${SLACK})`;
