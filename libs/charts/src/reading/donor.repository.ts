import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { filedCell } from '@donorlens/campaign-finance';
import { PG_POOL, inTransaction } from '@donorlens/database';
import { DEFAULT_OFFICES } from '@donorlens/primitives';
import { type ChartsVersion } from '../charts-version';
import { type ChartScope } from './chart-rows';
import { assertStored } from './chart.repository';

/** A donor of a candidate, with the values of the first contribution of the cycle that makes the donor. */
export interface CandidateDonor {
  readonly cycle: number;
  readonly candidateId: string;
  /** six shares by surname, in hundredths of a percent; null if the surname is unlisted or missing */
  readonly pctHundredths: readonly number[] | null;
  /** `name`, `entityType`, `date`, `state` and `zip` are cells as filed */
  readonly name: string;
  readonly entityType: string;
  readonly date: string;
  readonly state: string;
  readonly zip: string;
  /** the row has a street address, so the ZIP does not determine the county */
  readonly hasAddress: boolean;
  /** county of the geocoded address */
  readonly fips: string | null;
  readonly tract: string | null;
}

export interface DonorsQuery extends ChartScope {
  readonly candidateIds: readonly string[];
}

/** SQL condition: the contribution makes a donor. */
export const MAKES_DONOR = '(c.counts_donor and c.donor_key <> 0 and c.received_on is not null)';

/** Finds the first rows, then reads their records. $1: candidates, $2: cycles or null, $3: offices */
const CANDIDATE_DONORS = `
with first_row as materialized (
  select distinct on (l.cand_id, c.cycle, c.donor_key) l.cand_id, c.cycle, c.row_id
  from chart_link l join contribution c on c.committee_id = l.cmte_id and c.cycle = l.cycle
  where l.cand_id = any($1) and ($2::int[] is null or l.cycle = any($2)) and left(l.cand_id, 1) = any($3)
    and ${MAKES_DONOR} and not c.is_copy
  order by l.cand_id, c.cycle, c.donor_key, c.received_on, c.row_id)
select f.cycle, f.cand_id as "candidateId",
  case when c.pct_white is not null
    then array[c.pct_white, c.pct_black, c.pct_api, c.pct_aian, c.pct_2prace, c.pct_hispanic] end as "pctHundredths",
  ${filedCell('c', 'NAME')} as name, ${filedCell('c', 'ENTITY_TP')} as "entityType",
  ${filedCell('c', 'TRANSACTION_DT')} as date, ${filedCell('c', 'STATE')} as state, ${filedCell('c', 'ZIP_CODE')} as zip,
  c.address_key is not null as "hasAddress", a.fips, a.tract
from first_row f
join contribution c on c.cycle = f.cycle and c.row_id = f.row_id
left join location a on a.address_key = c.address_key`;

const PAGE = 5_000;
/** A million donors take about ten seconds. */
const DONOR_OPTIONS = { statementTimeoutMs: 120_000 };

/** Reads single donors of candidates from the stored contributions. */
@Injectable()
export class DonorRepository {
  constructor(@Inject(PG_POOL) private readonly pool: Pool) {}

  /**
   * Calls `use` with pages of donors, in any order. They include rows that were stored after the version was built.
   * @throws ChartsVersionGoneError
   */
  async forEachPage(
    version: ChartsVersion,
    { candidateIds, cycles = [], offices = [] }: DonorsQuery,
    use: (donors: readonly CandidateDonor[]) => void,
  ): Promise<void> {
    await assertStored(this.pool, version);
    await inTransaction(
      this.pool,
      async (client) => {
        await client.query(`declare donors no scroll cursor for ${CANDIDATE_DONORS}`, [
          candidateIds,
          cycles.length === 0 ? null : cycles,
          offices.length === 0 ? DEFAULT_OFFICES : offices,
        ]);
        for (;;) {
          const { rows } = await client.query<CandidateDonor>(`fetch ${PAGE} from donors`);
          if (rows.length === 0) return;
          use(rows);
        }
      },
      DONOR_OPTIONS,
    );
  }
}
