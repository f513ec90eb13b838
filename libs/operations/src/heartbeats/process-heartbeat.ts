import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Inject, Injectable, Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog } from '@donorlens/queues';
import { deleteHeartbeat, writeHeartbeat } from './heartbeats.repository';
import { WorkCounter } from './work-counter';

export interface HeartbeatHandle {
  readonly role: ProcessRole;
  /** Queues that a worker takes jobs from; empty for other roles. */
  readonly queues: readonly string[];
  /** Number of jobs in progress. */
  readonly inWork: () => number;
}

const HEARTBEAT_MS = 5_000;
/** After so long without a heartbeat of its own, a process cannot tell late heartbeats of others from missing ones. */
const LATE_MS = 2 * HEARTBEAT_MS;
/** A slower answer does not show how the clocks differ. */
const MAX_ROUND_TRIP_MS = 1_000;
/** A process without a heartbeat for so long was killed. Three heartbeats may fail. */
export const DEAD_AFTER_SECONDS = 20;

/**
 * Writes a heartbeat every 5 s into a row of its own, which is deleted when the process ends normally. Rows of processes
 * that were killed stay for an hour; a later heartbeat of any process deletes them. While the database does not answer,
 * heartbeats are delayed.
 */
@Injectable()
export class ProcessHeartbeat implements BeforeApplicationShutdown {
  private readonly id = randomUUID();
  private readonly errors: ErrorLog;
  private handle: HeartbeatHandle | undefined;
  private timer: NodeJS.Timeout | undefined;
  private writtenAt = -Infinity;
  /** The last outage, on the clock of `performance`, and until when others may be late because of it. */
  private outage = { from: 0, until: -Infinity };
  private clockDifferenceSeconds: number | null = null;
  private last: Promise<void> = Promise.resolve();

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'heartbeat');
  }

  /** Writes the first heartbeat before it returns, if the database answers. */
  async start(handle: HeartbeatHandle): Promise<void> {
    this.handle = handle;
    await this.step();
  }

  /** Whether the last heartbeat could be written: the database answers. */
  isReady(): boolean {
    return performance.now() - this.writtenAt < 1000 * DEAD_AFTER_SECONDS;
  }

  /**
   * Since when no heartbeat could be written. Others may be late for the same reason until all had time to write again.
   * Null: a process without heartbeat is missing.
   */
  lateSince(): Date | null {
    const now = performance.now();
    const from = this.outageStart(now) ?? (now < this.outage.until ? this.outage.from : null);
    return from === null ? null : new Date(Date.now() - (now - from));
  }

  private outageStart(now: number): number | null {
    return this.writtenAt !== -Infinity && now - this.writtenAt > LATE_MS ? this.writtenAt : null;
  }

  /** Nest calls it root module first: jobs in progress have ended, and the pool is still open. */
  async beforeApplicationShutdown(): Promise<void> {
    const isStarted = this.handle !== undefined;
    this.handle = undefined;
    clearTimeout(this.timer);
    await this.last;
    if (isStarted) await deleteHeartbeat(this.pool, this.id).catch(this.errors.report);
  }

  private async step(): Promise<void> {
    const { handle } = this;
    if (handle === undefined) return;
    this.last = this.write(handle).catch(this.errors.report);
    await this.last;
    if (this.handle) this.timer = setTimeout(() => void this.step(), HEARTBEAT_MS).unref();
  }

  private async write({ role, queues, inWork }: HeartbeatHandle): Promise<void> {
    const { id, clockDifferenceSeconds } = this;
    const sentAt = performance.now();
    const clockMs = await writeHeartbeat(this.pool, { id, role, queues, inWork: inWork(), clockDifferenceSeconds });
    const now = performance.now();
    if (clockMs !== undefined && now - sentAt < MAX_ROUND_TRIP_MS)
      this.clockDifferenceSeconds = (clockMs - (Date.now() - (now - sentAt) / 2)) / 1000;
    const from = this.outageStart(now);
    if (from !== null) this.outage = { from, until: now + 1000 * DEAD_AFTER_SECONDS };
    this.writtenAt = now;
  }
}

/** A separate module: Nest shuts it down after the app's module and before the database's. */
@Module({ providers: [ProcessHeartbeat, WorkCounter], exports: [ProcessHeartbeat, WorkCounter] })
export class HeartbeatsModule {}

export const PROCESS_ROLES = ['api', 'worker', 'aggregator'] as const;
export type ProcessRole = (typeof PROCESS_ROLES)[number];
