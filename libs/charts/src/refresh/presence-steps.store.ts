import { type RefreshStep, analyzed, step, workTable } from './refresh-step';

/** A donor of a candidate in a cycle, before (sign -1) and now (sign 1). */
const PRESENCE = 'sign int, entity_id text, cycle smallint, donor_key bigint, party text';

/** Collects all candidates in all cycles of donors whose candidates may have changed. */
export const presenceAt = (sign: -1 | 1): readonly RefreshStep[] => [
  ...(sign === 1
    ? []
    : [
        workTable('presence_donor', 'donor_key bigint primary key'),
        step('donors to compare', 'insert into presence_donor select distinct donor_key from candidate_touched'),
        analyzed('presence_donor'),
        workTable('presence', PRESENCE),
      ]),
  step(
    `candidates of donors ${sign === 1 ? 'now' : 'before'}`,
    `insert into presence
select distinct ${sign}, l.cand_id, f.cycle, f.donor_key, l.party
from presence_donor d
cross join lateral (
  select entity_id, cycle, donor_key from donor_first
  where donor_key = d.donor_key and first_on is not null offset 0) f
join chart_link l on l.cmte_id = f.entity_id and l.cycle = f.cycle`,
  ),
];

/**
 * Stores donors with the same candidates in the same cycles as one donor, with their number as `sign`: there are far
 * fewer such sets than donors.
 */
export const ALL_PRESENCE: readonly RefreshStep[] = [
  workTable('presence', PRESENCE),
  workTable('candidate_number', 'no int, cand_id text, cycle smallint, party text'),
  step(
    'number candidates',
    `insert into candidate_number
select row_number() over (), cand_id, cycle, party from (select distinct cand_id, cycle, party from chart_link) l`,
  ),
  analyzed('candidate_number'),
  step(
    'sets of candidates of all donors',
    `insert into presence
select s.donors, n.cand_id, n.cycle, s.no, n.party
from (
  select numbers, count(*) as donors, row_number() over () as no
  from (
    select array_agg(no) as numbers
    from (
      select c.donor_key, n.no
      from candidate_now c join candidate_number n on n.cand_id = c.entity_id and n.cycle = c.cycle
      where c.first_on is not null order by c.donor_key, n.no) given
    group by donor_key) donor
  group by numbers) s
cross join lateral unnest(s.numbers) one (no)
join candidate_number n on n.no = one.no`,
  ),
];

/** A candidate, all candidates for an office (`field:P`), all presidential candidates of a party (`party:DEM`). */
const ENTITIES = `(values (entity_id), ('field:' || left(entity_id, 1)),
    (case when entity_id like 'P%' and party <> '' then 'party:' || party end)) e (entity)`;

/** Changes in the numbers of donors, returning donors, donors who give again, and donors that two candidates share. */
export const PRESENCE_SUMS: readonly RefreshStep[] = [
  analyzed('presence'),
  workTable('presence_sum', 'entity_id text, cycle smallint, by text, value text, donors int'),
  step(
    'donors who return',
    `insert into presence_sum
select entity, cycle, counted.by, '', counted.donors
from (
  select entity, cycle, sum(sign) as donors, coalesce(sum(sign) filter (where earlier is not null), 0) as returned,
    coalesce(sum(sign) filter (where later = cycle + 2), 0) as again
  from (
    select sign, entity, cycle, lag(cycle) over donor as earlier, lead(cycle) over donor as later
    from (select distinct sign, entity, cycle, donor_key from presence cross join lateral ${ENTITIES} where entity is not null) one
    window donor as (partition by sign, donor_key, entity order by cycle)) given
  group by entity, cycle) total
cross join lateral (values ('donors', donors), ('returning', returned), ('again', again)) counted (by, donors)
where counted.donors <> 0`,
  ),
  step(
    'donors of two candidates',
    `insert into presence_sum
select a.entity_id, a.cycle, 'shared', b.entity_id, sum(a.sign)
from presence a join presence b on b.donor_key = a.donor_key and b.cycle = a.cycle and b.sign = a.sign
where b.entity_id <> a.entity_id and left(b.entity_id, 1) = left(a.entity_id, 1)
group by a.entity_id, a.cycle, b.entity_id having sum(a.sign) <> 0`,
  ),
];
