import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from './database.module';
import { inTransaction } from './pool';

/** A moment up to which retention periods may end, and for how long the server's clock has been ahead of it. */
export interface RetentionTime {
  readonly atMs: number;
  readonly aheadMs: number;
}

/** A smaller difference is no wrong clock: a leader was missing, or a run took long. */
export const TOLERATED_MS = 5 * 60_000;
/** After so much process time, a clock that is still ahead is taken for right. */
export const CONFIRM_MS = 3_600_000;
/** Retention time then passes at this multiple of process time, until it reaches the clock. */
export const CATCH_UP_RATE = 4;
/** Maximum time that one run adds: the clock of a process may be wrong, too. */
const MAX_RUN_MS = 60_000;

/**
 * The retention time after a run. It follows a clock that is right or set back. It passes no faster than process time if
 * the clock jumped forward, and catches up after an hour, as after a stop of all processes.
 */
export function advanceRetentionTime(stored: RetentionTime | null, clockMs: number, elapsedMs: number): RetentionTime {
  if (stored === null || clockMs - stored.atMs <= TOLERATED_MS) return { atMs: clockMs, aheadMs: 0 };
  const runMs = Math.min(elapsedMs, MAX_RUN_MS);
  const aheadMs = stored.aheadMs + runMs;
  const rate = aheadMs >= CONFIRM_MS ? CATCH_UP_RATE : 1;
  return { atMs: Math.min(clockMs, stored.atMs + rate * runMs), aheadMs };
}

/** SQL: what ended before may be erased. Null, and so nothing, before the first run of the retention task. */
export const SQL_RETENTION_NOW = '(select least(at, now()) from retention_clock where at is not null)';

/**
 * SQL: when a retention period begins. A clock that was set back is not followed before the retention task follows it.
 */
export const SQL_RETENTION_START = `(select greatest(nullif(at, 'infinity'), now()) from retention_clock)`;

interface Row {
  at: number | null;
  ahead: number;
  clock: number;
}

/** Counts the time that passes, by the monotonic clock of the leader's process. It survives changes of the leader. */
@Injectable()
export class RetentionClock {
  private ranAt = Infinity;

  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** Counts the time since the last call in this process. */
  async advance(): Promise<void> {
    const elapsedMs = Math.max(0, performance.now() - this.ranAt);
    this.ranAt = performance.now();
    await inTransaction(this.pool, async (client) => {
      const [{ at, ahead, clock }] = (
        await client.query<Row>(
          `select (extract(epoch from at) * 1000)::float8 as at, ahead_seconds * 1000 as ahead,
                  (extract(epoch from clock_timestamp()) * 1000)::float8 as clock from retention_clock for update`,
        )
      ).rows;
      const { atMs, aheadMs } = advanceRetentionTime(
        at === null ? null : { atMs: at, aheadMs: ahead },
        clock,
        elapsedMs,
      );
      await client.query('update retention_clock set at = to_timestamp($1::float8 / 1000), ahead_seconds = $2', [
        atMs,
        aheadMs / 1000,
      ]);
    });
  }
}
