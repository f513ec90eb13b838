import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { ALL_DAYS } from '../../../libs/charts/src/refresh/day-steps';
import { CYCLE } from './made-up-facts';

/** First day of each donor of each candidate, and the running sum. */
const PLAIN = `
  select cand_id, first_on, sum(count(*)) over (partition by cand_id order by first_on) as total
  from (select cand_id, donor_key, min(received_on) as first_on
        from contribution_${CYCLE} join chart_link on cmte_id = committee_id
        where counts_donor and not is_copy group by cand_id, donor_key) firsts
  group by cand_id, first_on`;

const OURS = `
  select entity_id, array_agg(total order by first_on)
  from (select entity_id, first_on, sum(donors) over (partition by entity_id order by first_on) as total from donor_day) days
  group by entity_id`;

/** Holds all that the plain query asks for, so that it need not look at a row. */
export const withCoveringIndex = async (pool: Pool): Promise<void> => {
  await pool.query(
    `create index bench_covering on contribution_${CYCLE} (committee_id, donor_key, received_on)
     where counts_donor and not is_copy`,
  );
  await pool.query(`vacuum analyze contribution_${CYCLE}`);
};

export const withoutCoveringIndex = (pool: Pool): Promise<unknown> => pool.query('drop index bench_covering');

/** @throws Error where a day of a series is not what the plain query says of the rows that are stored */
export async function assertSeries(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ days: number; different: number }>(
    `select count(*)::int as days, count(*) filter (where p.total is distinct from d.total)::int as different
     from (${PLAIN}) p full join
       (select entity_id, first_on, sum(donors) over (partition by entity_id order by first_on) as total
        from donor_day where cycle = ${CYCLE}) d
     on d.entity_id = p.cand_id and d.first_on = p.first_on`,
  );
  if (rows[0].days === 0 || rows[0].different > 0)
    throw new Error(`${rows[0].different} of ${rows[0].days} days of series differ from plain SQL`);
}

async function timed(client: PoolClient, queries: readonly string[]): Promise<number> {
  const start = performance.now();
  for (const query of queries) await client.query(query);
  return performance.now() - start;
}

/** @param settings how the plain query is run: which is best differs by size */
export const plainMs = (pool: Pool, settings: string): Promise<number> =>
  inTransaction(
    pool,
    async (client) => {
      await client.query(`set local work_mem = '256MB'; set local max_parallel_workers_per_gather = 2; ${settings}`);
      return timed(client, [PLAIN]);
    },
    { statementTimeoutMs: 0 },
  );

/** Days of all candidates from their donors, and the arrays of their running sums. */
export const oursMs = (pool: Pool): Promise<number> =>
  inTransaction(
    pool,
    async (client) => {
      await client.query('delete from donor_day');
      return timed(client, [...ALL_DAYS.map(({ sql }) => sql), OURS]);
    },
    { statementTimeoutMs: 0 },
  );
