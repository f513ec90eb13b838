import { createHash } from 'node:crypto';
import { type Pool } from 'pg';
import { until } from '../../../test/support/installation';
import { type Problem, type Round } from './crash-actions';

const IDLE_MS = 240_000;
/** The data of charts and tables, without ids, times and releases, which differ between runs. */
const chartRows = (table: string, entity: string): string =>
  `select (to_jsonb(t) - 'version_id')::text as line from ${table} t
   where t.version_id = (select max(p.version_id) from chart_pair p where p.cycle = t.cycle and p.entity_id = t.${entity})`;
const CHART_DATA: readonly string[] = [
  `select (to_jsonb(t) - 'release_no')::text as line from contribution t`,
  ...['donor_first', 'donor_day', 'chart_link'].map((table) => `select to_jsonb(t)::text as line from ${table} t`),
  chartRows('donor_breakdown', 'entity_id'),
  chartRows('cumulative_donors', 'cand_id'),
];

/** A digest of contributions and charts. */
export async function chartsDigest(pool: Pool): Promise<string> {
  const hash = createHash('sha256');
  for (const sql of CHART_DATA) {
    const { rows } = await pool.query<{ n: number; digest: string | null }>(
      `select count(*)::int as n, md5(string_agg(line, ',' order by line)) as digest from (${sql}) data`,
    );
    hash.update(`${rows[0].n} ${rows[0].digest}\n`);
  }
  return hash.digest('hex').slice(0, 16);
}

const OPEN = `select
  (select count(*) from fec_import where state = 'loading')
  + (select count(*) from ops_request where state in ('asked', 'running'))
  + (select count(*) from donor_touched)
  + (select count(distinct c.cycle) from contribution c
     where not exists (select from cycle_enrichment e join enrichment_release r on r.no = e.release_no
                       where e.cycle = c.cycle
                         and r.release_id = (select version_id from pointer where name = 'data_release')))
  + (select count(*) from batch where state in ('accepted', 'running', 'cancelling')) as n`;

/** Waits until imports, charts, requests and batches are done and every cycle has values of the active release. */
export async function untilIdle(pool: Pool): Promise<void> {
  const isIdle = async (): Promise<boolean> => Number((await pool.query<{ n: string }>(OPEN)).rows[0].n) === 0;
  await until('imports, charts and batches have finished', isIdle, IDLE_MS);
}

/** Checks that exactly one release is active, that it is the one of the round, and that it is complete. */
export async function releaseProblems({ stage: { pool, files }, nth }: Round): Promise<Problem[]> {
  const { rows } = await pool.query<{ isPointed: boolean; isComplete: boolean; isOfRound: boolean }>(
    `select id = (select version_id from pointer where name = 'data_release') as "isPointed",
            provenance::text like '%' || $1 || '%' as "isOfRound",
            sha256 = sha256(substring((select string_agg(body, ''::bytea order by seq) from data_release_part where release_id = id) from 65))
            and bytes = (select sum(length(body)) from data_release_part where release_id = id) as "isComplete"
     from data_release where state = 'active'`,
    [files.checksum(nth)],
  );
  if (rows.length !== 1) return [`${rows.length} releases are active`];
  const [{ isPointed, isComplete, isOfRound }] = rows;
  return [
    ...(isPointed ? [] : ['the pointer does not lead to the active release']),
    ...(isComplete ? [] : ['the active release is incomplete']),
    ...(isOfRound ? [] : ['the active release is not that of the newest files']),
  ];
}
