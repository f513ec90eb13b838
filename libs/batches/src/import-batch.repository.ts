import { randomUUID } from 'node:crypto';
import { type Pool, type PoolClient } from 'pg';
import { SQL_RETENTION_START } from '@donorlens/database';
import { DomainError, type ImportSpec } from '@donorlens/primitives';
import { SQL_OPEN } from './batch-state';
import { type BuiltChunk, copyChunks } from './chunk.store';

/** Rows of an import that form one batch. */
export interface NewImportBatch {
  readonly importSpec: ImportSpec;
  readonly releaseId: string;
  readonly chunks: readonly BuiltChunk[];
}

/** Progress of an import over all its batches. */
export interface ImportBatchesProgress {
  readonly chunksTotal: number;
  readonly chunksDone: number;
  readonly rowsDone: number;
  /**
   * Alphabetically first error code of the failed and cancelled batches, or the state of one without a code; else null.
   */
  readonly errorCode: string | null;
}

/** The data release was removed before the batch's transaction; the next attempt selects one again. */
export class ReleaseGoneError extends DomainError {
  readonly code = 'release_gone';
}

/** Retention of a batch after its import has ended. */
const RETENTION = `interval '24 hours'`;

/**
 * Batches of an import: without API key and results, kept until the import ends. They are not part of what clients see
 * and of their usage.
 */
export class ImportBatches {
  constructor(private readonly pool: Pool) {}

  /** @throws ReleaseGoneError */
  async insert(client: PoolClient, { importSpec, releaseId, chunks }: NewImportBatch): Promise<string> {
    const id = randomUUID();
    const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0);
    const { rowCount } = await client.query(
      `insert into batch (id, import_id, type, input_format, columns, data_release, rows_total, chunks_total)
       select $1, $2, 'contributions', 'fec', $3, release.id, $5, $6
       from (select id from data_release where id = $4 for key share) release`,
      [id, importSpec.importId, JSON.stringify(importSpec), releaseId, rows, chunks.length],
    );
    if (rowCount === 0)
      throw new ReleaseGoneError(`data release ${releaseId} is not stored any more`, { release: releaseId });
    await copyChunks(client, id, chunks);
    return id;
  }

  async progress(importId: string): Promise<ImportBatchesProgress> {
    const { rows } = await this.pool.query<ImportBatchesProgress>(
      `select coalesce(sum(chunks_total), 0)::int as "chunksTotal", coalesce(sum(chunks_done), 0)::int as "chunksDone",
              coalesce(sum(ok_rows + partial_rows + not_found_rows + invalid_rows + failed_rows), 0)::int as "rowsDone",
              min(coalesce(error_code, state)) filter (where state in ('failed', 'cancelled')) as "errorCode"
       from batch where import_id = $1`,
      [importId],
    );
    return rows[0];
  }

  /**
   * Closes the batches of an import that has ended, with or without success. Open chunks are cancelled: a worker that
   * processes one has lost its lease. The batches are deleted a day later.
   */
  async close(client: PoolClient, importId: string): Promise<void> {
    await client.query(
      `update chunk set state = 'cancelled', input = null, lease_id = null, lease_until = null, enqueued_at = null
       where state in ('pending', 'queued', 'leased') and batch_id in (select id from batch where import_id = $1)`,
      [importId],
    );
    await client.query(
      `update batch
       set state = case when state in ${SQL_OPEN} then 'cancelled' else state end,
           finished_at = coalesce(finished_at, now()), expires_at = ${SQL_RETENTION_START} + ${RETENTION}
       where import_id = $1`,
      [importId],
    );
  }
}
