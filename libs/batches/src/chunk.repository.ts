import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type PoolClient } from 'pg';
import { PG_POOL, inTransaction, sqlIsOver } from '@donorlens/database';
import { type BatchType, type FieldMapping, type ImportSpec, countedRows } from '@donorlens/primitives';
import { type ChunkRef } from '@donorlens/queues';
import { type ItemFormat } from './batch';
import { SQL_ENDS_NOW, SQL_OPEN, sqlBefore } from './batch-state';
import { CountMismatchError, chunkAddresses, countChunk } from './batch-counters.store';
import { CHUNK_STORE, type ChunkStore, type ClaimedChunk, type CountedRows } from './chunk';
import { inflated } from './chunk.store';

const STAGE = 'enrich';
/** A chunk takes well under 1 s. After a crash of its worker it is free again when its lease ends. */
export const CHUNK_LEASE_MS = 10_000;
/** Longest wait of a chunk for its next attempt. */
export const MAX_CHUNK_WAIT_SECONDS = 60;

interface ClaimRow {
  lease_id: string;
  first_row: number;
  rows: number;
  attempts: number;
  poison_rows: number[];
  input: Buffer | null;
  type: BatchType;
  input_format: ItemFormat;
  columns: readonly string[] | ImportSpec | null;
  mapping: FieldMapping | null;
  min_age: number | null;
  data_release: string | null;
}

/**
 * Chunks as workers use them. A lease keeps two workers from doing the same work; only the compare-and-set in `commit`
 * keeps a chunk from being counted twice.
 */
@Injectable()
export class ChunkRepository<Rows extends CountedRows> {
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    @Inject(CHUNK_STORE) private readonly chunkStore: ChunkStore<Rows>,
  ) {}

  /**
   * Leases a chunk that is free or whose lease has expired. Null if another worker has it, it is done or not due yet, its
   * batch is gone or cancelled, or its input cannot be inflated: then the batch fails with `unreadable_input`. The
   * first claim of a batch starts it, in the same statement. If a process crashed during a row-by-row retry, its
   * current row is suspected after the first crash, since anything may have ended the process; after the second it is
   * added to the poison rows.
   */
  async claim(ref: ChunkRef, leaseMs: number): Promise<ClaimedChunk | null> {
    const { rows } = await this.pool.query<ClaimRow>({
      name: 'chunk-claim', // planned once for each connection: planning takes longer than running it
      text: CLAIM,
      values: [ref.batchId, STAGE, ref.seq, leaseMs],
    });
    if (rows.length === 0) return null;
    const input = rows[0].input && (await inflated(rows[0].input).catch(() => null));
    if (input) return claimed(ref, rows[0], input);
    await this.failBatch(ref.batchId, 'unreadable_input');
    return null;
  }

  /**
   * Stores the rows of a chunk, counts them, erases the chunk's input, and completes the batch with its last chunk unless
   * rows wait for their address: one transaction. The chunk is set done first, only if this lease still holds it.
   * @returns false if another worker holds or has done the chunk; nothing is written then
   * @throws database errors. If COMMIT got no answer, the chunk is read again, so that a stored chunk returns true
   */
  async commit(chunk: ClaimedChunk, rows: Rows): Promise<boolean> {
    const { counts } = rows;
    if (countedRows(counts) !== chunk.rows)
      throw new CountMismatchError('the counts of a chunk do not add up to its rows', {
        rows: chunk.rows,
        counted: countedRows(counts),
      });
    try {
      return await inTransaction(this.pool, async (client) => {
        if (!(await setDone(client, chunk))) return false;
        const stored = await this.chunkStore.store(client, chunk, rows);
        await countChunk(client, chunk.batchId, counts, chunkAddresses(chunk.spec, counts, stored));
        return true;
      });
    } catch (err) {
      if (await this.isDoneBy(chunk).catch(() => false)) return true;
      throw err;
    }
  }

  /** False if the lease is lost: the caller must stop working on the chunk. */
  async extendLease(chunk: ClaimedChunk, leaseMs: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `update chunk set lease_until = now() + make_interval(secs => $5 / 1000.0)
       where ${HELD}`,
      [...heldBy(chunk), leaseMs],
    );
    return rowCount === 1;
  }

  /**
   * Notes the row that a row-by-row retry is about to process: if the process crashes now, it was this row. Extends the
   * lease as well. Other processes see the mark at once; it need not survive a crash of the database.
   * @param rowNo - 0 for no row
   */
  async markCurrentRow(chunk: ClaimedChunk, rowNo: number, leaseMs: number): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `with unsynced as materialized (select set_config('synchronous_commit', 'off', true) as off)
       update chunk set suspect_row = nullif($6::int, 0), lease_until = now() + make_interval(secs => $5 / 1000.0)
       from unsynced where unsynced.off = 'off' and ${HELD}`,
      [...heldBy(chunk), leaseMs, rowNo],
    );
    return rowCount === 1;
  }

  /** Returns a chunk that was not processed: this does not count as an attempt. */
  releaseLease(chunk: ClaimedChunk): Promise<void> {
    return this.deferRetry(chunk, 0, false);
  }

  /**
   * Releases a chunk after a fault; it is claimed again after a delay by the database's clock. The current row of a
   * row-by-row retry is cleared, since it did not crash the process.
   * @param isAttempt - false for a fault that is not the chunk's
   */
  async deferRetry(chunk: ClaimedChunk, delayMs: number, isAttempt: boolean): Promise<void> {
    await this.pool.query(
      `update chunk set state = 'pending', lease_id = null, lease_until = null, enqueued_at = null, suspect_row = null,
              runs = greatest(runs - $6, 0), not_before = now() + make_interval(secs => $5 / 1000.0)
       where ${HELD}`,
      [...heldBy(chunk), delayMs, isAttempt ? 0 : 1],
    );
  }

  /** Fails a batch that cannot be finished: its open chunks are cancelled. */
  async failBatch(batchId: string, errorCode: string): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await client.query(
        `update chunk set state = 'cancelled', input = null, lease_id = null, lease_until = null
         where batch_id = $1 and state in ('pending', 'queued', 'leased')`,
        [batchId],
      );
      await client.query(
        `update batch set state = 'failed', error_code = $2, ${SQL_ENDS_NOW}
         where id = $1 and state in ${sqlBefore('failed')}`,
        [batchId, errorCode],
      );
    });
  }

  private async isDoneBy(chunk: ClaimedChunk): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `select 1 from chunk where batch_id = $1 and stage = $2 and seq = $3 and lease_id = $4 and state = 'done'`,
      heldBy(chunk),
    );
    return rowCount === 1;
  }
}

