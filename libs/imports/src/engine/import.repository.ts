import { type Pool, type PoolClient } from 'pg';
import { ImportBatches } from '@donorlens/batches';
import { type Fence, StaleFenceError, holdLease, inTransaction } from '@donorlens/database';
import { SampleRefusedError, noMastersError } from '../import-error';
import {
  type ImportDetail,
  type ImportKind,
  type ImportPosition,
  type ImportRow,
  type NewImport,
  type SourceLabel,
  type StoredImport,
  storedImport,
} from './stored-import';

/** Numbers of rows that a checkpoint adds. */
interface CheckpointRows {
  readonly kept: number;
  readonly rejected: number;
}

const REJECTS_PER_PAGE = 1_000;

/** Imports in table fec_import. Only the holder of the lease can change positions. */
export class ImportRepository {
  private readonly batches: ImportBatches;

  constructor(private readonly pool: Pool) {
    this.batches = new ImportBatches(pool);
  }

  /** Newest first. */
  async list({ kind, limit = 50 }: { readonly kind?: ImportKind; readonly limit?: number } = {}): Promise<
    StoredImport[]
  > {
    const { rows } = await this.pool.query<ImportRow>(
      'select * from fec_import where $1::text is null or kind = $1 order by id desc limit $2',
      [kind ?? null, limit],
    );
    return rows.map(storedImport);
  }

  async exists(importId: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('select from fec_import where id = $1', [importId]);
    return rowCount === 1;
  }

  /**
   * The newest import that was interrupted in the last day and can be resumed. A re-enrichment is not resumed if its
   * data release is no longer active and it has changed no row.
   */
  async interrupted(): Promise<StoredImport | null> {
    const { rows } = await this.pool.query<ImportRow>(
      `select * from fec_import i where state = 'loading' and started_at > now() - interval '1 day'
         and not (kind = 'reenrich' and exists (select from cycle_enrichment e where e.cycle = i.cycle)
           and source is distinct from (select version_id from pointer where name = 'data_release'))
       order by id desc limit 1`,
    );
    return rows.length === 0 ? null : storedImport(rows[0]);
  }

  /** True if masters of at least one cycle were imported from FEC files, not from the sample. */
  async hasRealMasters(): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `select from fec_import where kind = 'masters' and state = 'done' and label <> 'sample' limit 1`,
    );
    return rowCount === 1;
  }

  async newestDone(kind: ImportKind, cycle: number): Promise<StoredImport | null> {
    const { rows } = await this.pool.query<ImportRow>(
      `select * from fec_import where kind = $1 and cycle = $2 and state = 'done' order by id desc limit 1`,
      [kind, cycle],
    );
    return rows.length === 0 ? null : storedImport(rows[0]);
  }

  /** Lines of an import that could not be read, by line number. */
  async *rejects(importId: string): AsyncGenerator<Reject, void> {
    for (let after: string | null = null; ;) {
      const { rows }: { rows: (Omit<Reject, 'line'> & { line: string })[] } = await this.pool.query(
        `select line, code, record from fec_reject
         where import_id = $1 and ($2::bigint is null or line > $2) order by line limit ${REJECTS_PER_PAGE}`,
        [importId, after],
      );
      for (const { line, code, record } of rows) yield { line: Number(line), code, record };
      if (rows.length < REJECTS_PER_PAGE) return;
      after = rows[rows.length - 1].line;
    }
  }

  /**
   * Resumes the newest unfinished import of this kind and cycle if it is the same one, else inserts a new import. Other
   * unfinished imports are abandoned and their batches closed. One transaction.
   * @param isSame - decides for an unfinished import with the same checksum
   * @param also - runs in the transaction of a new import
   */
  async begin(
    fence: Fence,
    wanted: NewImport,
    isSame: (earlier: StoredImport) => boolean = () => false,
    also?: (client: PoolClient, importId: string) => Promise<void>,
  ): Promise<StoredImport> {
    return inTransaction(this.pool, async (client) => {
      await holdLease(client, fence);
      const { rows } = await client.query<ImportRow>(
        `select * from fec_import where kind = $1 and cycle = $2 and state = 'loading' order by id desc for update`,
        [wanted.kind, wanted.cycle],
      );
      const open = rows.map(storedImport);
      const same = open.slice(0, 1).find((earlier) => earlier.sha256 === wanted.sha256 && isSame(earlier));
      for (const { id } of open.filter((earlier) => earlier !== same)) await this.end(client, id, 'abandoned', null);
      if (same) return resume(client, same.id, fence);
      const begun = await insert(client, wanted, fence);
      await also?.(client, begun.id);
      return begun;
    });
  }

  /**
   * Stores the position, in the transaction that writes the rows.
   * @throws StaleFenceError if another process has the import
   */
  async advance(
    client: PoolClient,
    fence: Fence,
    importId: string,
    { bytesRead, prefixSha256, linesRead, detail = {} }: ImportPosition,
    { kept, rejected }: CheckpointRows,
  ): Promise<void> {
    const { rowCount } = await client.query(
      `update fec_import
       set bytes_read = $3, prefix_sha256 = $4, lines_read = $5, rows_kept = rows_kept + $6,
           rows_rejected = rows_rejected + $7, detail = detail || $8
       where id = $1 and epoch = $2 and state = 'loading'`,
      [importId, String(fence.epoch), bytesRead, prefixSha256, linesRead, kept, rejected, JSON.stringify(detail)],
    );
    if (rowCount === 0) throw new StaleFenceError(fence.lease);
  }

  /** Adds facts to an import in any state. */
  async describe(importId: string, facts: ImportDetail): Promise<void> {
    await this.pool.query('update fec_import set detail = detail || $2 where id = $1', [
      importId,
      JSON.stringify(facts),
    ]);
  }

  /** Ends an import that cannot be resumed. Its rows stay until the next successful import. */
  async fail(fence: Fence, importId: string, errorCode: string): Promise<void> {
    await inTransaction(this.pool, async (client) => {
      await lock(client, fence, importId);
      await this.end(client, importId, 'failed', errorCode);
      await holdLease(client, fence);
    });
  }

  /**
   * Runs the last transaction of an import. The lease row is locked only at its end, because the work may take minutes
   * in which the lease must be renewed. A process that takes over the lease waits for the import's row or makes this
   * transaction roll back.
   * @param work - last writes; returns facts that are stored with the import
   */
  async finish<Facts extends object>(
    fence: Fence,
    importId: string,
    work: (client: PoolClient, stored: StoredImport) => Promise<Facts>,
  ): Promise<Facts> {
    return inTransaction(
      this.pool,
      async (client) => {
        const facts = await work(client, await lock(client, fence, importId));
        await client.query('update fec_import set detail = detail || $2 where id = $1', [
          importId,
          JSON.stringify(facts),
        ]);
        await this.end(client, importId, 'done', null);
        await holdLease(client, fence);
        return facts;
      },
      { statementTimeoutMs: 0 },
    );
  }

  private async end(
    client: PoolClient,
    importId: string,
    state: 'done' | 'failed' | 'abandoned',
    errorCode: string | null,
  ): Promise<void> {
    await this.batches.close(client, importId);
    await client.query('update fec_import set state = $2, error_code = $3, finished_at = now() where id = $1', [
      importId,
      state,
      errorCode,
    ]);
  }
}

