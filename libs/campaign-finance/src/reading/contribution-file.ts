import { type PoolClient } from 'pg';
import { copyOut } from '@donorlens/database';
import { CONTRIBUTION_COLUMNS } from '@donorlens/primitives';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { addedColumns } from './contribution-areas';
import { copyStatement, countStatement } from './contribution-copy.store';
import { type ContributionPart, type ContributionSelection } from './contribution-selection';
import { ContributionWriter, type WriterOptions } from './contribution-writer';

/** Columns of the contributions file, in order. */
export const CONTRIBUTION_FILE_COLUMNS = [
  'CYCLE',
  'CAND_ID',
  ...ITCONT_COLUMNS,
  ...CONTRIBUTION_COLUMNS,
  'COUNTS_MONEY',
  'COUNTS_DONOR',
  'COUNT_REASON',
  'DATA_RELEASE',
] as const;

export type FileOptions = Omit<WriterOptions, 'releaseId'>;

/**
 * A contributions file from one snapshot of the database. It holds a connection until the caller has read it to the end
 * or closes it. The client sets the pace of reading; memory holds a few pieces of 64 kB.
 */
export class ContributionFile {
  private client: PoolClient | undefined;
  private readonly closeOnError = (): void => this.close(); // the pool's own listener covers idle connections only

  constructor(
    client: PoolClient,
    private readonly parts: readonly ContributionPart[],
    private readonly selection: ContributionSelection,
    private readonly releases: ReadonlyMap<number, string>,
    /** Release number by cycle, for cycles whose rows all have one release. */
    private readonly cycleReleases: ReadonlyMap<number, number>,
  ) {
    this.client = client;
    client.on('error', this.closeOnError);
  }

  /** Number of lines without the header; if it exceeds `max`, some number above `max`. */
  async countLines(max: number): Promise<number> {
    let lines = 0;
    let left = this.selection.limit ?? Infinity;
    for (const part of this.parts) {
      const maxRows = Math.min(left, max + 1 - lines);
      if (maxRows <= 0 || this.client === undefined) break;
      const { rows } = await this.client.query<{ rows: number }>(countStatement(part, this.selection, maxRows));
      left -= rows[0].rows;
      lines += rows[0].rows * part.candidateCells.length;
    }
    return lines;
  }

  async *pieces(options: FileOptions): AsyncGenerator<Buffer, void> {
    try {
      const columns = [...CONTRIBUTION_FILE_COLUMNS, ...addedColumns(options)];
      yield Buffer.from(`${columns.join(',')}\n`);
      let left = this.selection.limit ?? Infinity;
      for (const part of this.parts) {
        if (left <= 0 || this.client === undefined) break;
        const writer = new ContributionWriter({ ...options, releaseId: (no) => this.releaseId(part.cycle, no) });
        const prefixes = part.candidateCells.map((cell) => Buffer.from(`${part.cycle},${cell},`));
        const rows = copyStatement(part, this.selection, { maxRows: left, detail: options.detail !== false });
        for await (const piece of copyOut(this.client, rows)) {
          const written = writer.write(piece as Buffer, prefixes);
          if (written.length > 0) yield written;
        }
        left -= writer.rows;
      }
      await this.end();
    } finally {
      this.close();
    }
  }

  /** Closes the connection, also in the middle of a file. */
  close(): void {
    this.release(new Error('the file was not read to its end'));
  }

  private async end(): Promise<void> {
    if (this.client === undefined) throw new Error('the connection was lost while the file was read');
    await this.client.query('commit');
    this.release();
  }

  private release(broken?: Error): void {
    const { client } = this;
    this.client = undefined;
    client?.off('error', this.closeOnError);
    client?.release(broken);
  }

  private releaseId(cycle: number, no: number): string {
    return this.releases.get(this.cycleReleases.get(cycle) ?? no) ?? '';
  }
}
