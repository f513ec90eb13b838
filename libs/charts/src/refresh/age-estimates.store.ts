import { type PoolClient } from 'pg';
import { type GroupAges } from '@donorlens/demographics';
import { type AgeEstimate, WHOLE_CYCLE, groupOf } from '../reading/age-estimate';

/** Donors by first name and quarter of the date (4 * year + 0 to 3). */
export type NameCounts = readonly (readonly [firstName: string, quarter: number, donors: number])[];

export interface NamesOfPair {
  readonly entityId: string;
  readonly names: NameCounts;
}

/** Pairs per statement, which have a few megabytes of names. */
const SLICE = 100;

/** Reads first names of changed pairs and writes estimates of `next_version`, in the transaction of a refresh. */
export class AgeEstimateStore {
  constructor(private readonly client: PoolClient) {}

  /** Cycles in which a changed pair has first names. */
  async changedCycles(): Promise<number[]> {
    const { rows } = await this.client.query<{ cycle: number }>(
      `select distinct p.cycle from changed_pair p
       where exists (select from donor_name n where n.entity_id = p.entity_id and n.cycle = p.cycle) order by 1`,
    );
    return rows.map(({ cycle }) => cycle);
  }

  /** Names of changed pairs, with the pair of the whole cycle first. Pairs without a name are omitted. */
  async *changedNames(cycle: number): AsyncGenerator<NamesOfPair> {
    const { rows } = await this.client.query<{ id: string }>(
      `select entity_id as id from changed_pair where cycle = $1 order by entity_id <> $2, entity_id`,
      [cycle, WHOLE_CYCLE],
    );
    const ids = rows.map(({ id }) => id);
    for (let at = 0; at < ids.length; at += at === 0 ? 1 : SLICE)
      yield* await this.names(cycle, ids.slice(at, at === 0 ? 1 : at + SLICE));
  }

  /** The newest estimate of all donors of a cycle; null before the first one. */
  async wholeCycle(cycle: number): Promise<GroupAges | null> {
    const { rows } = await this.client.query<{ estimate: AgeEstimate }>(
      'select estimate from age_estimate where entity_id = $1 and cycle = $2 order by version_id desc limit 1',
      [WHOLE_CYCLE, cycle],
    );
    return rows.length === 0 ? null : groupOf(rows[0].estimate);
  }

  async store(
    cycle: number,
    estimates: readonly (readonly [entityId: string, estimate: AgeEstimate])[],
  ): Promise<void> {
    await this.client.query(
      `insert into age_estimate (entity_id, cycle, version_id, estimate)
       select entity_id, $1, (select id from next_version), estimate
       from unnest($2::text[], $3::jsonb[]) as estimated (entity_id, estimate)`,
      [cycle, estimates.map(([id]) => id), estimates.map(([, estimate]) => JSON.stringify(estimate))],
    );
  }

  private async names(cycle: number, entityIds: readonly string[]): Promise<NamesOfPair[]> {
    const { rows } = await this.client.query<NamesOfPair>(
      `select entity_id as "entityId",
         json_agg(json_build_array(first_name, quarter, donors) order by first_name, quarter) as names
       from donor_name where cycle = $1 and entity_id = any ($2)
       group by entity_id order by entity_id <> $3, entity_id`,
      [cycle, entityIds, WHOLE_CYCLE],
    );
    return rows;
  }
}
