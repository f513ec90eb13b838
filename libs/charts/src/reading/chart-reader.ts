import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { ChartsVersionGoneError } from '../charts-error';
import {
  type ChartsCoverage,
  type ChartsStatus,
  type ChartsVersion,
  type CycleCoverage,
  type MastersVersion,
  type NearestLinkage,
  type VersionDetail,
} from '../charts-version';
import { AGE_DISTRIBUTION, BREAKDOWN, COVERAGE, CUMULATIVE_DONORS, NEAREST_LINKAGES, STATUS } from './chart-queries';
import {
  type AgeDistributionQuery,
  BREAKDOWNS,
  type BreakdownQuery,
  type ChartRow,
  type CumulativeDonorsQuery,
} from './chart-query';
import { DailySeries } from './daily-series';
import { dollars } from './dollars';

type Ids = readonly string[] | undefined;
type Cycles = readonly number[] | undefined;

/**
 * Charts as lines ready for CSV, sorted by their key columns. Each answer is of the version that was asked for, also where
 * a newer one has become current; the one before the current one stays readable, older ones do not.
 */
@Injectable()
export class ChartReader {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** null until charts were built for the first time. */
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
   * CYCLE, CMTE_ID, AGE, DONORS, CONTRIBUTIONS, AMOUNT (dollars with two decimals). Ages ascend, the unknown one ('') is last.
   * @throws ChartsVersionGoneError
   */
  async ageDistribution(
    version: ChartsVersion,
    { committeeIds, cycles, basis = 'all' }: AgeDistributionQuery,
  ): Promise<Iterable<ChartRow>> {
    const by = basis === 'adult' ? 'age_adult' : 'age';
    const rows = await this.cells(version, AGE_DISTRIBUTION, committeeIds, cycles, by);
    return rows.map(([cycle, id, age, ...counts]) => [cycle, id, age === '' ? age : Number(age), ...priced(counts)]);
  }

  /**
   * CYCLE, CAND_ID, REF_DATE, CUMUL_DONORS: a line for each day from the first of the cycle to its newest contribution.
   * The lines are made while they are iterated over (731 for each candidate and cycle), once or again.
   * @throws ChartsVersionGoneError
   */
  async cumulativeDonors(
    version: ChartsVersion,
    { candidateIds, cycles }: CumulativeDonorsQuery,
  ): Promise<Iterable<ChartRow>> {
    const rows = await this.answer<[number, string, number[], string]>(
      version,
      CUMULATIVE_DONORS,
      values(candidateIds, cycles),
    );
    return new DailySeries(
      rows.map(([cycle, candidateId, donors, newestOn]) => ({ cycle, candidateId, donors, newestOn })),
    );
  }

  /**
   * CYCLE, CAND_ID, BY, VALUE, DONORS, CONTRIBUTIONS, AMOUNT. Bands ('20-29', '50000-59999') ascend, unknown ('') is last.
   * @throws ChartsVersionGoneError
   */
  async breakdown(
    version: ChartsVersion,
    { candidateIds, cycles, by = [] }: BreakdownQuery,
  ): Promise<Iterable<ChartRow>> {
    const asked = by.length === 0 ? BREAKDOWNS : by;
    const rows = await this.cells(version, BREAKDOWN, candidateIds, cycles, asked);
    return rows.map(([cycle, id, about, value, ...counts]) => [cycle, id, about, value, ...priced(counts)]);
  }

  /** @throws ChartsVersionGoneError */
  async coverage(version: ChartsVersion): Promise<ChartsCoverage> {
    const { rows } = await this.pool.query<CycleCoverage>(COVERAGE, [version.id]);
    const nearest = await this.pool.query<NearestLinkage>(NEAREST_LINKAGES);
    await this.assertStored(version);
    const cycles = rows.map((row) => ({
      ...row,
      contributions: Number(row.contributions),
      amountCents: Number(row.amountCents),
    }));
    return { cycles, nearestLinkages: nearest.rows };
  }

  async status(): Promise<ChartsStatus> {
    const { rows } = await this.pool.query<{
      readonly id: string | null;
      readonly builtAt: Date;
      readonly detail: VersionDetail | null;
      readonly pairs: number;
      readonly touched: number;
      readonly linksAreOld: boolean;
    }>(STATUS);
    const { id, builtAt, ...status } = rows[0];
    return { current: id === null ? null : { id, builtAt }, ...status };
  }

  private cells(
    version: ChartsVersion,
    sql: string,
    ids: Ids,
    cycles: Cycles,
    by: string | readonly string[],
  ): Promise<(string | number)[][]> {
    return this.answer(version, sql, [...values(ids, cycles), by]);
  }

  /**
   * A statement sees one state of the database. Was the version still stored after it, it was so during it: asking
   * beforehand would not tell.
   */
  private async answer<Row extends unknown[]>(
    version: ChartsVersion,
    text: string,
    after: readonly unknown[],
  ): Promise<Row[]> {
    const { rows } = await this.pool.query<Row>({ text, values: [version.id, ...after], rowMode: 'array' });
    await this.assertStored(version);
    return rows;
  }

  private async assertStored(version: ChartsVersion): Promise<void> {
    const { rowCount } = await this.pool.query(
      `select from pointer where name = 'charts' and $1 in (version_id, previous_id)`,
      [version.id],
    );
    if (rowCount === 0) throw new ChartsVersionGoneError(version.id);
  }
}

/** No value is no condition, as null. */
const values = (ids: Ids, cycles: Cycles): readonly unknown[] => [
  ids === undefined || ids.length === 0 ? null : ids,
  cycles === undefined || cycles.length === 0 ? null : cycles,
];

const priced = ([donors, contributions, amountCents]: readonly (string | number)[]): ChartRow => [
  donors,
  contributions,
  dollars(Number(amountCents)),
];
