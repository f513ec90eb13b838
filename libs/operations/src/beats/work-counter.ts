import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { LOGGER, type Logger } from '@donorlens/observability';
import { ErrorLog, type QueueName } from '@donorlens/queues';

/** Rows by what became of them. */
export type Outcomes = Readonly<Record<string, number>>;

/** Counts what this worker does. Not implemented beyond its surface here. */
@Injectable()
export class WorkCounter implements BeforeApplicationShutdown {
  private readonly errors: ErrorLog;

  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.errors = new ErrorLog(logger, 'counting');
  }
}
