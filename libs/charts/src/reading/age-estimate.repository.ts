import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type YearGroup } from '@donorlens/demographics';
import { PG_POOL } from '@donorlens/database';
import { type ChartsVersion } from '../charts-version';
import { type AgeEstimate } from './age-estimate';
import { assertStored } from './chart.repository';

/** Estimated ages of donors by version of the charts. */
@Injectable()
export class AgeEstimates {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /** Estimates for all donors of each cycle that has known first names. @throws ChartsVersionGoneError */
  async ofCycles(version: ChartsVersion): Promise<YearGroup[]> {
    const { rows } = await this.pool.query<{ cycle: number; estimate: AgeEstimate }>(
      `select distinct on (cycle) cycle, estimate from age_estimate
       where entity_id = 'cycle:all' and version_id <= $1 order by cycle, version_id desc`,
      [version.id],
    );
    await assertStored(this.pool, version);
    return rows.flatMap(({ cycle, estimate: { people, shares, maleShare } }) =>
      people > 0 ? [{ year: cycle, shares, maleShare, people }] : [],
    );
  }
}
