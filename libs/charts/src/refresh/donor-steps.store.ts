import { COUNT_REASONS, contributionIncome, filedCell } from '@donorlens/campaign-finance';
import { MAKES_DONOR } from '../reading/donor.repository';
import { type RefreshStep, analyzed, step, workTable } from './refresh-step';

/** Columns of a donor beside its key, in the order of donor_first. */
const DONOR_COLUMNS =
  'donor_key_v2, first_on, first_row, age, age_adult, gender, race, state, income, contributions, amount_cents, occupation, employer, first_name';

const DONOR_TABLE = `entity_id text, cycle smallint, donor_key bigint, donor_key_v2 bigint, first_on date,
  first_row bigint, age smallint, age_adult smallint, gender text, race text, state text, income int, contributions int, amount_cents bigint,
  occupation text, employer text, first_name text`;

/** A donor has a row only if a contribution makes it a donor, or if it has contributions or money. */
const IS_STORED = 'first_on is not null or contributions > 0 or amount_cents <> 0';

/** Rows of a committee that count as money or make a donor. */
const COUNTED = '(c.counts_money or c.counts_donor) and not c.is_copy';

const ofDonor = (value: string): string => `case when ${MAKES_DONOR} then ${value} end`;

/** A negative refund adds money but is not a contribution. */
const IS_NO_REFUND = `c.count_reason <> ${COUNT_REASONS.indexOf('refund')}`;

/** Columns of a counted row that the charts use. A row that makes no donor has only money. */
const COUNTED_ROW = `c.committee_id, c.cycle, c.donor_key, c.donor_key_v2,
    ${ofDonor('c.received_on')} as first_on,
    ${ofDonor('c.row_id')} as first_row,
    ${ofDonor('c.age')} as age,
    ${ofDonor('c.age_adult')} as age_adult,
    ${ofDonor('c.gender')} as gender,
    ${ofDonor('c.race')} as race,
    coalesce(${ofDonor('c.state')}, '') as state,
    ${ofDonor(contributionIncome('c'))} as income,
    ${ofDonor(filedCell('c', 'OCCUPATION'))} as occupation,
    ${ofDonor(filedCell('c', 'EMPLOYER'))} as employer,
    ${ofDonor('c.first_name')} as first_name,
    c.money_cents > 0 and ${IS_NO_REFUND} as is_gift, c.money_cents`;

/** Sort order in which a donor's first row comes first; rows that make no donor are last. */
const FIRST_ROW = 'r.first_on, r.first_row';

/**
 * Computes a donor from its counted rows `r`: attributes from the first row in the order FIRST_ROW, sums over all rows.
 * @param rows - the window of one donor's rows
 */
const donorOfRows = (rows: string): string => `r.donor_key_v2, r.first_on, r.first_row, r.age, r.age_adult, r.gender,
    r.race, r.state, r.income, (count(*) filter (where r.is_gift) over ${rows})::int as contributions,
    (sum(r.money_cents) over ${rows})::bigint as amount_cents, r.occupation, r.employer, r.first_name`;

/** Sort order of the committees of one candidate (`donor_first f` joined with `chart_link l`). */
const FIRST_COMMITTEE = 'f.first_on, f.first_row'; // rows without a date are last

/**
 * Computes a candidate's donor from the donors of its committees: attributes from the first one, money only from
 * principal and authorized committees. Money of a joint fundraiser reaches the candidate as a transfer.
 * @param rows - the window of one donor's committees
 */
const donorOfCommittees = (rows: string): string => `f.donor_key_v2, f.first_on, f.first_row, f.age, f.age_adult,
    f.gender, f.race, f.state, f.income,
    coalesce(sum(f.contributions) filter (where l.cmte_dsgn in ('P', 'A')) over ${rows}, 0)::int as contributions,
    coalesce(sum(f.amount_cents) filter (where l.cmte_dsgn in ('P', 'A')) over ${rows}, 0)::bigint as amount_cents,
    f.occupation, f.employer, f.first_name`;

/** Values that each donor adds to the charts (sign 1) or no longer adds (sign -1). */
export const DONOR_CHANGE = workTable('donor_change', `sign int, ${DONOR_TABLE}`);

const COMMITTEE_DONOR = `select ${donorOfRows('()')}
  from (
    select ${COUNTED_ROW} from contribution c
    where c.committee_id = t.entity_id and c.donor_key = t.donor_key and c.cycle = t.cycle and ${COUNTED}) r
  order by ${FIRST_ROW} limit 1`;

/** Uses the links and the committees' donors that are stored when the statement runs. */
const CANDIDATE_DONOR = `select ${donorOfCommittees('()')}
  from chart_link l join donor_first f on f.entity_id = l.cmte_id and f.cycle = l.cycle
  where l.cand_id = t.entity_id and l.cycle = t.cycle and f.donor_key = t.donor_key
  order by ${FIRST_COMMITTEE} limit 1`;

const COMMITTEE_STORED = `select ${DONOR_COLUMNS}
  from donor_first f
  where f.entity_id = t.entity_id and f.cycle = t.cycle and f.donor_key = t.donor_key offset 0`;

type Level = 'committee' | 'candidate';
type Moment = 'before' | 'now';

const DONOR_AT: Readonly<Record<Level, Readonly<Record<Moment, string>>>> = {
  committee: { before: COMMITTEE_STORED, now: COMMITTEE_DONOR },
  candidate: { before: CANDIDATE_DONOR, now: CANDIDATE_DONOR },
};

/**
 * Touched donors before or after the change. LIMIT and OFFSET make the planner use one index lookup per donor: the cost
 * of a refresh depends on the number of touched donors, not of stored donors.
 */
