import { createHash } from 'node:crypto';
import { type Pool } from 'pg';
import { until } from '../installation';
import { type Scene, type Wrong } from './scene';

const SETTLE_MS = 240_000;
/** Everything that a chart or a table answers from, without what differs from run to run: ids, times, releases. */
const TOLD: readonly string[] = [
  `select to_jsonb(t) - 'release_no' from contribution t`,
  `select to_jsonb(t) from donor_first t`,
  `select to_jsonb(t) from donor_day t`,
  `select to_jsonb(t) from chart_link t`,
  ...['donor_breakdown', 'cumulative_donors'].map(
    (table) => `select to_jsonb(t) - 'version_id' from ${table} t
      where t.version_id = (select max(p.version_id) from chart_pair p
        where p.cycle = t.cycle and p.entity_id = to_jsonb(t) ->> '${table === 'donor_breakdown' ? 'entity_id' : 'cand_id'}')`,
  ),
];

/** Contributions and charts, told from others by one text. */
export async function chartsDigest(pool: Pool): Promise<string> {
  const hash = createHash('sha256');
  for (const sql of TOLD) {
    const { rows } = await pool.query<{ n: number; digest: string | null }>(
      `select count(*)::int as n, md5(string_agg(line, ',' order by line)) as digest from (${sql
        .replace('select ', 'select (')
        .replace(' from ', ')::text as line from ')}) told`,
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

/** When imports, charts and batches have come to rest: nothing is half read, and every cycle is noted to have the values of the active release. */
export async function atRest(pool: Pool): Promise<void> {
  await until(
    'imports, charts and batches are at rest',
    async () => Number((await pool.query<{ n: string }>(OPEN)).rows[0].n) === 0,
    SETTLE_MS,
  );
}

/** The active release is this round's, the only one, and has all its bytes. */
export async function releaseFaults({ pool, data, round }: Scene): Promise<Wrong[]> {
  const { rows } = await pool.query<{ id: string; isPointed: boolean; isWhole: boolean; ofRound: boolean }>(
    `select id, id = (select version_id from pointer where name = 'data_release') as "isPointed",
            provenance::text like '%' || $1 || '%' as "ofRound",
            sha256 = sha256(substring((select string_agg(body, ''::bytea order by seq) from data_release_part where release_id = id) from 65))
            and bytes = (select sum(length(body)) from data_release_part where release_id = id) as "isWhole"
     from data_release where state = 'active'`,
    [data.checksum(round)],
  );
  if (rows.length !== 1) return [`${rows.length} releases are active`];
  const [{ isPointed, isWhole, ofRound }] = rows;
  return [
    ...(isPointed ? [] : ['the pointer is not at the active release']),
    ...(isWhole ? [] : ['the active release is not whole']),
    ...(ofRound ? [] : ['the active release is not that of the newest files']),
  ];
}
