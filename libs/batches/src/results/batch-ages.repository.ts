import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Demographics, GroupedAges, type YearGroup } from '@donorlens/demographics';
import { PG_POOL, inTransaction } from '@donorlens/database';
import { type Batch } from '../batch';
import { isFinal } from '../batch-state';
import { batchAgeGroups } from './batch-ages';
import { type BatchTotals } from './batch-summary';
import { type RowAges } from './result-rows';

/** Years of 365.25 days since 1970; whole numbers, since numeric ones take several times as long. */
export const YEAR_OF_DAY = 'given_day * 4 / 1461';

/**
 * Settings of a statement that groups all rows of a batch. Hashing in one process takes half the time of sorting
 * in three, which Postgres would choose, as it expects too many groups. Groups that exceed the memory, such as a million
 * addresses, are written to disk. A sort that remains has so high a cost that Postgres would compile the statement.
 */
export const GROUPING_SETTINGS =
  "set local work_mem = '16MB'; set local enable_sort = off; set local max_parallel_workers_per_gather = 0; set local jit = off";

/** Common table `name` of the rows of batch $1. */
const NAMES_OF_BATCH = `name as (
    select first_name, ${YEAR_OF_DAY} as year, count(*)::int as people, sum(given_day) as days from result
    where batch_id = $1 and first_name is not null and given_day is not null group by 1, 2
  )`;

/** BatchTotals['names'] of a common table `name` by first name and year. */
export const NAMES_AS_JSON = `(select coalesce(jsonb_agg(
    jsonb_build_array(first_name, mean_day, people) order by first_name, mean_day), '[]') from (
      select first_name, people, (sum(days) over of_year / sum(people) over of_year)::int as mean_day
      from name window of_year as (partition by year)) dated)`;

const SQL_NAMES = `with ${NAMES_OF_BATCH} select ${NAMES_AS_JSON} as names`;

/** A million rows take a second. */
const NAMES_OPTIONS = { statementTimeoutMs: 120_000 };

/**
 * Ages of batches with the basis `donors` or `group`. They are computed while results are read, from the names of the
 * stored rows, so no row is written twice. The distributions are stored: those of donors with the batch, that of its own
 * rows by the first request for its results. Rows of a batch that has ended never change.
 */
@Injectable()
export class BatchAges {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** Null if ages are as stored. Before the end of a batch, ages of the basis `group` are not known. */
  async load(batch: Batch, demographics?: Pick<Demographics, 'groupAges'>): Promise<RowAges | null> {
    const { ageBasis, state } = batch;
    if (ageBasis !== 'donors' && ageBasis !== 'group') return null;
    const unknown = { basis: ageBasis, ageAt: () => null, quartiles: () => ({ median: null, q25: null, q75: null }) };
    if (demographics === undefined) return unknown;
    const groups = (await this.stored(batch)) ?? (isFinal(state) ? await this.computed(batch, demographics) : []);
    if (groups.length === 0) return unknown;
    const ages = new GroupedAges(demographics.groupAges, groups);
    return {
      basis: ageBasis,
      ageAt: (name, on) => ages.ageAt(name, on),
      quartiles: (name, on) => ages.quartiles(name, on),
    };
  }

  private async stored({ id }: Batch): Promise<readonly YearGroup[] | null> {
    const { rows } = await this.pool.query<{ groups: readonly YearGroup[] }>(
      'select groups from batch_ages where batch_id = $1',
      [id],
    );
    return rows.at(0)?.groups ?? null;
  }

  private async computed({ id }: Batch, { groupAges }: Pick<Demographics, 'groupAges'>): Promise<readonly YearGroup[]> {
    const [{ names }] = await inTransaction(
      this.pool,
      async (client) => {
        await client.query(GROUPING_SETTINGS);
        return (await client.query<Pick<BatchTotals, 'names'>>(SQL_NAMES, [id])).rows;
      },
      NAMES_OPTIONS,
    );
    const groups = batchAgeGroups(names, groupAges);
    await this.pool.query(
      `insert into batch_ages (batch_id, groups) select id, $2 from batch where id = $1 and state <> 'expired' for key share
       on conflict do nothing`,
      [id, JSON.stringify(groups)],
    );
    return groups;
  }
}
