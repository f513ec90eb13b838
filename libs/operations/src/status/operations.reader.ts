import { type Pool } from 'pg';
import { type Config } from '@donorlens/config';
import { type QueueName } from '@donorlens/queues';
import { type OperationsStatus } from './operations-status';

/** What the queue's server says of a queue; null: it does not answer. */
export interface JobCounts {
  counts(): Promise<{ readonly waiting: number; readonly active: number } | null>;
}

/** The state of the whole service, in a few statements. */
export class OperationsReader {
  constructor(
    private readonly pool: Pool,
    private readonly config: Config,
    private readonly queues: Readonly<Record<QueueName, JobCounts>>,
  ) {}

  /** @throws what the database says where it is away */
  status(): Promise<OperationsStatus> {
    throw new Error(`${typeof this.pool} ${typeof this.config} ${typeof this.queues}`);
  }
}
