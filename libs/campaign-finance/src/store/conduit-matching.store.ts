import { MAX_DAYS_APART } from '../counting';

/**
 * Matches rows of conduits with the gifts that their committees report (`isCopyOf` of the counting rules), each with one:
 * the rows of one committee, donor and amount are walked in the order of their days, and the earlier of two that are too
 * far apart has no match. No other way matches more.
 * @param rows - contributions as `c`, with all rows of their donors: what follows FROM, perhaps with WHERE
 * @returns queries for WITH RECURSIVE; `conduit_match` has cycle and row_id of the conduits' rows that match
 */
export const conduitMatches = (rows: string): string => `conduit_side as (
  select c.committee_id, c.donor_key, c.money_cents, c.earmark,
    array_agg(c.received_on order by c.received_on, c.row_id) as days,
    array_agg(c.cycle order by c.received_on, c.row_id) as cycles,
    array_agg(c.row_id order by c.received_on, c.row_id) as row_ids
  from (select c.* from ${rows}) c
  where (c.earmark = 1 or c.earmark = 2) and c.counts_money and c.donor_key <> 0 and c.received_on is not null
  group by c.committee_id, c.donor_key, c.money_cents, c.earmark
), conduit_walk as (
  select gift.days as gifts, copy.days as copies, copy.cycles, copy.row_ids, 1 as gift_at, 1 as copy_at, null::int as matched
  from conduit_side gift join conduit_side copy using (committee_id, donor_key, money_cents)
  where gift.earmark = 1 and copy.earmark = 2
  union all
  select gifts, copies, cycles, row_ids,
    gift_at + (gifts[gift_at] <= copies[copy_at] + ${MAX_DAYS_APART})::int,
    copy_at + (copies[copy_at] <= gifts[gift_at] + ${MAX_DAYS_APART})::int,
    case when abs(gifts[gift_at] - copies[copy_at]) <= ${MAX_DAYS_APART} then copy_at end
  from conduit_walk where gift_at <= cardinality(gifts) and copy_at <= cardinality(copies)
), conduit_match as (
  select cycles[matched] as cycle, row_ids[matched] as row_id from conduit_walk where matched is not null
)`;
