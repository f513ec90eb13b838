import { type Pool } from 'pg';
import { ContributionStore } from '@donorlens/campaign-finance';
import { createPool, inTransaction, migrate } from '@donorlens/database';
import { LocationRepository } from '@donorlens/locations';
import { createLogger } from '@donorlens/observability';

export const CYCLE = 2024;
const COMMITTEES = 12;
const ROWS_A_TIME = 250_000;
const FEWEST = 900_000;
const ROWS_A_DONOR = 3;
const logger = createLogger('bench', 'silent');

/** Stored contributions in a separate database: 12 committees of 8 candidates, three gifts for each donor. */
export class SyntheticContributions {
  private constructor(
    private readonly server: Pool,
    private readonly database: string,
    readonly pool: Pool,
    private stored: number,
  ) {}

  static async of(rows: number, databaseUrl: string): Promise<SyntheticContributions> {
    const database = `bench_charts_${rows}`;
    const server = createPool(databaseUrl, logger);
    await server.query(`drop database if exists ${database}`);
    await server.query(`create database ${database}`);
    const url = new URL(databaseUrl);
    url.pathname = `/${database}`;
    await migrate(url.href, logger);
    const pool = createPool(url.href, logger, { statementTimeoutMs: 0 });
    const facts = new SyntheticContributions(server, database, pool, 0);
    await facts.prepare();
    while (facts.stored < rows) await facts.add(Math.min(ROWS_A_TIME, rows - facts.stored));
    return facts;
  }

  /** Adds rows and marks their donors as touched, like an import; no chart includes the rows yet. */
  async add(rows: number): Promise<void> {
    const { pool, stored } = this;
    await pool.query(
      `with made as (
         insert into contribution (cycle, row_id, committee_id, donor_key, donor_key_v2, received_on, money_cents, counts_money,
           counts_donor, count_reason, earmark, state, tran_id, age, gender, race, release_no, file_cycle, record)
         select ${CYCLE}, i, 'C000000' || lpad((hashint8(i) & 1048575) % ${COMMITTEES} || '', 2, '0'),
           1 + (i * 7919) % ($2 / ${ROWS_A_DONOR}), 1,
           date '2023-01-01' + ((hashint8(i + 7) & 1048575) % 700), 100 * (1 + i % 500), true, true, 0, 0, 'IL', 'T' || i,
           20 + i % 70, case i % 2 when 0 then 'f' else 'm' end, 'white', 1, ${CYCLE},
           repeat('x', 180)
         from generate_series($1::bigint + 1, $1::bigint + $3::bigint) i
         returning committee_id, cycle, donor_key)
       insert into donor_touched select * from made`,
      [stored, Math.max(stored + rows, FEWEST), rows],
    );
    this.stored += rows;
  }

  async remove(): Promise<void> {
    await this.pool.end();
    await this.server.query(`drop database if exists ${this.database}`);
    await this.server.end();
  }

  private async prepare(): Promise<void> {
    const { pool } = this;
    await pool.query(`insert into enrichment_release (release_id) values ('bench')`);
    await inTransaction(pool, (client) =>
      new ContributionStore(new LocationRepository(pool, null)).ensureCycle(client, CYCLE),
    );
    await pool.query(
      `insert into linkage (cand_id, cmte_id, cycle, cand_election_yr, cmte_tp, cmte_dsgn, linkage_id)
       select 'P0000000' || i % 8, 'C000000' || lpad(i || '', 2, '0'), ${CYCLE}, '${CYCLE}', 'P', 'P', i
       from generate_series(0, ${COMMITTEES - 1}) i`,
    );
  }
}
