import { COUNT_REASONS, contributionIncome } from '@donorlens/campaign-finance';
import { type RefreshStep, analyzed, step, workTable } from './refresh-step';

/** Stored columns of a donor, in the order of donor_first. */
const DONOR_COLUMNS =
  'donor_key_v2, first_on, first_row, age, age_adult, gender, race, state, income, contributions, amount_cents';

const DONOR_TABLE = `entity_id text, cycle smallint, donor_key bigint, donor_key_v2 bigint, first_on date,
  first_row bigint, age smallint, age_adult smallint, gender text, race text, state text, income int, contributions int,
  amount_cents bigint`;

/** Donors without money and without a counted contribution have no row. */
const IS_STORED = 'first_on is not null or contributions > 0 or amount_cents <> 0';

/** Rows of a committee that count as money or make a donor. */
const COUNTED = '(c.counts_money or c.counts_donor) and not c.is_copy';

const MAKES_DONOR = '(c.counts_donor and c.donor_key <> 0 and c.received_on is not null)';
const ofDonor = (value: string): string => `case when ${MAKES_DONOR} then ${value} end`;

/** The order that brings a donor's first counted contribution to the front. */
const FIRST_ROW = `${MAKES_DONOR} desc, c.received_on, c.row_id`;

/** A negative refund adds money and is no contribution. */
const IS_NO_REFUND = `c.count_reason <> ${COUNT_REASONS.indexOf('refund')}`;

/**
 * A donor from its counted rows of `contribution c`: attributes of the first row in the order above, sums over all.
 * @param rows - the window of one donor's rows
 */
const donorOfRows = (rows: string): string => `c.donor_key_v2,
    ${ofDonor('c.received_on')} as first_on,
    ${ofDonor('c.row_id')} as first_row,
    ${ofDonor('c.age')} as age,
    ${ofDonor('c.age_adult')} as age_adult,
    ${ofDonor('c.gender')} as gender,
    ${ofDonor('c.race')} as race,
    coalesce(${ofDonor('c.state')}, '') as state,
    ${ofDonor(contributionIncome('c'))} as income,
    (count(*) filter (where c.money_cents > 0 and ${IS_NO_REFUND}) over ${rows})::int as contributions,
    (sum(c.money_cents) over ${rows})::bigint as amount_cents`;

/** Order of the committees of one candidate (`donor_first f` by `chart_link l`). */
const FIRST_COMMITTEE = 'f.first_on, f.first_row'; // those without a date are last

/**
 * A candidate's donor from its committees': the first of all, the money of those that raise it for the candidate alone. What a
 * joint fundraiser takes in reaches the candidate as a transfer.
 * @param rows - the window of one donor's committees
 */
const donorOfCommittees = (rows: string): string => `f.donor_key_v2, f.first_on, f.first_row, f.age, f.age_adult,
    f.gender, f.race, f.state, f.income,
    coalesce(sum(f.contributions) filter (where l.cmte_dsgn in ('P', 'A')) over ${rows}, 0)::int as contributions,
    coalesce(sum(f.amount_cents) filter (where l.cmte_dsgn in ('P', 'A')) over ${rows}, 0)::bigint as amount_cents`;

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
 * Touched donors before and now. LIMIT and OFFSET make the planner use one index lookup per donor: the cost of a refresh
 * depends on the number of touched donors, not on the stored ones.
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
where ${IS_STORED}`,
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

/** Donors of a candidate are touched with those of its committees; all of them if a link is added or removed. */
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

/** Every donor of every committee, in one pass over the contributions. */
export const ALL_COMMITTEE_DONORS: readonly RefreshStep[] = [
  step('remove all donors', 'truncate donor_first, donor_day'),
  step(
    'fold donors of committees',
    `insert into donor_first (entity_id, cycle, donor_key, ${DONOR_COLUMNS})
select * from (
  select distinct on (c.committee_id, c.cycle, c.donor_key) c.committee_id, c.cycle, c.donor_key,
    ${donorOfRows('donor')}
  from contribution c where ${COUNTED}
  window donor as (partition by c.committee_id, c.cycle, c.donor_key)
  order by c.committee_id, c.cycle, c.donor_key, ${FIRST_ROW}) donor
where ${IS_STORED}`,
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
where ${IS_STORED}`,
  ),
  analyzed('donor_first'),
];
