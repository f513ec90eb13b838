import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL, inTransaction } from '@donorlens/database';
import { type Batch } from './batch';
import { type BatchRow, batchOf } from './batch-row';
import { SQL_ENDS_NOW, SQL_UNFINISHED, sqlBefore } from './batch-state';
import { letGo } from './let-go';

export interface BatchPage {
  readonly batches: readonly Batch[];
  /** Pass it back as `after` for the next page; null on the last. */
  readonly next: string | null;
}

export interface PageRequest {
  readonly limit: number;
  readonly after?: string | null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Microseconds since 1970, as the database keeps them, and the id. */
const PAGE_MARK = /^(\d{1,18})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** Whether it can be the `next` of a page. */
export const isPageMark = (text: string): boolean => PAGE_MARK.test(text);
/** Erasing a million results takes a second or two. */
const ERASE = { statementTimeoutMs: 300_000 };
/** What waits for addresses goes at once up to so many slices, a second's work; the reconciler erases the rest. */
const SLICES_AT_ONCE = 5;
/** Results that one statement erases where nobody waits for it: a few dozen milliseconds each. */
const ERASED_AT_A_TIME = 20_000;

/** A batch as operators see it. */
export interface OwnedBatch extends Batch {
  /** Name of the key that sent it. */
  readonly keyName: string;
}

/** Batches as their owners see them: what belongs to another key is not there. Operators see those that are at work. */
@Injectable()
export class BatchRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  async get(apiKeyId: string, id: string): Promise<Batch | null> {
    if (!UUID.test(id)) return null;
    const { rows } = await this.pool.query<BatchRow>('select * from batch where id = $1 and api_key_id = $2', [
      id,
      apiKeyId,
    ]);
    return rows.length === 0 ? null : batchOf(rows[0]);
  }

  /** Newest first. A page mark that is not ours is taken for none. */
  async list(apiKeyId: string, { limit, after }: PageRequest): Promise<BatchPage> {
    const [, micros, id] = PAGE_MARK.exec(after ?? '') ?? [];
    const { rows } = await this.pool.query<BatchRow & { mark: string }>(
      `select *, (extract(epoch from created_at) * 1000000)::bigint || '.' || id as mark from batch
       where api_key_id = $1
         and ($3::bigint is null
              or (created_at, id) < (timestamptz 'epoch' + $3::bigint * interval '1 microsecond', $4::uuid))
       order by created_at desc, id desc limit $2`,
      [apiKeyId, limit + 1, micros ?? null, id ?? null],
    );
    const page = rows.slice(0, limit);
    return { batches: page.map(batchOf), next: rows.length > limit ? (page.at(-1)?.mark ?? null) : null };
  }

  /**
   * Asks a batch to stop: chunks that wait are dropped at once, those at work may finish. A batch that has ended stays
   * as it is. The three steps stand alone; what a crash leaves after the first, the reconciler finishes. It also erases
   * what waits for addresses.
   */
  async cancel(apiKeyId: string, id: string): Promise<Batch | null> {
    if (!UUID.test(id)) return null;
    await this.pool.query(
      `update batch set state = 'cancelling' where id = $1 and api_key_id = $2 and state in ${sqlBefore('cancelling')}`,
      [id, apiKeyId],
    );
    await dropWaitingChunks(this.pool, id);
    await endCancelled(this.pool, id);
    return this.get(apiKeyId, id);
  }

  /** Whoever's it is; not one of an import, which would wait for it. Null where there is none of a client. */
  async cancelAny(id: string): Promise<Batch | null> {
    const { rows } = await this.pool.query<{ owner: string }>(
      'select api_key_id as owner from batch where id = $1 and import_id is null',
      [id],
    );
    return rows.length === 0 ? null : this.cancel(rows[0].owner, id);
  }

  /** Batches of clients that have not ended, the oldest first. */
  async unfinished(limit: number): Promise<OwnedBatch[]> {
    const { rows } = await this.pool.query<BatchRow & { key_name: string }>(
      `select b.*, k.name as key_name from batch b join api_key k on k.id = b.api_key_id
       where b.state in ${SQL_UNFINISHED} order by b.created_at, b.id limit $1`,
      [limit],
    );
    return rows.map((row) => ({ ...batchOf(row), keyName: row.key_name }));
  }

  /** Erases a batch and all that belongs to it. Chunks go first: a worker that commits one right now is waited for. */
  async delete(apiKeyId: string, id: string): Promise<boolean> {
    const batch = await this.get(apiKeyId, id);
    if (!batch) return false;
    const deleted = await inTransaction(
      this.pool,
      async (client) => {
        await eraseRows(client, id);
        const { rowCount } = await client.query('delete from batch where id = $1 and api_key_id = $2', [id, apiKeyId]);
        return rowCount === 1;
      },
      ERASE,
    );
    await letGo(this.pool, id, { slices: SLICES_AT_ONCE }).catch(() => 0); // deleted it is; the reconciler erases the rest
    return deleted;
  }

  /**
   * Erases rows of batches whose retention has passed; their counters stay. A batch says that it has expired, and lets go
   * of its idempotency key, before its results go slice by slice: no reader begins with half of them. Of a batch of an
   * import nothing stays: its counts are the import's.
   * @param signal  ends the work between two slices
   * @returns       batches that expired
   */
  async expire(limit = 100, signal?: AbortSignal): Promise<number> {
    const { rows } = await this.pool.query<{ id: string }>(
      `select id from batch where state in ${sqlBefore('expired')} and expires_at < now()
       order by expires_at limit $1`,
      [limit],
    );
    let expired = 0;
    for (const { id } of rows) {
      if (signal?.aborted) break;
      await inTransaction(this.pool, async (client) => {
        await client.query('delete from chunk where batch_id = $1', [id]);
        await client.query('delete from batch where id = $1 and import_id is not null', [id]);
        await client.query(
          `update batch set state = 'expired', idempotency_key = null, name = null where id = $1 and state in ${sqlBefore('expired')}`,
          [id],
        );
      });
      expired++;
      await this.eraseResults(id, signal);
      await letGo(this.pool, id, { signal });
    }
    return expired;
  }

  /** Erases the rows of expired batches that a crash in the middle of `expire` left behind. */
  async eraseLeftovers(signal?: AbortSignal): Promise<void> {
    const { rows } = await this.pool.query<{ id: string }>(
      `select id from batch
       where state = 'expired' and exists (select 1 from result where result.batch_id = batch.id)`,
    );
    for (const { id } of rows) await this.eraseResults(id, signal);
  }

  private async eraseResults(id: string, signal?: AbortSignal): Promise<void> {
    const { rows } = await this.pool.query<{ first: number | null; last: number | null }>(
      'select min(row_no) as first, max(row_no) as last from result where batch_id = $1',
      [id],
    );
    const { first, last } = rows[0];
    if (first === null || last === null) return;
    for (let from = first; from <= last && !signal?.aborted; from += ERASED_AT_A_TIME)
      await this.pool.query('delete from result where batch_id = $1 and row_no >= $2 and row_no < $3', [
        id,
        from,
        from + ERASED_AT_A_TIME,
      ]);
  }
}

async function eraseRows(client: PoolClient, batchId: string): Promise<void> {
  await client.query('delete from chunk where batch_id = $1', [batchId]);
  await client.query('delete from result where batch_id = $1', [batchId]);
}

/** Chunks of cancelled batches that nobody works on; of one batch or of all. One that is just being taken is left alone. */
export async function dropWaitingChunks(pool: Pool, batchId: string | null): Promise<number> {
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

/** Cancelled batches none of whose chunks are left to end; of one batch or of all. */
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
