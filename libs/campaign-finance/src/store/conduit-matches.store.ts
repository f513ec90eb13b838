import { MAX_DAYS_APART } from '../counting';

const inOrder = (column: string, earmark: 1 | 2): string =>
  `array_agg(c.${column} order by c.received_on, c.row_id) filter (where c.earmark = ${earmark})`;

/**
 * Matches each conduit's row with at most one gift that the recipient committee reports (`isCopyOf` in counting.ts). It
 * walks the rows of one committee, donor and amount by day. If two rows are too far apart, the earlier one has no
 * match. No other assignment gives more matches. One aggregate collects gifts and copies: for a join, the planner
 * estimated one row and compared all pairs.
 * @param rows - text after FROM, optionally with WHERE: contributions as `c`, with all rows of their donors
 * @returns queries for WITH RECURSIVE; `conduit_match` has cycle and row_id of the conduits' rows with a match
 */
export const conduitMatches = (rows: string): string => `conduit_same as (
  select ${inOrder('received_on', 1)} as gifts, ${inOrder('received_on', 2)} as copies,
    ${inOrder('cycle', 2)} as cycles, ${inOrder('row_id', 2)} as row_ids
  from (select c.* from ${rows}) c
  where (c.earmark = 1 or c.earmark = 2) and c.counts_money and c.donor_key <> 0 and c.received_on is not null
  group by c.committee_id, c.donor_key, c.money_cents
), conduit_walk as (
  select gifts, copies, cycles, row_ids, 1 as gift_at, 1 as copy_at, null::int as matched
  from conduit_same where gifts is not null and row_ids is not null
  union all
  select gifts, copies, cycles, row_ids,
    gift_at + (gifts[gift_at] <= copies[copy_at] + ${MAX_DAYS_APART})::int,
    copy_at + (copies[copy_at] <= gifts[gift_at] + ${MAX_DAYS_APART})::int,
    case when abs(gifts[gift_at] - copies[copy_at]) <= ${MAX_DAYS_APART} then copy_at end
  from conduit_walk where gift_at <= cardinality(gifts) and copy_at <= cardinality(copies)
), conduit_match as (
  select cycles[matched] as cycle, row_ids[matched] as row_id from conduit_walk where matched is not null
)`;
