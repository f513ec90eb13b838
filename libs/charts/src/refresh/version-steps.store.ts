import { isCommitteeOf } from '@donorlens/campaign-finance';
import { DONOR_SIZES } from '../reading/chart-rows';
import { type RefreshMode, type RefreshStep, analyzed, step, workTable } from './refresh-step';
import { WORK_SETS, WRITE_VALUES } from './value-steps.store';

/** New donors of candidates by day. */
export const CHANGED_DAYS: readonly RefreshStep[] = [
  workTable('day_change', 'entity_id text, cycle smallint, first_on date, donors int'),
  step(
    'days that change',
    `insert into day_change
select entity_id, cycle, first_on, sum(sign)
from donor_change where entity_id not like 'C%' and first_on is not null
group by entity_id, cycle, first_on having sum(sign) <> 0`,
  ),
  analyzed('day_change'),
  step(
    'store days',
    `insert into donor_day as d (entity_id, cycle, first_on, donors)
select entity_id, cycle, first_on, donors from day_change
on conflict (entity_id, cycle, first_on) do update set donors = d.donors + excluded.donors`,
  ),
  step(
    'remove days without a new donor',
    `delete from donor_day d using day_change c
where d.entity_id = c.entity_id and d.cycle = c.cycle and d.first_on = c.first_on and d.donors = 0`,
  ),
];

export const ALL_DAYS: readonly RefreshStep[] = [
  step(
    'count days',
    `insert into donor_day (entity_id, cycle, first_on, donors)
select entity_id, cycle, first_on, count(*)
from candidate_now where first_on is not null
group by entity_id, cycle, first_on`,
  ),
];

/** A committee that is touched for the first time gets an empty pair, so that a change of linkages finds it. */
const PAIRS_OF_TOUCHED = `select entity_id, cycle from donor_change
union
select entity_id, cycle from presence_sum
union
select t.committee_id, t.cycle from touched t
where not exists (select from chart_pair p where p.entity_id = t.committee_id and p.cycle = t.cycle)`;

/** Includes pairs that no longer have a donor; they are empty in the new version. */
const ALL_PAIRS = `select cmte_id, cycle from link_pair
union select entity_id, cycle from donor_sum
union select entity_id, cycle from presence_sum
union select entity_id, cycle from chart_pair`;

/** The pairs that a new version changes. */
export const pairSteps = (mode: RefreshMode): readonly RefreshStep[] => [
  workTable('changed_pair', 'entity_id text, cycle smallint, primary key (entity_id, cycle)'),
  step('pairs that change', `insert into changed_pair\n${mode === 'reset' ? ALL_PAIRS : PAIRS_OF_TOUCHED}`),
  analyzed('changed_pair'),
  workTable('cycle_now', 'cycle smallint, office text, newest_on date'),
  step(
    'newest days of cycles and offices',
    `insert into cycle_now
select y.cycle, o.office, newest.received_on
from (select cycle from chart_pair union select cycle from changed_pair) y
join (values ('P'), ('S'), ('H')) o (office) on o.office = 'P'
  or exists (select from chart_link k where k.cycle = y.cycle and left(k.cand_id, 1) = o.office)
cross join lateral (
  select received_on from contribution c
  where c.cycle = y.cycle and c.received_on is not null
    and ${isCommitteeOf('array[o.office]', 'c.committee_id', 'c.cycle')}
  order by received_on desc limit 1) newest`,
  ),
];

/** Lower bound of the band of a donor's total; null for money without a donor. */
const SIZE = `case when first_on is not null then case
      ${DONOR_SIZES.slice(1)
        .map((next, at) => `when amount_cents < ${next * 100} then ${DONOR_SIZES[at]}`)
        .join(' ')}
      else ${DONOR_SIZES.at(-1)} end end`;

/**
 * Groups of columns for the sums of all donors. Breakdowns are then computed from these sums, because fewer grouping
 * sets over all donors take less time. The first column names the group.
 */
const BREAKDOWN_GROUPS = [['age', 'age_adult', 'gender'], ['race', 'state', 'size'], ['income']];
const GROUPS = [...BREAKDOWN_GROUPS, ...WORK_SETS.map((set) => [set])];
const COMMITTEE_GROUPS = [['age', 'age_adult']];

const SIGNED = `coalesce(sum(sign) filter (where first_on is not null), 0), sum(sign * contributions), sum(sign * amount_cents)`;
const COUNTED = 'count(first_on), sum(contributions), sum(amount_cents)';

const nameOf = (set: string): string => (set === 'race' ? 'ethnicity' : set);

/** Name of the set of a row. Null does not identify it: columns of other sets are null, and unknown values too. */
const nameOfSet = (sets: readonly (readonly string[])[]): string =>
  `case ${sets.map(([set]) => `when grouping(${set}) = 0 then '${nameOf(set)}'`).join(' ')} end`;

const setsOf = (sets: readonly (readonly string[])[]): string =>
  `group by entity_id, cycle, grouping sets (${sets.map((set) => `(${set.join(', ')})`).join(', ')})`;

/** @param sums - SQL sums over the rows of the source; rows of a change have a sign */
const sumStep = (what: string, groups: readonly (readonly string[])[], sums: string, source: string): RefreshStep =>
  step(
    `sums of donors of ${what}`,
    `insert into donor_sum (entity_id, cycle, set_name, ${groups.flat().join(', ')}, donors, contributions, amount_cents)
select entity_id, cycle, ${nameOfSet(groups)}, ${groups.flat().join(', ')}, ${sums}
from (select *, ${SIZE} as size from ${source}) sized
${setsOf(groups)}`,
  );

