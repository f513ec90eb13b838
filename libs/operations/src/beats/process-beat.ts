import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger, VERSION } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { type ProcessRole } from '../status/process-role';

export interface Beating {
  readonly role: ProcessRole;
  /** That a worker takes jobs from; none elsewhere. */
  readonly queues: readonly string[];
  /** Jobs in hand. */
  readonly inWork: () => number;
}

const BEAT_MS = 5_000;
/** Where this process could not write for so long others may look dead who could not either. */
const LATE_MS = 2 * BEAT_MS;
/** A row that nobody has touched for so long is of a process that was killed. Three beats may fail. */
export const DEAD_AFTER_SECONDS = 20;
/** For so long its row tells operators who is missing. */
const TOLD_FOR_SECONDS = 3_600;

/**
 * Says every 5 s that this process is alive, in a row of its own that goes when it ends well. Rows of processes that were
 * killed stay for an hour, and are swept by whoever beats then. A database that is away delays the next beat and nothing
 * else.
 */
@Injectable()
export class ProcessBeat implements BeforeApplicationShutdown {
  private readonly id = randomUUID();
  private readonly errors: ErrorLog;
  private beating: Beating | undefined;
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = -Infinity;
  /** On the clock of `performance`: a time in which nothing could be written, and until when others may be late for it. */
  private silence = { from: 0, until: -Infinity };
  private last: Promise<void> = Promise.resolve();

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'sign of life');
  }

  /** The first beat is written before it returns, where the database answers. */
  async start(beating: Beating): Promise<void> {
    this.beating = beating;
    await this.step();
  }

  /** Whether the last sign of life could be written: the database answers. */
  isReady(): boolean {
    return performance.now() - this.writtenAt < 1000 * DEAD_AFTER_SECONDS;
  }

  /**
   * From when on nothing could be written, while others may be late for the same reason: until all of them have had the
   * time to write again. Null: who is not heard of is missing.
   */
  lateSince(): Date | null {
    const now = performance.now();
    const from = this.silentFrom(now) ?? (now < this.silence.until ? this.silence.from : null);
    return from === null ? null : new Date(Date.now() - (now - from));
  }

  private silentFrom(now: number): number | null {
    return this.writtenAt !== -Infinity && now - this.writtenAt > LATE_MS ? this.writtenAt : null;
  }

  /** Nest calls it root module first: jobs in hand have ended, and the pool is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    const isStarted = this.beating !== undefined;
    this.beating = undefined;
    clearTimeout(this.timer);
    await this.last;
    if (isStarted) await this.pool.query('delete from process where id = $1', [this.id]).catch(this.errors.report);
  }

  private async step(): Promise<void> {
    const { beating } = this;
    if (beating === undefined) return;
    this.last = this.beat(beating).catch(this.errors.report);
    await this.last;
    if (this.beating) this.timer = setTimeout(() => void this.step(), BEAT_MS).unref();
  }

  private async beat({ role, queues, inWork }: Beating): Promise<void> {
    await this.pool.query(
      `with swept as (
         delete from process where id in (
           select id from process where seen_at < now() - make_interval(secs => $8) and id <> $1 for update skip locked))
       insert into process (id, role, host, pid, version, queues, in_work) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (id) do update set seen_at = now(), in_work = excluded.in_work, queues = excluded.queues`,
      [this.id, role, hostname(), process.pid, VERSION, queues, inWork(), TOLD_FOR_SECONDS],
    );
    const now = performance.now();
    const from = this.silentFrom(now);
    if (from !== null) this.silence = { from, until: now + 1000 * DEAD_AFTER_SECONDS };
    this.writtenAt = now;
  }
}
