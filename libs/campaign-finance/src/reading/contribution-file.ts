import { type PoolClient } from 'pg';
import { copyOut } from '@donorlens/database';
import { formatCivilDay } from '@donorlens/primitives';
import { type ContributionPart } from './contribution-parts';
import { type ContributionSelection } from './contribution-selection';
import { ContributionWriter, type WriterOptions } from './contribution-writer';
import { CONTRIBUTION_FILE_COLUMNS } from './file-columns';
import { WRITTEN_COLUMNS } from './written-columns';

export type FileOptions = Pick<WriterOptions, 'raw' | 'countyOf'>;

/**
 * A contributions file that is about to leave, of one moment of the database: it holds a connection until it has been
 * read to its end or is closed. Read in step with its reader; memory holds a few pieces of 64 kB.
 */
export class ContributionFile {
  private client: PoolClient | undefined;
  private readonly lost = (): void => this.close(); // a listener of its own: the pool's covers idle connections only

  constructor(
    client: PoolClient,
    private readonly parts: readonly ContributionPart[],
    private readonly selection: ContributionSelection,
    private readonly releases: ReadonlyMap<number, string>,
    /** The release whose values all rows of a cycle are known to have. */
    private readonly cycleReleases: ReadonlyMap<number, number>,
  ) {
    this.client = client;
    client.on('error', this.lost);
  }

  async *pieces(options: FileOptions): AsyncGenerator<Buffer, void> {
    try {
      yield Buffer.from(`${CONTRIBUTION_FILE_COLUMNS.join(',')}\n`);
      let left = this.selection.limit ?? Infinity;
      for (const part of this.parts) {
        if (left <= 0 || this.client === undefined) break;
        const writer = new ContributionWriter({ ...options, releaseId: (no) => this.releaseId(part.cycle, no) });
        const prefix = Buffer.from(`${part.cycle},${part.candidateId},`);
        for await (const piece of copyOut(this.client, this.copyOf(part, left))) {
          const lines = writer.write(piece as Buffer, prefix);
          if (lines.length > 0) yield lines;
        }
        left -= writer.rows;
      }
      await this.end();
    } finally {
      this.close();
    }
  }

  /** Gives the connection up, in the middle of a file too. */
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
    client?.off('error', this.lost);
    client?.release(broken);
  }

  private copyOf({ cycle, committeeId, behind }: ContributionPart, left: number): string {
    const { from, to } = this.selection;
    const conditions = [
      `cycle = ${cycle}`,
      `committee_id = '${committeeId.replaceAll("'", "''")}'`,
      ...(behind ? [`(donor_key, row_id) > (${behind.donorKey}, ${behind.rowId})`] : []),
      ...(from === null ? [] : [`received_on >= '${formatCivilDay(from)}'`]),
      ...(to === null ? [] : [`received_on <= '${formatCivilDay(to)}'`]),
    ];
    return `copy (select ${WRITTEN_COLUMNS} from contribution where ${conditions.join(' and ')}
      order by donor_key, row_id ${left === Infinity ? '' : `limit ${left}`}) to stdout (null '')`;
  }

  private releaseId(cycle: number, no: number): string {
    return this.releases.get(this.cycleReleases.get(cycle) ?? no) ?? '';
  }
}
