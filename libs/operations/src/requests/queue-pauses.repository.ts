import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Fence, PG_POOL } from '@donorlens/database';
import { type QueueName } from '@donorlens/queues';
import { SQL_IS_PAUSE_REQUEST } from './operator-request';

/** Whether a queue is to be paused, as of the newest request about it. */
interface QueuePause {
  readonly queue: QueueName;
  readonly isPaused: boolean;
  /** The newest open request; 0: there is none. */
  readonly newestRequest: string;
}

/** Which queues are paused, as operators have requested. */
@Injectable()
export class QueuePauses {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  async wanted(): Promise<readonly QueuePause[]> {
    const { rows } = await this.pool.query<QueuePause>(
      `select queue, paused_at is not null as "isPaused",
              (select coalesce(max(id), 0) from ops_request r
               where r.state = 'asked' and ${SQL_IS_PAUSE_REQUEST} and r.target ->> 'queue' = s.queue) as "newestRequest"
       from queue_state s order by queue`,
    );
    return rows;
  }

  /** The queue server has the wanted state: requests up to the newest one are completed. */
  async markApplied({ queue, isPaused, newestRequest }: QueuePause, { epoch }: Pick<Fence, 'epoch'>): Promise<void> {
    await this.pool.query(
      `update ops_request set state = 'done', epoch = $1, started_at = now(), finished_at = now(), detail = $4
       where state = 'asked' and ${SQL_IS_PAUSE_REQUEST} and target ->> 'queue' = $2 and id <= $3`,
      [epoch, queue, newestRequest, JSON.stringify({ paused: isPaused })],
    );
  }
}
