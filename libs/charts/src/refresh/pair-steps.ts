import { type RefreshMode, type RefreshStep, analyzed, step, workTable } from './refresh-step';

/** Committees that were touched for the first time get an empty pair, so that they are known when linkages change. */
const OF_TOUCHED = `select entity_id, cycle from donor_change
union
select t.committee_id, t.cycle from touched t
where not exists (select from chart_pair p where p.entity_id = t.committee_id and p.cycle = t.cycle)`;

/** With those that no longer have a donor: they read as empty from now on. */
const OF_ALL = `select entity_id, cycle from donor_first
union select cmte_id, cycle from link_pair
union select entity_id, cycle from chart_pair`;

/** What a new version has to tell otherwise than the one before. */
export const pairSteps = (mode: RefreshMode): readonly RefreshStep[] => [
  workTable('changed_pair', 'entity_id text, cycle smallint, primary key (entity_id, cycle)'),
  step('pairs that change', `insert into changed_pair\n${mode === 'reset' ? OF_ALL : OF_TOUCHED}`),
  analyzed('changed_pair'),
  workTable('cycle_now', 'cycle smallint, newest_on date'),
  step(
    'newest days of cycles',
    `insert into cycle_now
select y.cycle, newest.received_on
from (select cycle from chart_pair union select cycle from changed_pair) y
cross join lateral (
  select received_on from contribution c
  where c.cycle = y.cycle and c.received_on is not null
  order by received_on desc limit 1) newest`,
  ),
];
