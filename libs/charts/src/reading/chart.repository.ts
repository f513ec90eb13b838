import { Inject, Injectable } from '@nestjs/common';
import { type Pool, type QueryResultRow } from 'pg';
import { isCommitteeOf } from '@donorlens/campaign-finance';
import { PG_POOL } from '@donorlens/database';
import { DEFAULT_OFFICES } from '@donorlens/primitives';
import { ChartsVersionGoneError, type ChartsVersion, type MastersVersion } from '../charts-version';
import { type AgeEstimate, expectedDonors } from './age-estimate';
import {
  type AgeBasis,
  type AgeDistributionQuery,
  type AgeRow,
  type Breakdown,
  DEFAULT_BREAKDOWNS,
  type BreakdownQuery,
  type BreakdownRow,
  type ChartScope,
  type CandidateQuery,
  type CumulativeDonorsRow,
  DailySeries,
  type DonorCounts,
  type DonorSeries,
  type DonorSizeRow,
  type OverlapRow,
  type RetentionQuery,
  type RetentionRow,
} from './chart-rows';

interface EstimatedAges extends Pick<AgeRow, 'cycle' | 'committeeId'> {
  readonly estimate: AgeEstimate;
}

/** The newest rows of each pair that the version sees. $1: version, $2: ids or null, $3: cycles or null, $4: offices */
const pairsWhere = (condition: string): string => `select distinct on (entity_id, cycle) entity_id, cycle, version_id
  from chart_pair
  where version_id <= $1 and ${condition}
    and ($2::text[] is null or entity_id = any($2)) and ($3::int[] is null or cycle = any($3))
  order by entity_id, cycle, version_id desc`;
const COMMITTEES = pairsWhere(
  `entity_id like 'C%' and ${isCommitteeOf('$4::text[]', 'entity_id', 'chart_pair.cycle')}`,
);
const CANDIDATES = pairsWhere('left(entity_id, 1) = any($4)');
const PARTIES = pairsWhere(`entity_id like 'party:%' and 'P' = any($4)`);

/** $5: a breakdown whose values are whole numbers */
const byNumber = (pairs: string, id: string, number: string): string => `
select b.cycle, b.entity_id as "${id}", nullif(b.value, '')::int as "${number}", b.donors, b.contributions,
  b.amount_cents as "amountCents"
from (${pairs}) p
join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = p.version_id and b.by = $5
order by b.cycle, b.entity_id, nullif(b.value, '')::int nulls last`;
const ESTIMATED_AGES = `
select e.cycle, e.entity_id as "committeeId", e.estimate
from (${COMMITTEES}) p
join age_estimate e on e.entity_id = p.entity_id and e.cycle = p.cycle and e.version_id = p.version_id
order by e.cycle, e.entity_id`;
const AGE_DISTRIBUTION = byNumber(COMMITTEES, 'committeeId', 'ageYears');
const DONOR_SIZE = byNumber(CANDIDATES, 'candidateId', 'fromDollars');

const CUMULATIVE_DONORS = `
select d.cycle, d.cand_id as "candidateId", d.donors, c.newest_on::text as "newestOn"
from (${CANDIDATES}) p
join cumulative_donors d on d.cand_id = p.entity_id and d.cycle = p.cycle and d.version_id = p.version_id
join chart_cycle c on c.cycle = p.cycle and c.version_id = $1 and c.office = left(p.entity_id, 1)
order by d.cycle, d.cand_id`;

/** $5: breakdowns. Numeric values are grouped into bands of 10 years or 10,000 dollars. */
const BREAKDOWN = `
select b.cycle, b.entity_id as "candidateId", replace(b.by, 'age_adult', 'age') as by,
  coalesce(band.low || '-' || band.low + band.width - 1, nullif(b.value, '')) as value,
  sum(b.donors)::int as donors, sum(b.contributions)::int as contributions, sum(b.amount_cents)::bigint as "amountCents"
from (${CANDIDATES}) p
join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = p.version_id and b.by = any($5)
cross join lateral (select case when b.by in ('age', 'age_adult') then 10 when b.by = 'income' then 10000 end as width) wide
cross join lateral (
  select width, case when width is not null then nullif(b.value, '')::int / width * width end as low) band
group by b.cycle, b.entity_id, b.by, band.low, band.width, case when band.low is null then b.value end, 4
order by b.cycle, b.entity_id, b.by, band.low, nullif(case when band.low is null then b.value end, '') collate "C" nulls last`;

