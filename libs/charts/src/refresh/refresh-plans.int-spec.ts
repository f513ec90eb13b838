import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Pool, type PoolClient } from 'pg';
import { inTransaction } from '@donorlens/database';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { makePartitions, replaceLinkages } from '../../../../test/support/fec-data/contribution-rows';
import { dumpSchema } from '../../../../test/support/servers/schema-dump';
import { refreshCharts } from './refresh-charts';
import { type RefreshStep } from './refresh-step';
import { incrementSteps } from './refresh-steps';
import { RefreshRepository } from './refresh.repository';

const PLANS = join(__dirname, '..', '..', '..', '..', 'docs', 'results', 'chart-plans.md');
const SCHEMA = join(__dirname, '..', '..', '..', 'database', 'schema.sql');
const LARGE = /^(contribution(_\d+)?|donor_first)$/;

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly Plan[];
}

describe('the plans of a refresh', () => {
  let db: TestDatabase;
  beforeAll(async () => {
    db = await testDatabase();
    await makePartitions(db.pool, [2016, 2018]);
    await replaceLinkages(
      db.pool,
      Array.from({ length: 20 }, (_, at) => ({
        candidateId: `P0000000${at % 8}`,
        committeeId: `C000000${String(at).padStart(2, '0')}`,
        cycle: 2016,
        designation: ['P', 'A', 'J'][at % 3],
      })),
    );
    await storeMany(db.pool, 50_000);
    await refreshCharts(db.pool);
    await db.pool.query('vacuum analyze');
  });
  afterAll(() => db.close());

  it('read neither all contributions nor all donors after 100 donors were touched', async () => {
    await touchSome(db.pool, 100);
    const plans = await inTransaction(db.pool, (client) => plansOf(client));
    const scans = plans.flatMap(({ name, plan }) =>
      nodesOf(plan)
        .filter((node) => LARGE.test(node['Relation Name'] ?? '') && readsAll(node))
        .map((node) => `${name}: ${node['Node Type']} ${node['Relation Name']}`),
    );
    expect(scans).toEqual([]);
    const text = asDocument(plans);
    if (process.env.UPDATE_PLANS === '1') writeFileSync(PLANS, text);
    expect(sectionsOf(readFileSync(PLANS, 'utf8'))).toEqual(sectionsOf(text)); // the document has each step
  });

  it('replace the table of donors with a table of the same definition as in the migrations', async () => {
    await refreshCharts(db.pool, { reset: true });
    const donors = (schema: string) => /^create table donor_first \([^;]+;/m.exec(schema)?.[0] ?? 'none';
    expect(donors(await dumpSchema(db.pool))).toBe(donors(readFileSync(SCHEMA, 'utf8')));
  });

  it('fold all contributions after 100,000 of the donors were touched', async () => {
    const touch = (donors: number) =>
      db.pool.query(
        `insert into donor_touched (committee_id, cycle, donor_key) select 'none', 2016, no from generate_series(1, $1) no`,
        [donors],
      );
    const { rows } = await db.pool.query<{ n: number }>('select count(*)::int as n from donor_first');
    await touch(99_999);
    expect((await refreshCharts(db.pool)).donors).toBeGreaterThanOrEqual(99_999);
    await touch(100_000);
    expect(await refreshCharts(db.pool)).toMatchObject({ outcome: 'built', donors: rows[0].n });
  });
});

/** Explains each statement, then runs it, so that the next statement is planned for the tables that it reads. */
async function plansOf(client: PoolClient): Promise<{ name: string; plan: Plan }[]> {
  const repository = new RefreshRepository(client);
  await repository.prepare();
  const { fold, publish } = incrementSteps(false);
  const plans = await explained(client, fold);
  await repository.beginVersion(
    0,
    { donorKeyVersion: 1, masters: '1', changedDonors: 0 },
    (await repository.current())!.versionId,
  );
  return [...plans, ...(await explained(client, publish))];
}

async function explained(client: PoolClient, steps: readonly RefreshStep[]): Promise<{ name: string; plan: Plan }[]> {
  const plans = [];
  for (const { name, sql } of steps) {
    if (/^(with|insert|update|delete)\b/.test(sql)) {
      const { rows } = await client.query(`explain (format json) ${sql}`);
      plans.push({ name, plan: rows[0]['QUERY PLAN'][0].Plan as Plan });
    }
    await client.query(sql);
  }
  return plans;
}

/** Whether a node scans a whole table. An index scan without a condition counts too. */
const readsAll = (node: Plan): boolean =>
  node['Node Type'] === 'Seq Scan' || (node['Node Type'].startsWith('Index') && node['Index Cond'] === undefined);

const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Node types with the tables and indexes that they read, without costs, so that plans can be compared. */
function outline(plan: Plan, depth = 0): string {
  const what = [plan['Node Type'], plan['Relation Name'], plan['Index Name'] && `by ${plan['Index Name']}`];
  const line = `${'  '.repeat(depth)}${what.filter(Boolean).join(' ')}`;
  return [line, ...(plan.Plans ?? []).map((child) => outline(child, depth + 1))].join('\n');
}

const sectionsOf = (text: string): string[] => text.split('\n').filter((line) => line.startsWith('## '));

function asDocument(plans: readonly { name: string; plan: Plan }[]): string {
  const intro = `# Plans of a refresh of the charts

Each statement of a refresh (libs/charts/src/refresh) with the plan that Postgres takes for it: 50,000 contributions are
stored, 100 donors were touched. What a refresh costs depends on what was touched: \`contribution\` and \`donor_first\` are
read by index only, and a test fails where a step reads the whole of one. Tables of the transaction (\`touched\`,
\`committee_now\` ...) hold what was touched and are read whole.

Written by: UPDATE_PLANS=1 npm test -- libs/charts/src/refresh/refresh-plans
`;
  return [intro, ...plans.map(({ name, plan }) => `## ${name}\n\n\`\`\`\n${outline(plan)}\n\`\`\`\n`)].join('\n');
}

/** 2 of 5 donors give more than once. 1 of 10 rows is an earmarked gift, and another is a conduit's copy. */
async function storeMany(pool: Pool, rows: number): Promise<void> {
  await pool.query(
    `insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, received_on, money_cents, counts_money,
       counts_donor, count_reason, earmark, state, tran_id, age, age_adult, gender, race, hh_income_median,
       release_no, file_cycle, record)
     select case when n % 2 = 0 then 2016 else 2018 end, n, 'C000000' || lpad((n % 20)::text, 2, '0'),
       n * 7919 % ($1 * 3 / 5) + 1, n % 1000, date '2015-01-01' + (case when n % 2 = 0 then 0 else 731 end) + n % 700,
       1000 * (1 + n % 5), true, true, 0, case n % 10 when 3 then 1 when 4 then 2 else 0 end, 'OH', '', n % 90, n % 90, 'f',
       'white', 30000 + n % 3000, 1, 2016, repeat('x', 200)
     from generate_series(1, $1::int) n`,
    [rows],
  );
  await pool.query('insert into donor_touched select committee_id, cycle, donor_key from contribution');
  await pool.query('analyze contribution');
}

async function touchSome(pool: Pool, donors: number): Promise<void> {
  await pool.query(
    `with changed as (
       update contribution set money_cents = money_cents + 1, received_on = received_on + 1
       where row_id in (select n * 97 from generate_series(1, $1::int) n) returning committee_id, cycle, donor_key)
     insert into donor_touched select committee_id, cycle, donor_key from changed`,
    [donors],
  );
}