export const donorsAt = (level: Level, moment: Moment): readonly RefreshStep[] => [
  workTable(`${level}_${moment}`, DONOR_TABLE),
  step(
    `donors of ${level}s ${moment}`,
    `insert into ${level}_${moment}
select t.entity_id, t.cycle, t.donor_key, d.*
from ${level}_touched t
cross join lateral (
  ${DONOR_AT[level][moment]}) d
where ${IS_STORED}`,
  ),
];

/** Compares donors before and after the change. */
export const donorChanges = (level: Level): RefreshStep =>
  step(
    `donors of ${level}s that change`,
    `insert into donor_change
select -1, gone.* from (select * from ${level}_before except all select * from ${level}_now) gone
union all
select 1, come.* from (select * from ${level}_now except all select * from ${level}_before) come`,
  );

export const STORE_DONORS: readonly RefreshStep[] = [
  workTable('committee_gone', 'entity_id text, cycle smallint, donor_key bigint'),
  step(
    'donors of committees that are gone',
    `insert into committee_gone
select entity_id, cycle, donor_key from committee_before
except all select entity_id, cycle, donor_key from committee_now`,
  ),
  analyzed('committee_gone'),
  step(
    'remove donors of committees',
    `delete from donor_first f using committee_gone g
where f.entity_id = g.entity_id and f.cycle = g.cycle and f.donor_key = g.donor_key`,
  ),
  step(
    'store donors of committees',
    `insert into donor_first as f (entity_id, cycle, donor_key, ${DONOR_COLUMNS})
select entity_id, cycle, donor_key, ${DONOR_COLUMNS}
from (select * from committee_now except all select * from committee_before) come
on conflict (donor_key, cycle, entity_id) do update set
  (${DONOR_COLUMNS}) = (${DONOR_COLUMNS.replace(/\w+/g, 'excluded.$&')})`,
  ),
];

const KEY = 'entity_id text, cycle smallint, donor_key bigint';

/** Donors of a candidate are touched with those of its committees. A changed link touches all donors of a committee. */
export const TOUCHED_DONORS: readonly RefreshStep[] = [
  workTable('committee_touched', KEY),
  step(
    'touched donors of committees',
    'insert into committee_touched select committee_id, cycle, donor_key from touched',
  ),
  analyzed('committee_touched'),
  workTable('candidate_touched', KEY),
  step(
    'touched donors of candidates',
    `insert into candidate_touched
select l.cand_id, l.cycle, t.donor_key
from touched t
join (select cmte_id, cycle, cand_id from link_now union select cmte_id, cycle, cand_id from link_before) l
  on l.cmte_id = t.committee_id and l.cycle = t.cycle
union
select l.cand_id, l.cycle, c.donor_key
from link_changed l
cross join lateral (
  select donor_key from contribution where committee_id = l.cmte_id and cycle = l.cycle offset 0) c`,
  ),
  analyzed('candidate_touched'),
];

/** One sort groups the rows of a donor and puts its first row at the front. */
const inOrder = (key: string, first: string): string =>
  `(partition by ${key} order by ${first} rows between unbounded preceding and unbounded following)`;

/** Columns of donor_first that are never null, except its key. */
const NOT_NULL = ['donor_key_v2', 'state', 'contributions', 'amount_cents'];

const OF_COMMITTEE = 'r.donor_key, r.cycle, r.committee_id';
const OF_CANDIDATE = 'f.donor_key, f.cycle, l.cand_id';

/**
 * Writes all donors of all committees to a new table, in the order of their key, which replaces the old one in this
 * transaction. Postgres sorts in parallel only for a new table, and builds an index on existing rows three times as
 * fast. OFFSET keeps the records out of the sort. It is text because Postgres does not plan a numeric OFFSET in
 * parallel.
 */
export const ALL_COMMITTEE_DONORS: readonly RefreshStep[] = [
  step('remove all days', 'truncate donor_day'),
  step(
    'fold donors of committees',
    `create table donor_first_next as
select * from (
  select distinct on (${OF_COMMITTEE}) r.committee_id as entity_id, r.cycle, r.donor_key,
    ${donorOfRows('donor')}
  from (
    select ${COUNTED_ROW} from contribution c where ${COUNTED} offset '0') r
  window donor as ${inOrder(OF_COMMITTEE, FIRST_ROW)}
  order by ${OF_COMMITTEE}, ${FIRST_ROW}) donor
where ${IS_STORED}`,
  ),
  step('remove the donors before', 'drop table donor_first'),
  step('replace donors', 'alter table donor_first_next rename to donor_first'),
  step(
    'index donors by their key',
    `alter table donor_first ${NOT_NULL.map((column) => `alter ${column} set not null, `).join('')}
add constraint donor_first_pkey primary key (donor_key, cycle, entity_id)`,
  ),
  analyzed('donor_first'),
];

export const ALL_CANDIDATE_DONORS: readonly RefreshStep[] = [
  step(
    'fold donors of candidates',
    `create temp table candidate_now on commit drop as
select * from (
  select distinct on (${OF_CANDIDATE}) l.cand_id as entity_id, f.cycle, f.donor_key,
    ${donorOfCommittees('donor')}
  from donor_first f join chart_link l on l.cmte_id = f.entity_id and l.cycle = f.cycle
  window donor as ${inOrder(OF_CANDIDATE, FIRST_COMMITTEE)}
  order by ${OF_CANDIDATE}, ${FIRST_COMMITTEE}) donor
where ${IS_STORED}`,
  ),
  analyzed('candidate_now'),
];
