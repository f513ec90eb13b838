import { type Pool, type PoolClient } from 'pg';
import { ContributionStore } from '@donorlens/campaign-finance';
import { refreshCharts } from '@donorlens/charts';
import { createPool, inTransaction, migrate } from '@donorlens/database';
import { LocationRepository } from '@donorlens/locations';
import { createLogger } from '@donorlens/observability';
import { ALL_DAYS } from '../../libs/charts/src/refresh/day-steps';
import { report } from './measure';

const CYCLE = 2024;
const ADDED = 100_000;
const ROUNDS = 3;
const COMMITTEES = 12;

/** Contributions as they are stored, made in the database: of some 12 committees, three gifts a donor. */
const addRows = (client: Pool | PoolClient, from: number, count: number) =>
  client.query(
    `with made as (
       insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, received_on, money_cents, counts_money,
         counts_donor, count_reason, earmark, state, tran_id, age, gender, race, release_no, file_cycle, record)
       select ${CYCLE}, i, 'C000000' || lpad((hashint8(i) & 1048575) % ${COMMITTEES} || '', 2, '0'), 1 + (i * 7919) % ($2 / 3), 1,
         date '2023-01-01' + ((hashint8(i + 7) & 1048575) % 700), 100 * (1 + i % 500), true, true, 0, 0, 'IL', 'T' || i,
         20 + i % 70, case i % 2 when 0 then 'f' else 'm' end, 'white', 1, ${CYCLE},
         repeat('x', 180)
       from generate_series($1::bigint + 1, $1::bigint + $3::bigint) i
       returning committee_id, cycle, donor_key)
     insert into donor_touched select * from made`,
    [from, Math.max(from + count, 900_000), count],
  );

async function prepared(pool: Pool): Promise<void> {
  await pool.query(`insert into enrichment_release (release_id) values ('bench')`);
  await inTransaction(pool, (client) =>
    new ContributionStore(new LocationRepository(pool, null)).ensureCycle(client, CYCLE),
  );
  await pool.query(
    `insert into linkage (cand_id, cmte_id, cycle, cand_election_yr, cmte_tp, cmte_dsgn, linkage_id)
     select 'P0000000' || i % 8, 'C000000' || lpad(i || '', 2, '0'), ${CYCLE}, '${CYCLE}', 'P', 'P', i from generate_series(0, ${COMMITTEES - 1}) i`,
  );
}

/** Adds rows and folds them in. @returns the milliseconds of the fold alone */
async function incrementMs(pool: Pool, stored: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await addRows(pool, stored + round * ADDED, ADDED);
    const start = performance.now();
    await refreshCharts(pool);
    times.push(performance.now() - start);
  }
  return Math.min(...times); // the quietest of them: this machine is not alone
}

/** First day of each donor of each candidate, and the running sum: over an index that holds all it asks for. */
async function plainSqlMs(pool: Pool): Promise<number> {
  await pool.query(
    `create index bench_covering on contribution_${CYCLE} (committee_id, donor_key, received_on) where counts_donor and not is_copy`,
  );
  await pool.query(`vacuum analyze contribution_${CYCLE}`);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    await pool.query(
      `select cand_id, first_on, sum(count(*)) over (partition by cand_id order by first_on)
       from (select cand_id, donor_key, min(received_on) as first_on
             from contribution_${CYCLE} join chart_link on cmte_id = committee_id
             where counts_donor and not is_copy group by cand_id, donor_key) firsts
       group by cand_id, first_on`,
    );
    times.push(performance.now() - start);
  }
  await pool.query('drop index bench_covering');
  return Math.min(...times);
}

/** Days of all candidates from their donors, and the arrays of their running sums. */
async function seriesMs(pool: Pool): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    await inTransaction(
      pool,
      async (client) => {
        await client.query('delete from donor_day');
        const start = performance.now();
        for (const { sql } of ALL_DAYS) await client.query(sql);
        await client.query(
          `select entity_id, array_agg(total order by first_on)
           from (select entity_id, first_on, sum(donors) over (partition by entity_id order by first_on) as total from donor_day) days
           group by entity_id`,
        );
        times.push(performance.now() - start);
      },
      { statementTimeoutMs: 0 },
    );
  return Math.min(...times);
}

/** Charts by increments and anew, in a database of their own on the service's server. */
export async function benchRefresh(databaseUrl: string, sizes: readonly number[]): Promise<void> {
  const logger = createLogger('bench', 'silent');
  const server = createPool(databaseUrl, logger);
  const url = new URL(databaseUrl);
  url.pathname = '/bench_charts';
  let first: number | undefined;
  for (const size of sizes) {
    await server.query('drop database if exists bench_charts');
    await server.query('create database bench_charts');
    await migrate(url.href, logger);
    const pool = createPool(url.href, logger, { statementTimeoutMs: 0 });
    try {
      await prepared(pool);
      for (let at = 0; at < size; at += 500_000) await addRows(pool, at, Math.min(500_000, size - at));
      const label = `${size.toLocaleString('en-US')} rows stored`;
      let start = performance.now();
      await refreshCharts(pool, { reset: true });
      report(`${label}: all charts anew`, `${((performance.now() - start) / 1000).toFixed(1)} s`);
      await pool.query('vacuum analyze');
      const plain = await plainSqlMs(pool);
      start = performance.now();
      const series = await seriesMs(pool);
      report(
        `${label}: all cumulative series from donors`,
        `${series.toFixed(0)} ms`,
        `${(series / plain).toFixed(2)} of plain SQL on a covering index`,
      );
      const increment = await incrementMs(pool, size);
      first ??= increment;
      report(
        `${label}: ${ADDED.toLocaleString('en-US')} more`,
        `${(increment / 1000).toFixed(1)} s`,
        `${(increment / first).toFixed(2)} of that at ${sizes[0].toLocaleString('en-US')}`,
      );
    } finally {
      await pool.end();
    }
  }
  await server.query('drop database if exists bench_charts');
  await server.end();
}
