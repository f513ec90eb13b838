/** $1 version, $2 ids or null, $3 cycles or null: the rows of each pair as that version sees it. */
const pairs = (kind: 'C' | 'P'): string => `select distinct on (entity_id, cycle) entity_id, cycle, version_id
  from chart_pair
  where version_id <= $1 and entity_id like '${kind}%'
    and ($2::text[] is null or entity_id = any($2)) and ($3::int[] is null or cycle = any($3))
  order by entity_id, cycle, version_id desc`;

/** $4: age or age_adult */
export const AGE_DISTRIBUTION = `
select b.cycle, b.entity_id, b.value, b.donors, b.contributions, b.amount_cents
from (${pairs('C')}) p
join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = p.version_id and b.by = $4
order by b.cycle, b.entity_id, nullif(b.value, '')::int nulls last`;

export const CUMULATIVE_DONORS = `
select d.cycle, d.cand_id, d.donors, c.newest_on::text
from (${pairs('P')}) p
join cumulative_donors d on d.cand_id = p.entity_id and d.cycle = p.cycle and d.version_id = p.version_id
join chart_cycle c on c.cycle = p.cycle and c.version_id = $1
order by d.cycle, d.cand_id`;

/** $4: breakdowns. Values that are numbers are cut into bands, 10 years or 10,000 dollars wide. */
export const BREAKDOWN = `
select b.cycle, b.entity_id, b.by, coalesce(band.low || '-' || band.low + band.width - 1, b.value) as value,
  sum(b.donors)::int as donors, sum(b.contributions)::int as contributions, sum(b.amount_cents)::bigint as amount_cents
from (${pairs('P')}) p
join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = p.version_id and b.by = any($4)
cross join lateral (select case b.by when 'age' then 10 when 'income' then 10000 end as width) wide
cross join lateral (
  select width, case when width is not null then nullif(b.value, '')::int / width * width end as low) band
group by b.cycle, b.entity_id, b.by, band.low, band.width, case when band.low is null then b.value end, 4
order by b.cycle, b.entity_id, b.by, band.low, nullif(case when band.low is null then b.value end, '') collate "C" nulls last`;

export const COVERAGE = `
select c.cycle, c.newest_on::text as "newestOn",
  count(*) filter (where t.entity_id like 'P%')::int as candidates,
  count(*) filter (where t.entity_id like 'C%')::int as committees,
  coalesce(sum(t.contributions) filter (where t.entity_id like 'C%'), 0)::bigint as contributions,
  coalesce(sum(t.amount_cents) filter (where t.entity_id like 'C%'), 0)::bigint as "amountCents",
  v.detail->'sensitivity'->c.cycle::text as sensitivity
from chart_cycle c
join chart_version v on v.id = c.version_id
left join (
  select b.entity_id, b.cycle, sum(b.contributions) as contributions, sum(b.amount_cents) as amount_cents
  from (select distinct on (entity_id, cycle) entity_id, cycle, version_id from chart_pair
        where version_id <= $1 order by entity_id, cycle, version_id desc) p
  join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = p.version_id and b.by = 'age'
  group by b.entity_id, b.cycle) t on t.cycle = c.cycle
where c.version_id = $1
group by c.cycle, c.newest_on, v.detail
order by c.cycle`;

/** Links are those of now, not of a version: a page says how gifts are counted, the charts how they were. */
export const NEAREST_LINKAGES = `
select distinct l.cmte_id as "committeeId", l.cycle, l.linkage_cycle as "linkageCycle"
from chart_link l join chart_pair p on p.entity_id = l.cmte_id and p.cycle = l.cycle
where l.linkage_cycle <> l.cycle
order by l.cycle, l.cmte_id`;

export const STATUS = `
select v.id, v.built_at as "builtAt", v.detail,
  (select count(*) from (select distinct entity_id, cycle from chart_pair) pair)::int as pairs,
  (select count(*) from donor_touched)::int as touched,
  (select version_id from pointer where name = 'fec-masters') is distinct from v.detail->>'masters' as "linksAreOld"
from (select 1) one
left join pointer p on p.name = 'charts'
left join chart_version v on v.id = p.version_id::bigint`;