const HELD = `batch_id = $1 and stage = $2 and seq = $3 and lease_id = $4 and state = 'leased'`;
const heldBy = (chunk: ClaimedChunk): unknown[] => [chunk.batchId, STAGE, chunk.seq, chunk.leaseId];

/**
 * The claim need not be on disk before work begins (synchronous_commit = off), which saves a disk wait for each chunk:
 * if a database crash loses a claim, the chunk is free again and the commit of its former holder finds no lease.
 */
const CLAIM = `
  with unsynced as materialized (select set_config('synchronous_commit', 'off', true) as off
  ), claimed as (
    update chunk c
    set state = 'leased', lease_id = gen_random_uuid(), lease_until = now() + make_interval(secs => $4 / 1000.0),
        runs = c.runs + 1, not_before = null,
        poison_rows = case when c.suspect_row = any(c.suspected_rows) then c.poison_rows || c.suspect_row
                           else c.poison_rows end,
        suspected_rows = case when c.suspect_row is null or c.suspect_row = any(c.suspected_rows) then c.suspected_rows
                              else c.suspected_rows || c.suspect_row end,
        suspect_row = null
    from batch b, unsynced
    where unsynced.off = 'off' and c.batch_id = $1 and c.stage = $2 and c.seq = $3 and b.id = c.batch_id and b.state in ${SQL_OPEN}
      and (c.state in ('pending', 'queued') or (c.state = 'leased' and ${sqlIsOver('c.lease_until', '$4 / 1000.0')}))
      and (c.not_before is null or ${sqlIsOver('c.not_before', MAX_CHUNK_WAIT_SECONDS)})
    returning c.*, b.type, b.input_format, b.columns, b.mapping, b.min_age, b.data_release
  ), started as (
    update batch set state = 'running', started_at = now()
    where id = $1 and state = 'accepted' and exists (select 1 from claimed)
  )
  select lease_id, first_row, rows, runs as attempts, poison_rows, input,
         type, input_format, columns, mapping, min_age, data_release
  from claimed`;

const claimed = (ref: ChunkRef, row: ClaimRow, input: Buffer): ClaimedChunk => ({
  batchId: ref.batchId,
  seq: ref.seq,
  leaseId: row.lease_id,
  firstRow: row.first_row,
  rows: row.rows,
  attempts: row.attempts,
  poisonRows: row.poison_rows,
  releaseId: row.data_release ?? '',
  spec: {
    batchId: ref.batchId,
    type: row.type,
    format: row.input_format,
    columns: isImportSpec(row.columns) ? null : row.columns,
    mapping: row.mapping ?? {},
    minAge: row.min_age,
    firstRow: row.first_row,
    rows: row.rows,
    importSpec: isImportSpec(row.columns) ? row.columns : null,
  },
  input,
});

/** An import stores the description of its records there; a client's batch its header or its JSON keys. */
const isImportSpec = (columns: ClaimRow['columns']): columns is ImportSpec => columns !== null && 'importId' in columns;

/** Keeps the lease's id, which identifies the worker whose results these are. */
async function setDone(client: PoolClient, chunk: ClaimedChunk): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'chunk-done',
    text: `update chunk set state = 'done', input = null, lease_until = null, suspect_row = null where ${HELD}`,
    values: heldBy(chunk),
  });
  return rowCount === 1;
}
