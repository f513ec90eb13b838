import { WHOLE_CYCLE } from '../reading/age-estimate';
import { type RefreshMode, type RefreshStep, analyzed, step, workTable } from './refresh-step';

const NAMES = 'entity_id text, cycle smallint, first_name text, quarter smallint, donors int';
const QUARTER = '(4 * extract(year from first_on) + extract(quarter from first_on) - 1)::smallint';

/** Donors by first name and quarter of their first contribution. */
const counted = (donors: string, source: string): string => `select entity_id, cycle, first_name, ${QUARTER}, ${donors}
from ${source}
where first_on is not null and first_name is not null
group by 1, 2, 3, 4 having ${donors} <> 0`;

const COLUMNS = 'entity_id, cycle, first_name, first_on';
const ALL_DONORS = `(select ${COLUMNS} from donor_first union all select ${COLUMNS} from candidate_now) donor`;

/** Updates the counts of first names that age estimates are based on. */
export const nameSteps = (mode: RefreshMode): readonly RefreshStep[] => [
  workTable('name_change', NAMES),
  step(
    'first names that change',
    `insert into name_change\n${mode === 'reset' ? counted('count(*)', ALL_DONORS) : counted('sum(sign)', 'donor_change')}`,
  ),
  step(
    'first names of offices and cycles that change',
    `insert into name_change
select case when entity_id like 'C%' then '${WHOLE_CYCLE}' else 'office:' || left(entity_id, 1) end,
  cycle, first_name, quarter, sum(donors)
from name_change group by 1, 2, 3, 4 having sum(donors) <> 0`,
  ),
  analyzed('name_change'),
  ...(mode === 'reset' ? [step('remove all first names', 'truncate donor_name')] : []),
  step(
    'store first names',
    `insert into donor_name as n (entity_id, cycle, first_name, quarter, donors)
select * from name_change
on conflict (entity_id, cycle, first_name, quarter) do update set donors = n.donors + excluded.donors`,
  ),
  ...(mode === 'reset' ? [analyzed('donor_name')] : [REMOVE_EMPTY]),
];

const REMOVE_EMPTY = step(
  'remove first names without donors',
  `delete from donor_name n using name_change c
where n.entity_id = c.entity_id and n.cycle = c.cycle and n.first_name = c.first_name and n.quarter = c.quarter
  and n.donors = 0`,
);

/** Adds whole offices and cycles, which no other step adds as changed pairs. */
export const NAME_PAIRS = step(
  'offices and cycles that change',
  `insert into changed_pair
select distinct entity_id, cycle from name_change where entity_id like '%:%'
on conflict do nothing`,
);

export const REMOVE_OLD_ESTIMATES = step(
  'remove old age estimates',
  `delete from age_estimate e using old_pair p
where e.entity_id = p.entity_id and e.cycle = p.cycle and e.version_id = p.version_id`,
);
