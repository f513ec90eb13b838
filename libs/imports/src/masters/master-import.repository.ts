import { type Pool, type PoolClient } from 'pg';
import { type FecSource } from '../sources/fec-source';

export interface MasterImport {
  readonly cycle: number;
  readonly label: FecSource['label'];
  /** Location of the three files, for messages. */
  readonly source: string;
  /** Checksum of the three files and the offices, in hex. */
  readonly sha256: string;
  readonly epoch: string;
  readonly bytes: number;
  readonly lines: number;
  readonly kept: number;
  readonly rejected: number;
  readonly detail: object;
}

/** Imports of masters in table fec_import, and the pointer to the newest one. */
export class MasterImportRepository {
  constructor(private readonly pool: Pool) {}

  /** The newest completed import of a cycle. */
  async newest(cycle: number): Promise<{ id: string; sha256: string; label: string } | null> {
    const { rows } = await this.pool.query<{ id: string; sha256: string; label: string }>(
      `select id, encode(sha256, 'hex') as sha256, label from fec_import
       where kind = 'masters' and cycle = $1 and state = 'done' order by id desc limit 1`,
      [cycle],
    );
    return rows[0] ?? null;
  }

  /** True if anything other than the sample was imported. */
  async hasRealData(client: PoolClient): Promise<boolean> {
    const { rowCount } = await client.query(
      `select from fec_import where label <> 'sample' and state in ('loading', 'done') limit 1`,
    );
    return rowCount !== 0;
  }

  /** Stores a finished import and points to it, in the caller's transaction. */
  async finish(client: PoolClient, done: MasterImport): Promise<string> {
    const id = await insert(client, done, 'done', null);
    await client.query(
      `insert into pointer (name, version_id, epoch) values ('fec-masters', $1, 1)
       on conflict (name) do update set version_id = excluded.version_id, previous_id = pointer.version_id,
         epoch = pointer.epoch + 1, moved_at = now()`,
      [id],
    );
    return id;
  }

  /** Records a failed import, which tells the operator why a cycle is old. */
  async fail(failed: MasterImport, errorCode: string): Promise<void> {
    await insert(this.pool, failed, 'failed', errorCode);
  }
}

async function insert(
  client: Pick<PoolClient, 'query'>,
  { cycle, label, source, sha256, epoch, bytes, lines, kept, rejected, detail }: MasterImport,
  state: 'done' | 'failed',
  errorCode: string | null,
): Promise<string> {
  const { rows } = await client.query<{ id: string }>(
    `insert into fec_import (kind, cycle, label, source, sha256, state, epoch, bytes_total, bytes_read, lines_read,
       rows_kept, rows_rejected, detail, error_code, finished_at)
     values ('masters', $1, $2, $3, decode($4, 'hex'), $5, $6, $7, $7, $8, $9, $10, $11, $12, now()) returning id`,
    [cycle, label, source, sha256, state, epoch, bytes, lines, kept, rejected, JSON.stringify(detail), errorCode],
  );
  return rows[0].id;
}
