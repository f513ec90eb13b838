import { hostname } from 'node:os';
import { type Pool } from 'pg';
import { SQL_RETENTION_NOW } from '@donorlens/database';
import { VERSION } from '@donorlens/observability';

export interface HeartbeatRow {
  readonly id: string;
  readonly role: string;
  readonly queues: readonly string[];
  readonly inWork: number;
  /** Clock of Postgres less that of the process; null: not known yet. */
  readonly clockDifferenceSeconds: number | null;
}

/** Rows of processes that were killed are shown to operators for so long. */
const SHOWN_SECONDS = 3_600;

/**
 * Writes the heartbeat of a process, and deletes rows of processes that were killed long ago.
 * @returns milliseconds of the clock of Postgres
 */
export async function writeHeartbeat(
  pool: Pool,
  { id, role, queues, inWork, clockDifferenceSeconds }: HeartbeatRow,
): Promise<number | undefined> {
  const { rows } = await pool.query<{ now: number }>(
    `with swept as (
       delete from process where id in (
         select id from process where seen_at < now() - make_interval(secs => $8) and id <> $1 for update skip locked))
     insert into process (id, role, host, pid, version, queues, in_work, clock_difference_seconds)
     values ($1, $2, $3, $4, $5, $6, $7, $9)
     on conflict (id) do update set seen_at = now(), in_work = excluded.in_work, queues = excluded.queues,
       clock_difference_seconds = excluded.clock_difference_seconds
     returning (extract(epoch from clock_timestamp()) * 1000)::float8 as now`,
    [id, role, hostname(), process.pid, VERSION, queues, inWork, SHOWN_SECONDS, clockDifferenceSeconds],
  );
  return rows[0]?.now;
}

export async function deleteHeartbeat(pool: Pool, id: string): Promise<void> {
  await pool.query('delete from process where id = $1', [id]);
}

export interface CountRows {
  readonly jobs: readonly { readonly queue: string; done: number; failed: number; rows: number }[];
  readonly totals: readonly { readonly kind: string; label: string; value: number }[];
}

/** Sorted rows: two workers that flush at the same time wait for each other, and never form a deadlock. */
const ADD_COUNTS = `
  with jobs as (
    insert into queue_minute (queue, minute, done, failed, rows)
    select queue, date_trunc('minute', now()), done, failed, rows
    from unnest($1::text[], $2::int[], $3::int[], $4::bigint[]) as new (queue, done, failed, rows) order by queue
    on conflict (queue, minute) do update set done = queue_minute.done + excluded.done,
      failed = queue_minute.failed + excluded.failed, rows = queue_minute.rows + excluded.rows),
  expired as (delete from queue_minute where minute < ${SQL_RETENTION_NOW} - interval '25 hours')
  insert into work_total (kind, label, value)
  select kind, label, value from unnest($5::text[], $6::text[], $7::bigint[]) as new (kind, label, value)
  order by kind, label
  on conflict (kind, label) do update set value = work_total.value + excluded.value`;

/** Adds counts of jobs to the current minute, and to the totals of the service. */
export async function addCounts(pool: Pool, { jobs, totals }: CountRows): Promise<void> {
  await pool.query(ADD_COUNTS, [
    jobs.map(({ queue }) => queue),
    jobs.map(({ done }) => done),
    jobs.map(({ failed }) => failed),
    jobs.map(({ rows }) => rows),
    totals.map(({ kind }) => kind),
    totals.map(({ label }) => label),
    totals.map(({ value }) => value),
  ]);
}
