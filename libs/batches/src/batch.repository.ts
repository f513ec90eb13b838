import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL, SQL_RETENTION_NOW, inTransaction } from '@donorlens/database';
import { type Batch, type BatchState } from './batch';
import { type BatchRow, batchOf } from './batch-row';
import { SQL_ENDS_NOW, SQL_UNFINISHED, sqlBefore } from './batch-state';
import { deletePendingAddresses } from './pending-address.repository';

export interface BatchPage {
  readonly batches: readonly Batch[];
  /** Pass it back as `after` for the next page; null on the last. */
  readonly next: string | null;
}

export interface PageRequest {
  readonly limit: number;
  readonly after?: string | null;
  /** Part of the file name, case-insensitive. */
  readonly namePart?: string | null;
  readonly states?: readonly BatchState[] | null;
  readonly isOldestFirst?: boolean;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Microseconds since 1970, as in the database, and the id. */
const PAGE_MARK = /^(\d{1,18})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** True if the text can be the `next` of a page. */
export const isPageMark = (text: string): boolean => PAGE_MARK.test(text);
/** Deleting a million results takes a second or two. */
const DELETE_OPTIONS = { statementTimeoutMs: 300_000 };
/** Slices of pending addresses deleted with the batch, about a second; the reconciler deletes the rest. */
const MAX_SLICES = 5;
/** Results per statement in the background: a few dozen milliseconds. */
const DELETED_AT_A_TIME = 20_000;

/** A batch counts as expired once the retention clock passes `expires_at`, even if its rows are not deleted yet. */
const BATCH_COLUMNS = `batch.*, case when state in ${sqlBefore('expired')} and expires_at < coalesce(${SQL_RETENTION_NOW}, now())
  then 'expired' else state end as state`;

/** A batch with its owner, for operators. */
export interface OwnedBatch extends Batch {
  /** Name of the API key that sent it. */
  readonly keyName: string;
}

/** Batches by API key: those of another key do not exist for a client. Operators see all unfinished ones. */
@Injectable()
export class BatchRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  async get(apiKeyId: string, id: string): Promise<Batch | null> {
    if (!UUID.test(id)) return null;
    const { rows } = await this.pool.query<BatchRow>(
      `select ${BATCH_COLUMNS} from batch where id = $1 and api_key_id = $2`,
      [id, apiKeyId],
    );
    return rows.length === 0 ? null : batchOf(rows[0]);
  }

  /** Newest first. An invalid page mark is ignored. */
  async list(apiKeyId: string, page: PageRequest): Promise<BatchPage> {
    const { limit, after, namePart = null, states = null, isOldestFirst = false } = page;
    const [, micros, id] = PAGE_MARK.exec(after ?? '') ?? [];
    const [follows, order] = isOldestFirst ? ['>', 'asc'] : ['<', 'desc'];
    const { rows } = await this.pool.query<BatchRow & { mark: string }>(
      `select ${BATCH_COLUMNS}, (extract(epoch from created_at) * 1000000)::bigint || '.' || id as mark from batch
       where api_key_id = $1
         and ($3::bigint is null
              or (created_at, id) ${follows} (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid))
         and ($5::text is null or position(lower($5) in lower(name)) > 0)
         and ($6::text[] is null or state = any($6))
       order by created_at ${order}, id ${order} limit $2`,
      [apiKeyId, limit + 1, micros ?? null, id ?? null, namePart, states],
    );
    const shown = rows.slice(0, limit);
    return { batches: shown.map(batchOf), next: rows.length > limit ? (shown.at(-1)?.mark ?? null) : null };
  }

  /**
   * Cancels a batch: waiting chunks are cancelled at once, active ones may finish. A batch that has ended stays as it is.
   * The three steps are independent; the reconciler finishes what a crash leaves after the first. It also deletes the
   * pending addresses.
   */
  async cancel(apiKeyId: string, id: string): Promise<Batch | null> {
    if (!UUID.test(id)) return null;
    await inTransaction(this.pool, (client) =>
      client.query(
        `update batch set state = 'cancelling' where id = $1 and api_key_id = $2 and state in ${sqlBefore('cancelling')}`,
        [id, apiKeyId],
      ),
    );
    await cancelWaitingChunks(this.pool, id);
    await endCancelled(this.pool, id);
    return this.get(apiKeyId, id);
  }

  /** Cancels a batch of any client, but none of an import, which would wait for it. Null if there is no such batch. */
  async cancelAny(id: string): Promise<Batch | null> {
    const { rows } = await this.pool.query<{ owner: string }>(
      'select api_key_id as owner from batch where id = $1 and import_id is null',
      [id],
    );
    return rows.length === 0 ? null : this.cancel(rows[0].owner, id);
  }

  /** Unfinished batches of clients: first those with failed rows, then the oldest. */
  unfinished(limit: number): Promise<OwnedBatch[]> {
    return this.owned(`b.state in ${SQL_UNFINISHED} order by b.failed_rows > 0 desc, b.created_at, b.id`, limit);
  }

