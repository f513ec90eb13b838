import { type RefreshMode, type RefreshStep, analyzed, step, workTable } from './refresh-step';

/** Attributes that group donors by text as filed: occupation and employer. */
export const WORK_SETS = ['occupation', 'employer'] as const;
/** Maximum number of values in a chart; the other values share one row. */
const MAX_VALUES = 200;
const OTHER = '(other)';

/** Synonyms by value, normalized. The empty value means that the donor did not state one. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  RETIRED: ['RET', 'RETIREE', 'RETIRED RETIRED', 'SELF RETIRED'],
  'SELF EMPLOYED': ['SELF', 'SELFEMPLOYED', 'SELF EMPLOYMENT', 'SELF SELF EMPLOYED'],
  'NOT EMPLOYED': ['NONE', 'N A', 'NA', 'NOT APPLICABLE', 'NO EMPLOYER', 'UNEMPLOYED', 'NOTEMPLOYED'],
  HOMEMAKER: ['HOME MAKER', 'HOUSEWIFE', 'STAY AT HOME MOM'],
  ATTORNEY: ['LAWYER', 'ATTORNEY AT LAW'],
  '': ['REQUESTED', 'REFUSED', 'UNKNOWN', 'BEST EFFORTS', 'NULL'],
};
const PAIRS = Object.entries(SYNONYMS).flatMap(([name, words]) => words.map((word) => `('${word}', '${name}')`));

/** Upper case; apostrophes and periods are dropped, other punctuation except & becomes a blank. */
const normalized = (text: string): string =>
  `trim(regexp_replace(translate(upper(${text}), $$'.$$, ''), '[^[:alnum:]&]+', ' ', 'g'))`;

/** Sums donors by normalized occupation and employer, from `donor_sum`. */
export const valueSteps = (mode: RefreshMode): readonly RefreshStep[] => [
  workTable(
    'value_change',
    'entity_id text, cycle smallint, by text, value text, donors int, contributions int, amount_cents bigint',
  ),
  step(
    'occupations and employers that change',
    `insert into value_change
select entity_id, cycle, by, case when n.word like 'INFORMATION REQUESTED%' then '' else coalesce(s.name, n.word) end,
  sum(donors), sum(contributions), sum(amount_cents)
from (
  select entity_id, cycle, set_name as by, coalesce(${WORK_SETS.join(', ')}, '') as value, donors, contributions, amount_cents
  from donor_sum where set_name in (${WORK_SETS.map((set) => `'${set}'`).join(', ')})) filed
cross join lateral (select ${normalized('filed.value')} as word offset 0) n
left join (values ${PAIRS.join(', ')}) s (word, name) on s.word = n.word
group by 1, 2, 3, 4
having sum(donors) <> 0 or sum(contributions) <> 0 or sum(amount_cents) <> 0`,
  ),
  analyzed('value_change'),
  ...(mode === 'reset' ? [step('remove all values', 'truncate donor_value')] : []),
  step(
    'store values',
    `insert into donor_value as v (entity_id, cycle, by, value, donors, contributions, amount_cents)
select entity_id, cycle, by, value, donors, contributions, amount_cents from value_change
on conflict (entity_id, cycle, by, value) do update set donors = v.donors + excluded.donors,
  contributions = v.contributions + excluded.contributions, amount_cents = v.amount_cents + excluded.amount_cents`,
  ),
  ...(mode === 'reset' ? [analyzed('donor_value')] : [REMOVE_EMPTY]),
];

const REMOVE_EMPTY = step(
  'remove values without donors',
  `delete from donor_value v using value_change c
where v.entity_id = c.entity_id and v.cycle = c.cycle and v.by = c.by and v.value = c.value
  and v.donors = 0 and v.contributions = 0 and v.amount_cents = 0`,
);

const COUNTS = 'donors, contributions, amount_cents';
const OF_PAIR = 'v.entity_id = p.entity_id and v.cycle = p.cycle and v.by = w.by';

/** Takes the totals from the new version's breakdown by gender. */
export const WRITE_VALUES = step(
  'write the largest values',
  `insert into donor_breakdown (entity_id, cycle, version_id, by, value, ${COUNTS})
with shown as (
  select p.entity_id, p.cycle, w.by, v.value, v.donors, v.contributions, v.amount_cents
  from changed_pair p cross join (values ${WORK_SETS.map((set) => `('${set}')`).join(', ')}) w (by)
  cross join lateral (
    (select value, ${COUNTS} from donor_value v where ${OF_PAIR} and v.value <> ''
     order by v.donors desc, v.value limit ${MAX_VALUES})
    union all
    select value, ${COUNTS} from donor_value v where ${OF_PAIR} and v.value = '') v
), total as (
  select b.entity_id, b.cycle, sum(b.donors) as donors, sum(b.contributions) as contributions, sum(b.amount_cents) as amount_cents
  from next_version n join changed_pair p on true
  join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = n.id and b.by = 'gender'
  group by b.entity_id, b.cycle
)
select entity_id, cycle, (select id from next_version), by, value, ${COUNTS} from shown
union all
select t.entity_id, t.cycle, (select id from next_version), s.by, '${OTHER}', t.donors - sum(s.donors),
  t.contributions - sum(s.contributions), t.amount_cents - sum(s.amount_cents)
from total t join shown s using (entity_id, cycle)
group by t.entity_id, t.cycle, s.by, t.donors, t.contributions, t.amount_cents
having t.donors <> sum(s.donors) or t.contributions <> sum(s.contributions) or t.amount_cents <> sum(s.amount_cents)`,
);