/** Sums of all donors, or of the changed donors. */
export const sumSteps = (mode: RefreshMode): readonly RefreshStep[] => [
  workTable(
    'donor_sum',
    `entity_id text, cycle smallint, set_name text, age smallint, age_adult smallint, gender text, race text, state text, size int,
  income int, occupation text, employer text, donors int, contributions int, amount_cents bigint`,
  ),
  ...(mode === 'reset'
    ? [
        sumStep('committees', COMMITTEE_GROUPS, COUNTED, 'donor_first donor'),
        sumStep('candidates', GROUPS, COUNTED, 'candidate_now donor'),
      ]
    : [
        sumStep('committees', COMMITTEE_GROUPS, SIGNED, `donor_change donor where entity_id like 'C%'`),
        sumStep('candidates', GROUPS, SIGNED, `donor_change donor where entity_id not like 'C%'`),
      ]),
  analyzed('donor_sum'),
];

const breakdownsOf = (group: readonly string[]): string => {
  const sets = group.map((set) => [set]);
  return `select entity_id, cycle, ${nameOfSet(sets)} as by, coalesce(${group.map((set) => `${set}::text`).join(', ')}, '') as value,
    sum(donors) as donors, sum(contributions) as contributions, sum(amount_cents) as amount_cents
  from donor_sum where set_name = '${nameOf(group[0])}' ${setsOf(sets)}`;
};

/** Committees have only the age chart. */
const HAS_CHART = `(entity_id not like 'C%' or by in ('age', 'age_adult'))`;

const PREVIOUS = `select b.entity_id, b.cycle, b.by, b.value, b.donors, b.contributions, b.amount_cents
  from changed_pair p
  cross join lateral (
    select version_id from chart_pair
    where entity_id = p.entity_id and cycle = p.cycle order by version_id desc limit 1) newest
  join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = newest.version_id
    and b.by not in (${WORK_SETS.map((set) => `'${set}'`).join(', ')})`;

/** Rows of the previous version plus the changes; for a reset, the sums alone. */
const rowsOf = (mode: RefreshMode): string =>
  [
    ...(mode === 'reset' ? [] : [PREVIOUS]),
    ...BREAKDOWN_GROUPS.map(breakdownsOf),
    'select entity_id, cycle, by, value, donors, 0, 0 from presence_sum',
  ].join('\n  union all\n  ');

/** Writes rows of the new version, only for changed pairs. Readers of the other pairs use the stored rows. */
export const versionSteps = (mode: RefreshMode): readonly RefreshStep[] => [
  step(
    'write breakdowns',
    `insert into donor_breakdown (entity_id, cycle, version_id, by, value, donors, contributions, amount_cents)
select entity_id, cycle, (select id from next_version), by, value, sum(donors), sum(contributions), sum(amount_cents)
from (
  ${rowsOf(mode)}) line
where ${HAS_CHART}
group by entity_id, cycle, by, value
having sum(donors) <> 0 or sum(contributions) <> 0 or sum(amount_cents) <> 0`,
  ),
  WRITE_VALUES,
  WRITE_SERIES,
  step(
    'write pairs',
    `insert into chart_pair (entity_id, cycle, version_id)
select entity_id, cycle, (select id from next_version) from changed_pair`,
  ),
  step(
    'write cycles',
    `insert into chart_cycle (cycle, version_id, office, newest_on)
select cycle, (select id from next_version), office, newest_on from cycle_now`,
  ),
];

/**
 * A running sum from the first day of the cycle. Each value repeats until the next day that adds a donor. If two rows
 * have the same day (the first day of the cycle), each has the sum of both, and one of them covers no day.
 */
export const WRITE_SERIES = step(
  'write series',
  `insert into cumulative_donors (cand_id, cycle, version_id, donors)
select p.entity_id, p.cycle, (select id from next_version), series.donors
from changed_pair p
cross join lateral (
  select array_agg(running.donors order by running.first_on) as donors
  from (
    select first_on, (sum(donors) over by_day)::int as donors,
      lead(first_on, 1, first_on + 1) over by_day - first_on as days
    from (
      select first_on, donors from donor_day d where d.entity_id = p.entity_id and d.cycle = p.cycle
      union all
      select make_date(p.cycle - 1, 1, 1), 0) day
    window by_day as (order by first_on)) running
  cross join lateral generate_series(1, running.days)) series
where exists (select from donor_day d where d.entity_id = p.entity_id and d.cycle = p.cycle)`,
);

/**
 * Removes rows that neither the new version nor the previous one reads: rows of a pair that are older than the newest
 * row that the previous version sees. A running statement still sees the rows that existed when it started.
 */
export const CLEANING: readonly RefreshStep[] = [
  workTable('old_pair', 'entity_id text, cycle smallint, version_id bigint'),
  step(
    'remove old pairs',
    `with gone as (
  delete from chart_pair p
  where exists (
    select from chart_pair newer
    where newer.entity_id = p.entity_id and newer.cycle = p.cycle
      and newer.version_id > p.version_id and newer.version_id <= (select previous_id from next_version))
  returning entity_id, cycle, version_id)
insert into old_pair select entity_id, cycle, version_id from gone`,
  ),
  analyzed('old_pair'),
  step(
    'remove old breakdowns',
    `delete from donor_breakdown b using old_pair p
where b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = p.version_id`,
  ),
  step(
    'remove old series',
    `delete from cumulative_donors d using old_pair p
where d.cand_id = p.entity_id and d.cycle = p.cycle and d.version_id = p.version_id`,
  ),
  step(
    'remove old versions',
    `delete from chart_version v
where v.id < (select previous_id from next_version)
  and not exists (select from chart_pair p where p.version_id = v.id)`,
  ),
];
