/** What is kept of a donor, in the order of donor_first. */
export const DONOR_COLUMNS =
  'donor_key_v2, first_on, first_row, age, age_adult, gender, race, state, income, contributions, amount_cents';

export const DONOR_TABLE = `entity_id text, cycle smallint, donor_key bigint, donor_key_v2 bigint, first_on date,
  first_row bigint, age smallint, age_adult smallint, gender text, race text, state text, income int, contributions int,
  amount_cents bigint`;

/** Donors that give nothing and never counted have no row. */
export const IS_KEPT = 'first_on is not null or contributions > 0 or amount_cents <> 0';

/** A committee's rows that count in one way or the other. */
export const COUNTED = '(c.counts_money or c.counts_donor) and not c.is_copy';

const MAKES_DONOR = '(c.counts_donor and c.donor_key <> 0 and c.received_on is not null)';
const ofDonor = (value: string): string => `case when ${MAKES_DONOR} then ${value} end`;

/** The order that brings a donor's first counted contribution to the front. */
export const FIRST_ROW = `${MAKES_DONOR} desc, c.received_on, c.row_id`;

/**
 * A donor from its counted rows of `contribution c`: attributes of the first row in the order above, sums over all.
 * @param rows  the window of one donor's rows
 */
export const donorOfRows = (rows: string): string => `c.donor_key_v2,
    ${ofDonor('c.received_on')} as first_on,
    ${ofDonor('c.row_id')} as first_row,
    ${ofDonor('c.age')} as age,
    ${ofDonor('c.age_adult')} as age_adult,
    ${ofDonor('c.gender')} as gender,
    ${ofDonor('c.race')} as race,
    coalesce(${ofDonor('c.state')}, '') as state,
    ${ofDonor('c.hh_income_median')} as income,
    (count(*) filter (where c.money_cents > 0) over ${rows})::int as contributions,
    (sum(c.money_cents) over ${rows})::bigint as amount_cents`;

/** Of several committees of one candidate (`donor_first f` by `chart_link l`). */
export const FIRST_COMMITTEE = 'f.first_on, f.first_row'; // those without a date are last

/**
 * A candidate's donor from its committees': the first of all, the money of those that raise it for the candidate alone. What a
 * joint fundraiser takes in reaches the candidate as a transfer.
 * @param rows  the window of one donor's committees
 */
export const donorOfCommittees = (rows: string): string => `f.donor_key_v2, f.first_on, f.first_row, f.age, f.age_adult,
    f.gender, f.race, f.state, f.income,
    coalesce(sum(f.contributions) filter (where l.cmte_dsgn in ('P', 'A')) over ${rows}, 0)::int as contributions,
    coalesce(sum(f.amount_cents) filter (where l.cmte_dsgn in ('P', 'A')) over ${rows}, 0)::bigint as amount_cents`;
