import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL, SQL_RETENTION_NOW } from '@donorlens/database';
import { LEADER_LEASE } from '@donorlens/operations';

export interface JobRun {
  readonly id: string;
  /** Fencing token of the leader that executes the run. */
  readonly epoch: string;
}

/** Runs of scheduled jobs: one for each kind and scheduled time, also if several processes claim it. */
@Injectable()
export class JobRunRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** The database's clock, which all schedules follow. */
  async now(): Promise<Date> {
    const { rows } = await this.pool.query<{ now: Date }>('select clock_timestamp() as now');
    return rows[0].now;
  }

  /**
   * Claims the run of a scheduled time. Takes over a run that a former leader did not finish.
   * @returns null if that run has ended, or if another aggregator has become the leader
   */
  async claim(kind: string, scheduledFor: Date, epoch: string): Promise<JobRun | null> {
    const { rows } = await this.pool.query<{ id: string }>(
      `insert into job_run (kind, scheduled_for, epoch, state)
       select $1, $2, $3, 'running' where exists (select from lease where name = $4 and epoch = $3)
       on conflict (kind, scheduled_for) do update set epoch = excluded.epoch, started_at = now()
         where job_run.state = 'running' and job_run.epoch < excluded.epoch
       returning id`,
      [kind, scheduledFor, epoch, LEADER_LEASE],
    );
    return rows.length === 0 ? null : { id: rows[0].id, epoch };
  }

  /** Result of the last successful run of a kind, by id: the clock may have been wrong. */
  async newestDone<Detail>(kind: string): Promise<Detail | null> {
    const { rows } = await this.pool.query<{ detail: Detail }>(
      `select detail from job_run where kind = $1 and state = 'done' order by id desc limit 1`,
      [kind],
    );
    return rows[0]?.detail ?? null;
  }

  /** @returns false if another aggregator has become the leader, which takes over the unfinished run */
  async finish(run: JobRun, state: 'done' | 'failed', detail: object): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update job_run set state = $3, finished_at = now(), detail = $4
       where id = $1 and epoch = $2 and state = 'running' and exists (select from lease where name = $5 and epoch = $2)`,
      [run.id, run.epoch, state, JSON.stringify(detail), LEADER_LEASE],
    );
    return rowCount === 1;
  }

  async prune(olderThanDays: number): Promise<void> {
    await this.pool.query(
      `delete from job_run where scheduled_for < ${SQL_RETENTION_NOW} - make_interval(days => $1)`,
      [olderThanDays],
    );
  }
}