async function resume(client: PoolClient, importId: string, fence: Fence): Promise<StoredImport> {
  const { rows } = await client.query<ImportRow>('update fec_import set epoch = $2 where id = $1 returning *', [
    importId,
    String(fence.epoch),
  ]);
  return storedImport(rows[0]);
}

async function insert(client: PoolClient, wanted: NewImport, fence: Fence): Promise<StoredImport> {
  const { kind, cycle, label, source, sha256, bytesTotal = null, detail = {} } = wanted;
  const { rows } = await client.query<ImportRow>(
    `insert into fec_import (kind, cycle, label, source, sha256, epoch, bytes_total, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning *`,
    [
      kind,
      cycle,
      label,
      source,
      sha256 === null ? null : Buffer.from(sha256, 'hex'),
      String(fence.epoch),
      bytesTotal,
      JSON.stringify(detail),
    ],
  );
  return storedImport(rows[0]);
}

/** @throws StaleFenceError if another process has the import */
async function lock(client: PoolClient, fence: Fence, importId: string): Promise<StoredImport> {
  const { rows } = await client.query<ImportRow>(
    `select * from fec_import where id = $1 and epoch = $2 and state = 'loading' for update`,
    [importId, String(fence.epoch)],
  );
  if (rows.length === 0) throw new StaleFenceError(fence.lease);
  return storedImport(rows[0]);
}

/** A line that could not be read. */
export interface Reject {
  /** Line number from 1; 0 or less for a row that a worker rejected. */
  readonly line: number;
  readonly code: string;
  /** The line. NUL is replaced by its symbol when it is stored. */
  readonly record: string;
}

/** Postgres text cannot contain NUL: it is replaced by its symbol. */
const storable = (text: string): string => text.replaceAll('\0', '\u2400');

export async function insertRejects(client: PoolClient, importId: string, rejects: readonly Reject[]): Promise<void> {
  if (rejects.length === 0) return;
  await client.query(
    `insert into fec_reject (import_id, line, code, record)
     select $1, * from unnest($2::bigint[], $3::text[], $4::text[])`,
    [
      importId,
      rejects.map(({ line }) => line),
      rejects.map(({ code }) => code),
      rejects.map(({ record }) => storable(record)),
    ],
  );
}

/**
 * Rejects an import that would mix rows of the sample with real rows: only real masters replace the sample.
 * @param cycle - of the file, for the error message; null if unknown
 * @throws ImportError `no_masters`, SampleRefusedError
 */
export async function guardSample(pool: Pool, label: SourceLabel, cycle: number | null): Promise<void> {
  const { rows } = await pool.query<{ sample: boolean; real: boolean }>(
    `select exists (select from fec_import where label = 'sample' and state in ('loading', 'done')) as sample,
            exists (select from fec_import where label <> 'sample' and state in ('loading', 'done')) as real`,
  );
  const [{ sample, real }] = rows;
  if (label === 'sample' && real) throw new SampleRefusedError();
  if (label !== 'sample' && sample)
    throw noMastersError('only candidates and committees of the sample are loaded', cycle);
}
