import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog, type QueueName } from '@donorlens/queues';
import { WORK_KINDS } from './work-kinds';

const FLUSH_MS = 5_000;

interface OfQueue {
  done: number;
  failed: number;
  rows: number;
}

/** Counted since the last flush. */
class Counts {
  readonly queues = new Map<QueueName, OfQueue>();
  /** By `kind label`. */
  readonly totals = new Map<string, number>();

  add(queue: QueueName, more: OfQueue, outcomes: Readonly<Record<string, number>>): void {
    const { done, failed, rows } = this.queues.get(queue) ?? { done: 0, failed: 0, rows: 0 };
    this.queues.set(queue, { done: done + more.done, failed: failed + more.failed, rows: rows + more.rows });
    this.total(`${WORK_KINDS[queue].jobs} done`, more.done);
    this.total(`${WORK_KINDS[queue].jobs} failed`, more.failed);
    for (const [outcome, items] of Object.entries(outcomes)) this.total(`${WORK_KINDS[queue].items} ${outcome}`, items);
  }

  addAll(other: Counts): void {
    for (const [queue, counts] of other.queues) this.add(queue, { ...counts }, {});
    for (const [name, value] of other.totals) if (!isOfJobs(name)) this.total(name, value);
  }

  private total(name: string, value: number): void {
    if (value > 0) this.totals.set(name, (this.totals.get(name) ?? 0) + value);
  }
}

const isOfJobs = (name: string): boolean => Object.values(WORK_KINDS).some(({ jobs }) => name.startsWith(`${jobs} `));

/**
 * Counts what this worker does, and adds it to the counters of the whole service every 5 s and at the end: jobs of each
 * minute for the rates that operators see, and totals that only grow. Counting is an addition in memory: it never waits
 * and never fails a job. What could not be written is written with the next; where a statement was carried out and its
 * answer was lost it counts twice, which a rate over minutes forgives. The tally of a batch is not this.
 */
@Injectable()
export class WorkCounter implements BeforeApplicationShutdown {
  private readonly errors: ErrorLog;
  private counts = new Counts();
  private timer: NodeJS.Timeout | undefined;
  private flushing: Promise<void> = Promise.resolve();

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'counting');
  }

  /** Nest calls it root module first: jobs in hand have ended, and the pool is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  jobDone(queue: QueueName, rows: number, outcomes: Readonly<Record<string, number>>): void {
    this.count(queue, { done: 1, failed: 0, rows }, outcomes);
  }

  jobFailed(queue: QueueName): void {
    this.count(queue, { done: 0, failed: 1, rows: 0 }, {});
  }

  /** Writes what was counted. Never throws; one at a time, however slow the database is. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  /** The first begins to have them written: a process that does no work writes none. */
  private count(queue: QueueName, more: OfQueue, outcomes: Readonly<Record<string, number>>): void {
    this.counts.add(queue, more, outcomes);
    this.timer ??= setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  private async write(): Promise<void> {
    const { counts } = this;
    if (counts.queues.size === 0) return;
    this.counts = new Counts();
    try {
      await this.pool.query(UPSERT, parametersOf(counts));
    } catch (error) {
      this.errors.report(error);
      counts.addAll(this.counts);
      this.counts = counts;
    }
  }
}

/** Rows in a fixed order: two workers that flush at once wait for each other, and never in a ring. */
const UPSERT = `
  with jobs as (
    insert into queue_minute (queue, minute, done, failed, rows)
    select queue, date_trunc('minute', now()), done, failed, rows
    from unnest($1::text[], $2::int[], $3::int[], $4::bigint[]) as new (queue, done, failed, rows) order by queue
    on conflict (queue, minute) do update set done = queue_minute.done + excluded.done,
      failed = queue_minute.failed + excluded.failed, rows = queue_minute.rows + excluded.rows),
  forgotten as (delete from queue_minute where minute < now() - interval '25 hours')
  insert into work_total (kind, label, value)
  select kind, label, value from unnest($5::text[], $6::text[], $7::bigint[]) as new (kind, label, value)
  order by kind, label
  on conflict (kind, label) do update set value = work_total.value + excluded.value`;

function parametersOf({ queues, totals }: Counts): unknown[] {
  const jobs = [...queues.values()];
  const names = [...totals.keys()].map((name) => name.split(' '));
  return [
    [...queues.keys()],
    jobs.map(({ done }) => done),
    jobs.map(({ failed }) => failed),
    jobs.map(({ rows }) => rows),
    names.map(([kind]) => kind),
    names.map(([, label]) => label),
    [...totals.values()],
  ];
}