/** Whether candidates for the office of `b` have donors in these cycles, as the version sees it. */
const haveDonors = (cycles: string): string => `exists (
    select from (
      select distinct on (cycle) entity_id, cycle, version_id from chart_pair
      where entity_id = 'field:' || upper(left(b.entity_id, 1)) and cycle ${cycles} and version_id <= $1
      order by cycle, version_id desc) field
    join donor_breakdown d using (entity_id, cycle, version_id) where d.by = 'donors')`;

/** `returning` is null unless an earlier cycle, and `again` unless the next one, has a donor for the office. */
const retention = (pairs: string): string => `
select b.cycle, split_part(b.entity_id, ':', -1) as "candidateId",
  coalesce(sum(b.donors) filter (where b.by = 'donors'), 0)::int as donors,
  case when ${haveDonors('< b.cycle')}
  then coalesce(sum(b.donors) filter (where b.by = 'returning'), 0)::int end as returning,
  case when ${haveDonors('= b.cycle + 2')}
  then coalesce(sum(b.donors) filter (where b.by = 'again'), 0)::int end as again
from (${pairs}) p
join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = p.version_id
  and b.by in ('donors', 'returning', 'again')
group by b.cycle, b.entity_id
order by b.cycle, b.entity_id`;

/** Number of donors of an entity in the cycle of `b`, as the version sees it. */
const donorsOf = (entity: string): string => `(
  select d.donors from donor_breakdown d
  where d.entity_id = ${entity} and d.cycle = b.cycle and d.version_id <= $1 and d.by = 'donors'
  order by d.version_id desc limit 1)`;

const OVERLAP = `
select b.cycle, b.entity_id as "candidateId", b.value as "otherCandidateId", b.donors as shared,
  ${donorsOf('b.entity_id')} as donors, ${donorsOf('b.value')} as "otherDonors",
  ${donorsOf(`'field:' || left(b.entity_id, 1)`)} as "fieldDonors"
from (${CANDIDATES}) p
join donor_breakdown b on b.entity_id = p.entity_id and b.cycle = p.cycle and b.version_id = p.version_id and b.by = 'shared'
order by b.cycle, b.entity_id, b.value`;

/**
 * Reads charts as typed rows, sorted by their key columns. Each answer shows the requested version, even after a newer
 * one has become current. Only the current version and the previous one are stored.
 */
