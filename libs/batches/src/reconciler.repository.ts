import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL, sqlIsOlder, sqlIsOver } from '@donorlens/database';
import { type ChunkRef } from '@donorlens/queues';
import { SQL_ENDS_NOW, SQL_OPEN, SQL_UNFINISHED, sqlBefore } from './batch-state';
import { CHUNK_LEASE_MS, MAX_CHUNK_WAIT_SECONDS } from './chunk.repository';
import { cancelWaitingChunks, endCancelled } from './batch.repository';
import { batchesToCleanUp, deletePendingAddresses } from './pending-address.repository';

/** Batches whose pending addresses one tick deletes. */
const CLEANED_UP_AT_A_TIME = 5;

/**
 * Statements that repair what a crash may leave behind. Each is independent and may run twice. None waits for a locked
 * row: it is left for the next tick, and the rest is repaired now.
 */
@Injectable()
export class ReconcilerRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** Releases chunks whose lease has expired. */
  async freeExpiredLeases(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `update chunk set state = 'pending', lease_id = null, lease_until = null, enqueued_at = null
       where (batch_id, stage, seq) in (
         select batch_id, stage, seq from chunk where state = 'leased' and ${sqlIsOver('lease_until', CHUNK_LEASE_MS / 1000)} for update skip locked)`,
    );
    return rowCount ?? 0;
  }

  /** Chunks whose job was added longer ago than that and that no worker has taken: the queue may have lost it. */
  async enqueuedBefore(seconds: number, limit: number): Promise<ChunkRef[]> {
    return this.refs(
      `select batch_id, seq from chunk
       where stage = 'enrich' and state = 'queued' and ${sqlIsOlder('enqueued_at', '$1')}
       order by enqueued_at limit $2`,
      [seconds, limit],
    );
  }

  /**
   * Chunks that wait for a job. The n-th chunks of all batches come before the next ones, so that a small batch does
   * not wait for a large one.
   */
  async pending(limit: number): Promise<ChunkRef[]> {
    return this.refs(
      `select c.batch_id, c.seq from chunk c join batch b on b.id = c.batch_id
       where c.stage = 'enrich' and c.state = 'pending' and b.state in ${SQL_OPEN}
         and (c.not_before is null or ${sqlIsOver('c.not_before', MAX_CHUNK_WAIT_SECONDS)})
       order by c.seq, b.created_at, c.batch_id limit $1`,
      [limit],
    );
  }

  /** After the job was added. If a worker was faster, the chunk does not wait any more and stays as it is. */
  async markEnqueued(refs: readonly ChunkRef[]): Promise<void> {
    await this.pool.query(
      `update chunk set state = 'queued', enqueued_at = now()
       where (batch_id, stage, seq) in (
         select c.batch_id, c.stage, c.seq
         from chunk c join unnest($1::uuid[], $2::int[]) as ref (batch_id, seq)
           on c.batch_id = ref.batch_id and c.stage = 'enrich' and c.seq = ref.seq
         where c.state in ('pending', 'queued')
         for update of c skip locked)`,
      [refs.map(({ batchId }) => batchId), refs.map(({ seq }) => seq)],
    );
  }

  cancelWaitingChunks(): Promise<number> {
    return cancelWaitingChunks(this.pool, null);
  }

  endCancelledBatches(): Promise<number> {
    return endCancelled(this.pool, null);
  }

  /** Completes batches without open work. The last commit does this as well; here it is a safeguard. */
  async completeFinished(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `update batch set state = 'completed', ${SQL_ENDS_NOW}
       where id in (
         select id from batch where state in ${SQL_OPEN} and chunks_total > 0 and chunks_done = chunks_total
           and pending_rows = 0
         for no key update skip locked)`,
    );
    return rowCount ?? 0;
  }

  /**
   * For an operator who retries failed jobs: chunks that wait for their next attempt are due now, and those whose job may
   * be lost get another one.
   * @returns how many
   */
  async retryFailedChunks(): Promise<number> {
    const { rowCount } = await this.pool.query(
      `update chunk set state = 'pending', not_before = null, enqueued_at = null
       where (batch_id, stage, seq) in (
         select batch_id, stage, seq from chunk
         where stage = 'enrich' and (state = 'queued' or (state = 'pending' and not_before > now()))
         for update skip locked)`,
    );
    return rowCount ?? 0;
  }

  /** Deletes waits and pending addresses of some of `batchesToCleanUp`, a slice of each. @returns rows deleted */
  async deletePendingAddresses(): Promise<number> {
    let deleted = 0;
    for (const id of (await batchesToCleanUp(this.pool)).slice(0, CLEANED_UP_AT_A_TIME))
      deleted += await deletePendingAddresses(this.pool, id, { slices: 1 });
    return deleted;
  }

  /**
   * Batches at work, or ended in the last minute, whose counters do not agree with their chunks: rows by outcome
   * against rows of chunks that are done, chunks done against chunks marked so, and rows that could be read against
   * rows by the outcome of their address. A completed batch may have pending rows, if its geocoding timed out. One
   * snapshot; must be 0.
   */
  async violations(): Promise<number> {
    const { rows } = await this.pool.query<{ violations: number }>(
      `select count(*)::int as violations
       from batch b
       cross join lateral (
         select coalesce(sum(c.rows) filter (where c.state = 'done'), 0) as rows_done,
                count(*) filter (where c.state = 'done') as chunks_done,
                count(*) as chunks, coalesce(sum(c.rows), 0) as rows
         from chunk c where c.batch_id = b.id and c.stage = 'enrich') c
       where (b.state in ${SQL_UNFINISHED}
              or (b.state in ${sqlBefore('expired')} and b.finished_at > now() - interval '1 minute'))
         and (b.ok_rows + b.partial_rows + b.not_found_rows + b.invalid_rows + b.failed_rows <> c.rows_done
              or b.chunks_done <> c.chunks_done or b.chunks_total <> c.chunks or b.rows_total <> c.rows
              or (b.state = 'completed' and b.chunks_done <> b.chunks_total)
              or b.match_rows + b.no_match_rows + b.tie_rows + b.skipped_rows + b.pending_rows
                 <> case when b.type = 'contributions' and b.import_id is null
                         then b.ok_rows + b.partial_rows + b.not_found_rows else 0 end
              or least(b.ok_rows, b.match_rows, b.no_match_rows, b.tie_rows, b.skipped_rows, b.pending_rows) < 0)`,
    );
    return rows[0].violations;
  }

  private async refs(sql: string, values: unknown[]): Promise<ChunkRef[]> {
    const { rows } = await this.pool.query<{ batch_id: string; seq: number }>(sql, values);
    return rows.map(({ batch_id: batchId, seq }) => ({ batchId, seq }));
  }
}
