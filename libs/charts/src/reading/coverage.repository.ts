import { type Pool } from 'pg';
import {
  CHARTS_FORM,
  type ChartsCoverage,
  type ChartsStatus,
  type ChartsVersion,
  type CycleCoverage,
  type UnlinkedCommittee,
  type VersionDetail,
} from '../charts-version';
import { assertStored } from './chart.repository';

const COVERAGE = `
select c.cycle, c.newest_on::text as "newestOn",
  count(*) filter (where t.entity_id not like 'C%')::int as candidates,
  count(*) filter (where t.entity_id like 'C%')::int as committees,
  coalesce(array_agg(distinct left(t.entity_id, 1)) filter (where t.entity_id not like 'C%' and t.donors > 0), '{}') as offices,
  coalesce(sum(t.contributions) filter (where t.entity_id like 'C%'), 0)::bigint as contributions,
  coalesce(sum(t.amount_cents) filter (where t.entity_id like 'C%'), 0)::bigint as "amountCents",
  v.detail->'sensitivity'->c.cycle::text as sensitivity
from (select cycle, version_id, max(newest_on) as newest_on from chart_cycle group by cycle, version_id) c
join chart_version v on v.id = c.version_id
left join (
  select b.entity_id, b.cycle, sum(b.donors) as donors, sum(b.contributions) as contributions, sum(b.amount_cents) as amount_cents
  from (select distinct on (entity_id, cycle) entity_id, cycle, version_id from chart_pair
        where version_id <= $1 order by entity_id, cycle, version_id desc) p
  join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = p.version_id and b.by = 'age'
  group by b.entity_id, b.cycle) t on t.cycle = c.cycle
where c.version_id = $1
group by c.cycle, c.newest_on, v.detail
order by c.cycle`;

/** Uses the current links, not those of a version, because the page states how contributions count now. */
const UNLINKED = `
select distinct p.entity_id as "committeeId", p.cycle from chart_pair p
where p.entity_id like 'C%'
  and not exists (select from chart_link l where l.cmte_id = p.entity_id and l.cycle = p.cycle)
  and exists (
    select from donor_breakdown b
    where b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = (
      select max(newest.version_id) from chart_pair newest where newest.entity_id = p.entity_id and newest.cycle = p.cycle))
order by p.cycle, p.entity_id`;

const STATUS = `
select v.id, v.built_at as "builtAt", v.detail,
  (select count(*) from (select distinct entity_id, cycle from chart_pair where entity_id not like '%:%') pair)::int as pairs,
  (select count(*) from donor_touched)::int as touched,
  (select version_id from pointer where name = 'fec-masters') is distinct from v.detail->>'masters' as "linksAreOld",
  v.id is not null and v.detail->>'form' is distinct from '${CHARTS_FORM}' as "formIsOld"
from (select 1) one
left join pointer p on p.name = 'charts'
left join chart_version v on v.id = p.version_id::bigint`;

/**
 * Reads the coverage of a version: its cycles, and committees without a link.
 * @throws ChartsVersionGoneError
 */
export async function readChartsCoverage(pool: Pool, version: ChartsVersion): Promise<ChartsCoverage> {
  const { rows } = await pool.query<CycleCoverage>(COVERAGE, [version.id]);
  const unlinked = await pool.query<UnlinkedCommittee>(UNLINKED);
  await assertStored(pool, version);
  const cycles = rows.map((row) => ({
    ...row,
    contributions: Number(row.contributions),
    amountCents: Number(row.amountCents),
  }));
  return { cycles, unlinked: unlinked.rows };
}

/** Reads the current version and the changes that wait for the next refresh. */
export async function readChartsStatus(pool: Pool): Promise<ChartsStatus> {
  const { rows } = await pool.query<{
    readonly id: string | null;
    readonly builtAt: Date;
    readonly detail: VersionDetail | null;
    readonly pairs: number;
    readonly touched: number;
    readonly linksAreOld: boolean;
    readonly formIsOld: boolean;
  }>(STATUS);
  const { id, builtAt, ...status } = rows[0];
  return { current: id === null ? null : { id, builtAt }, ...status };
}
