import {
  COUNTED,
  DONOR_COLUMNS,
  DONOR_TABLE,
  FIRST_COMMITTEE,
  FIRST_ROW,
  IS_KEPT,
  donorOfCommittees,
  donorOfRows,
} from './donor-fold';
import { type RefreshStep, analyzed, step, workTable } from './refresh-step';

/** What each donor adds to the charts (sign 1) and no longer adds (sign -1). */
export const DONOR_CHANGE = workTable('donor_change', `sign int, ${DONOR_TABLE}`);

const COMMITTEE_DONOR = `select ${donorOfRows('()')}
  from contribution c
  where c.committee_id = t.entity_id and c.donor_key = t.donor_key and c.cycle = t.cycle and ${COUNTED}
  order by ${FIRST_ROW} limit 1`;

const CANDIDATE_DONOR = `select ${donorOfCommittees('()')}
  from chart_link l join donor_first f on f.entity_id = l.cmte_id and f.cycle = l.cycle
  where l.cand_id = t.entity_id and l.cycle = t.cycle and f.donor_key = t.donor_key
  order by ${FIRST_COMMITTEE} limit 1`;

/**
 * Touched donors before and now. LIMIT and OFFSET keep the planner at one look into an index for each donor: what a refresh
 * costs depends on what was touched, not on what is stored.
 */
const changeSteps = (level: string, donorNow: string): readonly RefreshStep[] => [
  analyzed(`${level}_touched`),
  workTable(`${level}_before`, DONOR_TABLE),
  step(
    `donors of ${level}s before`,
    `insert into ${level}_before
select t.entity_id, t.cycle, t.donor_key, d.*
from ${level}_touched t
cross join lateral (
  select ${DONOR_COLUMNS}
  from donor_first f
  where f.entity_id = t.entity_id and f.cycle = t.cycle and f.donor_key = t.donor_key offset 0) d`,
  ),
  workTable(`${level}_now`, DONOR_TABLE),
  step(
    `donors of ${level}s now`,
    `insert into ${level}_now
select t.entity_id, t.cycle, t.donor_key, d.*
from ${level}_touched t
cross join lateral (
  ${donorNow}) d
where ${IS_KEPT}`,
  ),
  step(
    `donors of ${level}s that change`,
    `insert into donor_change
select -1, gone.* from (select * from ${level}_before except all select * from ${level}_now) gone
union all
select 1, come.* from (select * from ${level}_now except all select * from ${level}_before) come`,
  ),
  workTable(`${level}_gone`, 'entity_id text, cycle smallint, donor_key bigint'),
  step(
    `donors of ${level}s that are gone`,
    `insert into ${level}_gone
select entity_id, cycle, donor_key from ${level}_before
except all select entity_id, cycle, donor_key from ${level}_now`,
  ),
  analyzed(`${level}_gone`),
  step(
    `remove donors of ${level}s`,
    `delete from donor_first f using ${level}_gone g
where f.entity_id = g.entity_id and f.cycle = g.cycle and f.donor_key = g.donor_key`,
  ),
  step(
    `store donors of ${level}s`,
    `insert into donor_first as f (entity_id, cycle, donor_key, ${DONOR_COLUMNS})
select entity_id, cycle, donor_key, ${DONOR_COLUMNS}
from (select * from ${level}_now except all select * from ${level}_before) come
on conflict (entity_id, cycle, donor_key) do update set
  (${DONOR_COLUMNS}) = (${DONOR_COLUMNS.replace(/\w+/g, 'excluded.$&')})`,
  ),
];

const KEY = 'entity_id text, cycle smallint, donor_key bigint';

export const COMMITTEE_DONORS: readonly RefreshStep[] = [
  workTable('committee_touched', KEY),
  step(
    'touched donors of committees',
    'insert into committee_touched select committee_id, cycle, donor_key from touched',
  ),
  ...changeSteps('committee', COMMITTEE_DONOR),
];

/** A candidate's donors are touched by its committees', and all at once where a link comes or goes. */
export const CANDIDATE_DONORS: readonly RefreshStep[] = [
  workTable('candidate_touched', KEY),
  step(
    'touched donors of candidates',
    `insert into candidate_touched
select l.cand_id, l.cycle, t.donor_key
from touched t
join (select cmte_id, cycle, cand_id from link_now union select cmte_id, cycle, cand_id from link_before) l
  on l.cmte_id = t.committee_id and l.cycle = t.cycle
union
select l.cand_id, l.cycle, f.donor_key
from link_changed l
cross join lateral (
  select donor_key from donor_first where entity_id = l.cmte_id and cycle = l.cycle offset 0) f`,
  ),
  ...changeSteps('candidate', CANDIDATE_DONOR),
];
