import { type RefreshMode, type RefreshStep, analyzed, step, workTable } from './refresh-step';

/**
 * isCopyOf of the counting rules: a gift of the same donor to the same committee, equal in amount, at most 10 days away, so
 * in this cycle or the one beside it. Nobody (key 0) gives nothing twice.
 */
const IS_COPY = `(c.earmark = 2 and c.counts_money and c.donor_key <> 0 and exists (
    select from contribution gift
    where gift.committee_id = c.committee_id and gift.donor_key = c.donor_key
      and gift.cycle in (c.cycle - 2, c.cycle, c.cycle + 2)
      and gift.earmark = 1 and gift.counts_money and gift.money_cents = c.money_cents
      and gift.received_on between c.received_on - 10 and c.received_on + 10))`;

const COLUMNS = `c.committee_id, c.cycle, c.donor_key, c.row_id, m.is_copy`;

/** A gift that was touched may match a copy beyond the edge of its cycle. OFFSET 0: row by row, by the index. */
const OF_TOUCHED = `select ${COLUMNS}
from (select distinct committee_id, donor_key, near.cycle
      from touched cross join lateral (values (cycle - 2), (cycle), (cycle + 2)) near (cycle)) t
cross join lateral (
  select * from contribution c
  where c.committee_id = t.committee_id and c.donor_key = t.donor_key and c.cycle = t.cycle
    and (c.earmark = 2 or c.is_copy) offset 0) c
cross join lateral (select ${IS_COPY} as is_copy) m
where m.is_copy <> c.is_copy`;

const OF_ALL = `select ${COLUMNS}
from contribution c cross join lateral (select ${IS_COPY} as is_copy) m
where (c.earmark = 2 or c.is_copy) and m.is_copy <> c.is_copy`;

/** Marks the conduits' rows whose gift stands at the committee; where the mark moves, so do the donor's counts. */
export function copySteps(mode: RefreshMode): readonly RefreshStep[] {
  return [
    workTable('copy_moved', 'committee_id text, cycle smallint, donor_key bigint, row_id bigint, is_copy boolean'),
    step('find copies', `insert into copy_moved\n${mode === 'reset' ? OF_ALL : OF_TOUCHED}`),
    analyzed('copy_moved'),
    step(
      'mark copies',
      `update contribution c set is_copy = m.is_copy
from copy_moved m where c.cycle = m.cycle and c.row_id = m.row_id`,
    ),
    ...(mode === 'reset' ? [] : [TOUCH_THEIR_DONORS]),
  ];
}

const TOUCH_THEIR_DONORS = step(
  'touch donors of copies',
  `insert into touched (committee_id, cycle, donor_key)
select distinct committee_id, cycle, donor_key from copy_moved
on conflict do nothing`,
);