  /** Batches of clients that failed in the last day, newest first. */
  failedLastDay(limit: number): Promise<OwnedBatch[]> {
    const recent = `b.state = 'failed' and b.finished_at > now() - interval '1 day'`;
    return this.owned(`${recent} order by b.finished_at desc, b.id`, limit);
  }

  private async owned(sql: string, limit: number): Promise<OwnedBatch[]> {
    const { rows } = await this.pool.query<BatchRow & { key_name: string }>(
      `select b.*, k.name as key_name from batch b join api_key k on k.id = b.api_key_id where ${sql} limit $1`,
      [limit],
    );
    return rows.map((row) => ({ ...batchOf(row), keyName: row.key_name }));
  }

  /** Deletes a batch with all its rows. Chunks come first, so that a worker that commits one now is waited for. */
  async delete(apiKeyId: string, id: string): Promise<boolean> {
    const batch = await this.get(apiKeyId, id);
    if (!batch) return false;
    const deleted = await inTransaction(
      this.pool,
      async (client) => {
        await deleteRows(client, id);
        const { rowCount } = await client.query('delete from batch where id = $1 and api_key_id = $2', [id, apiKeyId]);
        return rowCount === 1;
      },
      DELETE_OPTIONS,
    );
    await deletePendingAddresses(this.pool, id, { slices: MAX_SLICES }).catch(() => 0); // the reconciler deletes the rest
    return deleted;
  }

  /**
   * Deletes rows of batches whose retention has ended by the retention clock; their counters stay. A batch becomes
   * `expired` and loses its idempotency key before its results are deleted in slices, so that no reader begins with half
   * of them. A batch of an import is deleted completely: its counts are the import's.
   * @param signal - ends the work between two slices
   * @returns batches that expired
   */
  async expire(limit = 100, signal?: AbortSignal): Promise<number> {
    const { rows } = await this.pool.query<{ id: string }>(
      `select id from batch where state in ${sqlBefore('expired')} and expires_at < ${SQL_RETENTION_NOW}
       order by expires_at limit $1`,
      [limit],
    );
    let expired = 0;
    for (const { id } of rows) {
      if (signal?.aborted) break;
      await inTransaction(this.pool, async (client) => {
        await client.query('delete from chunk where batch_id = $1', [id]);
        await client.query('delete from batch_summary where batch_id = $1', [id]);
        await client.query('delete from batch where id = $1 and import_id is not null', [id]);
        await client.query(
          `update batch set state = 'expired', idempotency_key = null, name = null where id = $1 and state in ${sqlBefore('expired')}`,
          [id],
        );
      });
      expired++;
      await this.deleteResults(id, signal);
      await deletePendingAddresses(this.pool, id, { signal });
    }
    return expired;
  }

  /** Deletes rows of expired batches that a crash during `expire` left behind. */
  async deleteLeftovers(signal?: AbortSignal): Promise<void> {
    const { rows } = await this.pool.query<{ id: string }>(
      `select id from batch
       where state = 'expired' and exists (select 1 from result where result.batch_id = batch.id)`,
    );
    for (const { id } of rows) await this.deleteResults(id, signal);
  }

  private async deleteResults(id: string, signal?: AbortSignal): Promise<void> {
    const { rows } = await this.pool.query<{ first: number | null; last: number | null }>(
      'select min(row_no) as first, max(row_no) as last from result where batch_id = $1',
      [id],
    );
    const { first, last } = rows[0];
    if (first === null || last === null) return;
    for (let from = first; from <= last && !signal?.aborted; from += DELETED_AT_A_TIME)
      await this.pool.query('delete from result where batch_id = $1 and row_no >= $2 and row_no < $3', [
        id,
        from,
        from + DELETED_AT_A_TIME,
      ]);
  }
}

async function deleteRows(client: PoolClient, batchId: string): Promise<void> {
  await client.query('delete from chunk where batch_id = $1', [batchId]);
  await client.query('delete from result where batch_id = $1', [batchId]);
}

/**
 * Cancels the waiting chunks of batches that are being cancelled; of one or of all. Chunks that a claim locks are
 * skipped.
 */
export async function cancelWaitingChunks(pool: Pool, batchId: string | null): Promise<number> {
  const { rowCount } = await pool.query(
    `update chunk set state = 'cancelled', input = null, enqueued_at = null
     where (batch_id, stage, seq) in (
       select c.batch_id, c.stage, c.seq from chunk c join batch b on b.id = c.batch_id
       where b.state = 'cancelling' and ($1::uuid is null or b.id = $1) and c.state in ('pending', 'queued')
       for update of c skip locked)`,
    [batchId],
  );
  return rowCount ?? 0;
}

/** Ends cancelled batches without active chunks; one batch or all. */
export async function endCancelled(pool: Pool, batchId: string | null): Promise<number> {
  const { rowCount } = await pool.query(
    `update batch set state = 'cancelled', ${SQL_ENDS_NOW}
     where id in (
       select b.id from batch b
       where b.state = 'cancelling' and ($1::uuid is null or b.id = $1)
         and not exists (select 1 from chunk c where c.batch_id = b.id and c.state in ('pending', 'queued', 'leased'))
       for no key update skip locked)`,
    [batchId],
  );
  return rowCount ?? 0;
}
