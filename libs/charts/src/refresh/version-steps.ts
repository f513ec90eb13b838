import { type RefreshMode, type RefreshStep, step } from './refresh-step';

/** Sums by value, six groupings in one pass; each line has one of the six, the others are null, and so is what is unknown. */
const summed = (source: string): string => `select entity_id, cycle,
    case when grouping(age) = 0 then 'age' when grouping(age_adult) = 0 then 'age_adult'
         when grouping(gender) = 0 then 'gender' when grouping(race) = 0 then 'ethnicity'
         when grouping(state) = 0 then 'state' else 'income' end as by,
    coalesce(age::text, age_adult::text, gender, race, state, income::text, '') as value,
    coalesce(sum(sign) filter (where first_on is not null), 0) as donors,
    sum(sign * contributions) as contributions,
    sum(sign * amount_cents) as amount_cents
  from ${source}
  group by entity_id, cycle, grouping sets ((age), (age_adult), (gender), (race), (state), (income))`;

/** Committees are asked for ages only. */
const IS_ASKED_FOR = `(entity_id like 'P%' or by in ('age', 'age_adult'))`;

const PREVIOUS = `select b.entity_id, b.cycle, b.by, b.value, b.donors, b.contributions, b.amount_cents
  from changed_pair p
  cross join lateral (
    select version_id from chart_pair
    where entity_id = p.entity_id and cycle = p.cycle order by version_id desc limit 1) newest
  join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = newest.version_id`;

/** Rows of the version before with what changed added to them; in a reset the sums as they are. */
const lines = (mode: RefreshMode): string =>
  mode === 'reset'
    ? summed('(select 1 as sign, * from donor_first) donor')
    : `${PREVIOUS}\n  union all\n  ${summed('donor_change')}`;

/** Rows of the new version, for the pairs that change only; of all others the rows that are there go on being read. */
export const versionSteps = (mode: RefreshMode): readonly RefreshStep[] => [
  step(
    'write breakdowns',
    `insert into donor_breakdown (entity_id, cycle, version_id, by, value, donors, contributions, amount_cents)
select entity_id, cycle, (select id from next_version), by, value, sum(donors), sum(contributions), sum(amount_cents)
from (
  ${lines(mode)}) line
where ${IS_ASKED_FOR}
group by entity_id, cycle, by, value
having sum(donors) <> 0 or sum(contributions) <> 0 or sum(amount_cents) <> 0`,
  ),
  WRITE_SERIES,
  step(
    'write pairs',
    `insert into chart_pair (entity_id, cycle, version_id)
select entity_id, cycle, (select id from next_version) from changed_pair`,
  ),
  step(
    'write cycles',
    `insert into chart_cycle (cycle, version_id, newest_on)
select cycle, (select id from next_version), newest_on from cycle_now`,
  ),
];

/**
 * A running sum from the first day of the cycle, each day's repeated until the next one that adds a donor. Of two rows of one
 * day (the first) both have the sum of both, and the one that comes first lasts no day.
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
