import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL } from '@donorlens/database';
import { type ChartsCoverage, type ChartsStatus, type ChartsVersion, type MastersVersion } from '../charts-version';
import {
  type AgeDistributionQuery,
  type BreakdownQuery,
  type ChartRow,
  type CumulativeDonorsQuery,
} from './chart-query';

/**
 * Charts as lines ready for CSV, sorted by their key columns. Each answer is of the version that was asked for, also where
 * a newer one has become current; the one before the current one stays readable, older ones do not.
 */
@Injectable()
export class ChartReader {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** null until charts were built for the first time. */
  current(): Promise<ChartsVersion | null> {
    return Promise.reject(new Error(`not built ${this.pool.totalCount}`));
  }

  masters(): Promise<MastersVersion | null> {
    return Promise.reject(new Error('not built'));
  }

  /**
   * CYCLE, CMTE_ID, AGE, DONORS, CONTRIBUTIONS, AMOUNT (dollars with two decimals). Ages ascend, the unknown one ('') is last.
   * @throws ChartsVersionGoneError
   */
  ageDistribution(_version: ChartsVersion, _query: AgeDistributionQuery): Promise<Iterable<ChartRow>> {
    return Promise.reject(new Error('not built'));
  }

  /**
   * CYCLE, CAND_ID, REF_DATE, CUMUL_DONORS: a line for each day from the first of the cycle to its newest contribution.
   * The lines are made while they are iterated over (731 for each candidate and cycle), once or again.
   * @throws ChartsVersionGoneError
   */
  cumulativeDonors(_version: ChartsVersion, _query: CumulativeDonorsQuery): Promise<Iterable<ChartRow>> {
    return Promise.reject(new Error('not built'));
  }

  /**
   * CYCLE, CAND_ID, BY, VALUE, DONORS, CONTRIBUTIONS, AMOUNT. Bands ('20-29', '50000-59999') ascend, unknown ('') is last.
   * @throws ChartsVersionGoneError
   */
  breakdown(_version: ChartsVersion, _query: BreakdownQuery): Promise<Iterable<ChartRow>> {
    return Promise.reject(new Error('not built'));
  }

  /** @throws ChartsVersionGoneError */
  coverage(_version: ChartsVersion): Promise<ChartsCoverage> {
    return Promise.reject(new Error('not built'));
  }

  status(): Promise<ChartsStatus> {
    return Promise.reject(new Error('not built'));
  }
}
