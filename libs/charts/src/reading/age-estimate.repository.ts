import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type YearGroup } from '@donorlens/demographics';
import { PG_POOL } from '@donorlens/database';
import { type ChartsVersion } from '../charts-version';
import { type AgeEstimate, WHOLE_CYCLE } from './age-estimate';
import { assertStored } from './chart.repository';

/** Estimated ages of donors by version of the charts. */
@Injectable()
export class AgeEstimates {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Estimates for all donors of each cycle that has known first names. As in other charts, the newest pair selects the
   * row: a row without a pair may be left of a sample that was removed.
   * @throws ChartsVersionGoneError
   */
  async ofCycles(version: ChartsVersion): Promise<YearGroup[]> {
    const { rows } = await this.pool.query<{ cycle: number; estimate: AgeEstimate }>(
      `select e.cycle, e.estimate
       from (
         select distinct on (cycle) entity_id, cycle, version_id from chart_pair
         where entity_id = $2 and version_id <= $1 order by cycle, version_id desc) p
       join age_estimate e using (entity_id, cycle, version_id) order by e.cycle`,
      [version.id, WHOLE_CYCLE],
    );
    await assertStored(this.pool, version);
    return rows.flatMap(({ cycle, estimate: { people, shares, maleShare } }) =>
      people > 0 ? [{ year: cycle, shares, maleShare, people }] : [],
    );
  }
}
