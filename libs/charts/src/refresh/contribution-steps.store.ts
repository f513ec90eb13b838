import { type RefreshMode, type RefreshStep, analyzed, step, workTable } from './refresh-step';

/**
 * Donors whose rows have changed, once each. Rows that workers touch from now on remain for the next refresh, which folds
 * them again.
 */
export function touchedSteps(mode: RefreshMode): readonly RefreshStep[] {
  if (mode === 'reset') return [step('remove touched donors', 'delete from donor_touched')];
  return [
    workTable(
      'touched',
      'committee_id text, cycle smallint, donor_key bigint, primary key (committee_id, cycle, donor_key)',
    ),
    step(
      'take touched donors',
      `with taken as (delete from donor_touched returning committee_id, cycle, donor_key)
insert into touched (committee_id, cycle, donor_key)
select distinct committee_id, cycle, donor_key from taken`,
    ),
    analyzed('touched'),
  ];
}

/**
 * isCopyOf of the counting rules: a gift of the same donor to the same committee, equal in amount, at most 10 days away, so
 * in this cycle or an adjacent one. Rows without a donor (key 0) have no copies.
 */
const IS_COPY = `(c.earmark = 2 and c.counts_money and c.donor_key <> 0 and exists (
    select from contribution gift
    where gift.committee_id = c.committee_id and gift.donor_key = c.donor_key
      and gift.cycle in (c.cycle - 2, c.cycle, c.cycle + 2)
      and gift.earmark = 1 and gift.counts_money and gift.money_cents = c.money_cents
      and gift.received_on between c.received_on - 10 and c.received_on + 10))`;

const COPY_COLUMNS = `c.committee_id, c.cycle, c.donor_key, c.row_id, m.is_copy`;

/** A touched gift may match a copy in an adjacent cycle. OFFSET 0: row by row, by the index. */
const COPIES_OF_TOUCHED = `select ${COPY_COLUMNS}
from (select distinct committee_id, donor_key, near.cycle
      from touched cross join lateral (values (cycle - 2), (cycle), (cycle + 2)) near (cycle)) t
cross join lateral (
  select * from contribution c
  where c.committee_id = t.committee_id and c.donor_key = t.donor_key and c.cycle = t.cycle
    and (c.earmark = 2 or c.is_copy) offset 0) c
cross join lateral (select ${IS_COPY} as is_copy) m
where m.is_copy <> c.is_copy`;

const ALL_COPIES = `select ${COPY_COLUMNS}
from contribution c cross join lateral (select ${IS_COPY} as is_copy) m
where (c.earmark = 2 or c.is_copy) and m.is_copy <> c.is_copy`;

/** Marks the rows of conduits whose gift the committee has reported; the counts of their donors change with the mark. */
export function copySteps(mode: RefreshMode): readonly RefreshStep[] {
  return [
    workTable('copy_moved', 'committee_id text, cycle smallint, donor_key bigint, row_id bigint, is_copy boolean'),
    step('find copies', `insert into copy_moved\n${mode === 'reset' ? ALL_COPIES : COPIES_OF_TOUCHED}`),
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