@Injectable()
export class ChartRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** Null before the charts are built for the first time. */
  async current(): Promise<ChartsVersion | null> {
    const { rows } = await this.pool.query<ChartsVersion>(
      `select v.id, v.built_at as "builtAt"
       from pointer p join chart_version v on v.id = p.version_id::bigint where p.name = 'charts'`,
    );
    return rows[0] ?? null;
  }

  async masters(): Promise<MastersVersion | null> {
    const { rows } = await this.pool.query<MastersVersion>(
      `select version_id as id, moved_at as "movedAt" from pointer where name = 'fec-masters' and version_id is not null`,
    );
    return rows[0] ?? null;
  }

  /**
   * Rows by cycle and committee; ages ascend, and the unknown age is last. The basis `donors` has no unknown age.
   * @throws ChartsVersionGoneError
   */
  async ageDistribution(
    version: ChartsVersion,
    { committeeIds, basis = 'all', ...scope }: AgeDistributionQuery,
  ): Promise<Iterable<AgeRow>> {
    const where = conditions(committeeIds, scope);
    if (basis !== 'donors')
      return withNumbers(await this.read<AgeRow & DonorCounts>(version, AGE_DISTRIBUTION, [...where, agesOn(basis)]));
    const estimates = await this.read<EstimatedAges>(version, ESTIMATED_AGES, where);
    return estimates.flatMap(({ cycle, committeeId, estimate }) =>
      expectedDonors(estimate).map(([ageYears, hundredths]) => ({
        ...{ cycle, committeeId, ageYears, donors: hundredths / 100 },
        ...{ contributions: null, amountCents: null, medianInterval: estimate.median },
      })),
    );
  }

  /**
   * Rows by cycle and candidate; bands ascend, and money without a donor is last.
   * @throws ChartsVersionGoneError
   */
  async donorSize(version: ChartsVersion, { candidateIds, ...scope }: CandidateQuery): Promise<Iterable<DonorSizeRow>> {
    return withNumbers(await this.read(version, DONOR_SIZE, [...conditions(candidateIds, scope), 'size']));
  }

  /**
   * Rows by cycle, candidate and day, from the first day of the cycle to its newest contribution. Each iteration
   * creates the rows, at most 731 for a candidate and cycle.
   * @throws ChartsVersionGoneError
   */
  async cumulativeDonors(
    version: ChartsVersion,
    { candidateIds, ...scope }: CandidateQuery,
  ): Promise<Iterable<CumulativeDonorsRow>> {
    return new DailySeries(await this.read<DonorSeries>(version, CUMULATIVE_DONORS, conditions(candidateIds, scope)));
  }

  /**
   * Rows by cycle and candidate, or by cycle and party.
   * @throws ChartsVersionGoneError
   */
  async retention(
    version: ChartsVersion,
    { candidateIds = [], parties = [], ...scope }: RetentionQuery,
  ): Promise<Iterable<RetentionRow>> {
    if (parties.length === 0) return this.read(version, retention(CANDIDATES), conditions(candidateIds, scope));
    if (candidateIds.length > 0) return []; // a party is not a candidate
    const ids = parties.map((party) => `party:${party}`);
    return this.read(version, retention(PARTIES), conditions(ids, scope));
  }

  /**
   * Rows by cycle, candidate and other candidate. Two candidates without a common donor have no row.
   * @throws ChartsVersionGoneError
   */
  async overlap(version: ChartsVersion, { candidateIds, ...scope }: CandidateQuery): Promise<Iterable<OverlapRow>> {
    return this.read(version, OVERLAP, conditions(candidateIds, scope));
  }

  /**
   * Rows by cycle, candidate and attribute; bands ascend, and the unknown value is last.
   * @throws ChartsVersionGoneError
   */
  async breakdown(
    version: ChartsVersion,
    { candidateIds, by = [], basis = 'all', ...scope }: BreakdownQuery,
  ): Promise<Iterable<BreakdownRow>> {
    const requested: readonly Breakdown[] = by.length === 0 ? DEFAULT_BREAKDOWNS : by;
    const attributes = requested.map((one) => (one === 'age' ? agesOn(basis) : one));
    const rows = await this.read<BreakdownRow & DonorCounts>(version, BREAKDOWN, [
      ...conditions(candidateIds, scope),
      attributes,
    ]);
    return withNumbers(rows);
  }

  /**
   * Reads rows, then checks the version. A statement sees one snapshot: if the version is still stored after the
   * statement, it was stored during it. A check before the statement would not prove that.
   */
  private async read<Row extends QueryResultRow>(
    version: ChartsVersion,
    text: string,
    values: readonly unknown[],
  ): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>({ text, values: [version.id, ...values] });
    await assertStored(this.pool, version);
    return rows;
  }
}

/** @throws ChartsVersionGoneError */
export async function assertStored(pool: Pool, { id }: ChartsVersion): Promise<void> {
  const { rowCount } = await pool.query(
    `select from pointer where name = 'charts' and $1 in (version_id, previous_id)`,
    [id],
  );
  if (rowCount === 0) throw new ChartsVersionGoneError(id);
}

/** Values for $2 to $4. An empty list becomes null, which is no condition; empty offices become the presidency. */
const conditions = (ids: readonly string[] = [], { cycles = [], offices = [] }: ChartScope): readonly unknown[] => [
  ids.length === 0 ? null : ids,
  cycles.length === 0 ? null : cycles,
  offices.length === 0 ? DEFAULT_OFFICES : offices,
];

const agesOn = (basis: AgeBasis): string => (basis === 'adult' ? 'age_adult' : 'age');

/** The driver returns a bigint as text; cents fit a number. */
const withNumbers = <Row extends DonorCounts>(rows: readonly Row[]): Row[] =>
  rows.map((row) => ({ ...row, amountCents: Number(row.amountCents) }));
