import { refreshCharts } from '@donorlens/charts';
import { inTransaction } from '@donorlens/database';
import { ALL_CANDIDATE_DONORS } from '../../../libs/charts/src/refresh/donor-steps.store';
import { ALL_DAYS } from '../../../libs/charts/src/refresh/version-steps.store';
import { type Pool, type PoolClient } from 'pg';
import { count, alternate, line, type Line, median, ratios, reportStep } from '../measure';
import { CYCLE, SyntheticContributions } from '../../../test/support/bench-data/synthetic-contributions';

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

/** Allows an index-only scan of the plain query. */
const withCoveringIndex = async (pool: Pool): Promise<void> => {
  await pool.query(
    `create index bench_covering on contribution_${CYCLE} (committee_id, donor_key, received_on)
     where counts_donor and not is_copy`,
  );
  await pool.query(`vacuum analyze contribution_${CYCLE}`);
};

/** @throws Error if a day of a series differs from the plain query of the stored rows */
async function assertSeries(pool: Pool): Promise<void> {
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

/** @param settings - planner settings of the plain query; the best settings differ by size */
const plainMs = (pool: Pool, settings: string): Promise<number> =>
  inTransaction(
    pool,
    async (client) => {
      await client.query(`set local work_mem = '256MB'; set local max_parallel_workers_per_gather = 2; ${settings}`);
      return timed(client, [PLAIN]);
    },
    { statementTimeoutMs: 0 },
  );

/** Computes donors and days of all candidates from the donors of committees, and the arrays of their running sums. */
const oursMs = (pool: Pool): Promise<number> =>
  inTransaction(
    pool,
    async (client) => {
      await client.query('delete from donor_day');
      return timed(client, [...[...ALL_CANDIDATE_DONORS, ...ALL_DAYS].map(({ sql }) => sql), OURS]);
    },
    { statementTimeoutMs: 0 },
  );

const OF_PLAIN = 1.2;
const OF_SMALLER = 1.5;

interface Wanted {
  /** Number of rows stored before an increment. */
  readonly sizes: readonly number[];
  readonly added: number;
  readonly rounds: number;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`;

/** Compares cumulative series of the largest size with SQL, and increments of all sizes in separate databases. */
export async function refreshLines(databaseUrl: string, { sizes, added, rounds }: Wanted): Promise<Line[]> {
  const all: SyntheticContributions[] = [];
  const built: Line[] = [];
  try {
    for (const size of sizes) {
      const facts = await reportStep(`${count(size)} rows: stored`, () => SyntheticContributions.of(size, databaseUrl));
      all.push(facts);
      const start = performance.now();
      await reportStep(`${count(size)} rows: charts are built`, () => refreshCharts(facts.pool, { reset: true }));
      const values = [performance.now() - start];
      built.push(line({ what: `${count(size)} rows stored: all charts built, once`, values, shown: seconds }));
      await facts.pool.query('vacuum analyze');
    }
    const largest = sizes.indexOf(Math.max(...sizes));
    return [
      ...built,
      ...(await series(all[largest].pool, `${count(sizes[largest])} rows stored`, rounds)),
      ...(await increments(all, { sizes, added, rounds })),
    ];
  } finally {
    for (const facts of all) await facts.remove();
  }
}

async function series(pool: Pool, label: string, rounds: number): Promise<Line[]> {
  await withCoveringIndex(pool);
  await oursMs(pool); // warm-up
  await assertSeries(pool);
  const variants = {
    hashed: () => plainMs(pool, ''),
    sorted: () => plainMs(pool, 'set local enable_hashagg = off'),
    donorlens: () => oursMs(pool),
  };
  const times = await alternate(rounds, variants, `${label}: cumulative series`);
  await assertSeries(pool);
  await pool.query('drop index bench_covering');
  const plain = median(times.hashed) <= median(times.sorted) ? times.hashed : times.sorted;
  const against = ratios(times.donorlens, plain);
  return [
    line({
      what: `${label}: all cumulative series by SQL of an index alone, the better of two plans, the baseline`,
      values: plain,
      shown: seconds,
    }),
    line({
      what: `${label}: all cumulative series from the donors of committees`,
      values: times.donorlens,
      shown: seconds,
      against,
      target: [`≤ ${OF_PLAIN}`, median(against) <= OF_PLAIN],
    }),
  ];
}

/** Adds the same number of new rows at each size, in alternation. */
async function increments(all: readonly SyntheticContributions[], { sizes, added, rounds }: Wanted): Promise<Line[]> {
  const incrementMs = async (facts: SyntheticContributions): Promise<number> => {
    await facts.add(added);
    await facts.pool.query('checkpoint');
    const start = performance.now();
    await refreshCharts(facts.pool);
    return performance.now() - start;
  };
  const what = `${count(added)} more`;
  const names = sizes.map((size) => `at ${count(size)}`);
  const variants = Object.fromEntries(names.map((name, at) => [name, () => incrementMs(all[at])]));
  for (const facts of all) await incrementMs(facts); // warm-up
  const times = await alternate(rounds, variants, what);
  for (const { pool } of all) await assertSeries(pool);
  return names.map((name, at) => {
    const values = times[name];
    if (at === 0)
      return line({ what: `${what} ${name}: folded into all charts, the baseline`, values, shown: seconds });
    const against = ratios(values, times[names[0]]);
    const target = [`≤ ${OF_SMALLER}`, median(against) <= OF_SMALLER] as const;
    return line({ what: `${what} ${name}: folded into all charts`, values, shown: seconds, against, target });
  });
}
