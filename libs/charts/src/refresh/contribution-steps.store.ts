import { conduitMatches } from '@donorlens/campaign-finance';
import { type RefreshMode, type RefreshStep, analyzed, step, workTable } from './refresh-step';

/**
 * Moves touched donors to the work table `touched`, once each. Donors that workers touch after this step wait for the
 * next refresh.
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

/** Finds rows whose `is_copy` must change. `copies` also includes marked rows that no longer belong to a conduit. */
const changedCopies = (copies: string, gifts: string): string => `with recursive ${conduitMatches(gifts)}
select c.committee_id, c.cycle, c.donor_key, c.row_id, m.row_id is not null
from ${copies} left join conduit_match m on m.cycle = c.cycle and m.row_id = c.row_id
where c.is_copy <> (m.row_id is not null)`;

/** OFFSET 0 forces an index lookup for each donor. */
const ofDonors = (donors: string, condition: string): string => `${donors} d
cross join lateral (
  select * from contribution c
  where c.committee_id = d.committee_id and c.donor_key = d.donor_key and ${condition} offset 0) c`;

const CONDUITS = '(c.earmark = 2 or c.is_copy)';

/** A touched gift may match a conduit's row in another cycle, so the refresh matches all cycles of its donor again. */
const DONORS = step(
  'touched donors of conduits',
  `insert into copy_donor
select t.committee_id, t.donor_key
from (select distinct committee_id, donor_key from touched) t
where exists (
  select from contribution c
  where c.committee_id = t.committee_id and c.donor_key = t.donor_key and ${CONDUITS} offset 0)`,
);

const COPIES_OF_TOUCHED = changedCopies(
  ofDonors('copy_donor', CONDUITS),
  ofDonors('copy_donor', '(c.earmark = 1 or c.earmark = 2)'),
);
const ALL_COPIES = changedCopies(`(select * from contribution c where ${CONDUITS}) c`, 'contribution c');

/** Marks conduits' rows whose gift the recipient committee has reported, which changes the counts of their donors. */
export function copySteps(mode: RefreshMode): readonly RefreshStep[] {
  return [
    ...(mode === 'reset'
      ? []
      : [workTable('copy_donor', 'committee_id text, donor_key bigint'), DONORS, analyzed('copy_donor')]),
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
