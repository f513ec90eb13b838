import { type Pool, type PoolClient } from 'pg';
import { ContributionFile } from './contribution-file';
import { cyclesOf, partsBehind, partsOf } from './contribution-parts';
import { type ContributionSelection } from './contribution-selection';
import { storedRow } from './stored-row';

/** Contributions as they leave in a file: all of one moment, in the order of cycle, committee, donor and row. */
export class ContributionRows {
  constructor(private readonly pool: Pool) {}

  /**
   * Opens a file; the caller reads its pieces to their end or closes it.
   * @throws UnknownRowError where the row to go on behind is not there
   */
  async open(selection: ContributionSelection): Promise<ContributionFile> {
    const client = await this.pool.connect();
    try {
      await client.query('begin isolation level repeatable read read only');
      await client.query('set local statement_timeout = 0'); // COPY in step with a slow reader counts its waiting too
      return await this.fileOf(client, selection);
    } catch (error) {
      const failure = await client.query('rollback').then(
        () => undefined,
        (broken: Error) => broken,
      );
      client.release(failure);
      throw error;
    }
  }

  private async fileOf(client: PoolClient, selection: ContributionSelection): Promise<ContributionFile> {
    const cycles = await cyclesOf(client, selection);
    const parts = await partsOf(client, cycles, selection);
    const { after } = selection;
    const everyCycle = { ...selection, cycles: [], from: null, to: null }; // the row need not be one of those asked for
    const left =
      after === null ? parts : partsBehind(parts, await storedRow(client, after, await cyclesOf(client, everyCycle)));
    return new ContributionFile(client, left, selection, await releases(client), await cycleReleases(client));
  }
}

async function releases(client: PoolClient): Promise<Map<number, string>> {
  const { rows } = await client.query<{ no: number; release_id: string }>(
    'select no, release_id from enrichment_release',
  );
  return new Map(rows.map((row) => [row.no, row.release_id]));
}

async function cycleReleases(client: PoolClient): Promise<Map<number, number>> {
  const { rows } = await client.query<{ cycle: number; release_no: number }>(
    'select cycle, release_no from cycle_enrichment',
  );
  return new Map(rows.map((row) => [row.cycle, row.release_no]));
}
