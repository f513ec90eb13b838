import { type RefreshStep, step, workTable, analyzed } from './refresh-step';

/** New donors of candidates by day. */
export const CHANGED_DAYS: readonly RefreshStep[] = [
  workTable('day_change', 'entity_id text, cycle smallint, first_on date, donors int'),
  step(
    'days that change',
    `insert into day_change
select entity_id, cycle, first_on, sum(sign)
from donor_change where entity_id like 'P%' and first_on is not null
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
from donor_first where entity_id like 'P%' and first_on is not null
group by entity_id, cycle, first_on`,
  ),
];
