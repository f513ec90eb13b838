import {
  COUNTED,
  DONOR_COLUMNS,
  FIRST_COMMITTEE,
  FIRST_ROW,
  IS_KEPT,
  donorOfCommittees,
  donorOfRows,
} from './donor-fold';
import { type RefreshStep, analyzed, step } from './refresh-step';

/** Every donor of every committee, in one pass over the contributions. */
export const ALL_COMMITTEE_DONORS: readonly RefreshStep[] = [
  step('forget donors', 'truncate donor_first, donor_day'),
  step(
    'fold donors of committees',
    `insert into donor_first (entity_id, cycle, donor_key, ${DONOR_COLUMNS})
select * from (
  select distinct on (c.committee_id, c.cycle, c.donor_key) c.committee_id, c.cycle, c.donor_key,
    ${donorOfRows('donor')}
  from contribution c where ${COUNTED}
  window donor as (partition by c.committee_id, c.cycle, c.donor_key)
  order by c.committee_id, c.cycle, c.donor_key, ${FIRST_ROW}) donor
where ${IS_KEPT}`,
  ),
  analyzed('donor_first'),
];

export const ALL_CANDIDATE_DONORS: readonly RefreshStep[] = [
  step(
    'fold donors of candidates',
    `insert into donor_first (entity_id, cycle, donor_key, ${DONOR_COLUMNS})
select * from (
  select distinct on (l.cand_id, l.cycle, f.donor_key) l.cand_id, l.cycle, f.donor_key,
    ${donorOfCommittees('donor')}
  from chart_link l join donor_first f on f.entity_id = l.cmte_id and f.cycle = l.cycle
  window donor as (partition by l.cand_id, l.cycle, f.donor_key)
  order by l.cand_id, l.cycle, f.donor_key, ${FIRST_COMMITTEE}) donor
where ${IS_KEPT}`,
  ),
  analyzed('donor_first'),
];
