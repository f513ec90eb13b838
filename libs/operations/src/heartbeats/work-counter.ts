import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog, type QueueName } from '@donorlens/queues';
import { type CountRows, addCounts } from './heartbeats.repository';

const FLUSH_MS = 5_000;

interface QueueCounts {
  done: number;
  failed: number;
  rows: number;
}

/** Counts since the last flush. */
class Counts {
  readonly queues = new Map<QueueName, QueueCounts>();
  /** By `kind label`. */
  readonly totals = new Map<string, number>();

  add(queue: QueueName, more: QueueCounts, outcomes: Readonly<Record<string, number>>): void {
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
 * Counts the jobs of this worker and adds them to the counts of the service every 5 s and at the end: jobs of each minute
 * for the rates on the console, and totals that only grow. Counting is an addition in memory; it never waits and never
 * fails a job. Counts that could not be written are written with the next ones. If a statement ran but its answer was
 * lost, its jobs count twice, which a rate over minutes tolerates. The counts of a batch are kept elsewhere.
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
    this.errors = new ErrorLog(logger, 'work counts');
  }

  /** Nest calls it root module first: jobs in progress have ended, and the pool is still open. */
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

  /** Writes the counts. Never throws; one write at a time, however slow the database is. */
  flush(): Promise<void> {
    this.flushing = this.flushing.then(() => this.write());
    return this.flushing;
  }

  /** The first count starts the timer: a process without jobs writes nothing. */
  private count(queue: QueueName, more: QueueCounts, outcomes: Readonly<Record<string, number>>): void {
    this.counts.add(queue, more, outcomes);
    this.timer ??= setInterval(() => void this.flush(), FLUSH_MS).unref();
  }

  private async write(): Promise<void> {
    const { counts } = this;
    if (counts.queues.size === 0) return;
    this.counts = new Counts();
    try {
      await addCounts(this.pool, rowsOf(counts));
    } catch (error) {
      this.errors.report(error);
      counts.addAll(this.counts);
      this.counts = counts;
    }
  }
}

const rowsOf = ({ queues, totals }: Counts): CountRows => ({
  jobs: [...queues].map(([queue, counts]) => ({ queue, ...counts })),
  totals: [...totals].map(([name, value]) => {
    const [kind, label] = name.split(' ');
    return { kind, label, value };
  }),
});

/** Names in `work_total` for the jobs of a queue and for their items. */
export const WORK_KINDS: { readonly [queue in QueueName]: { readonly jobs: string; readonly items: string } } = {
  enrich: { jobs: 'chunks', items: 'rows' },
  geocode: { jobs: 'calls', items: 'addresses' },
};
