import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { PG_POOL, inTransaction } from '@donorlens/database';
import { PCT_COLUMNS } from '@donorlens/demographics';
import { countedRows } from '@donorlens/primitives';
import { type Batch } from '../batch';
import { type BatchSummary, type BatchTotals, type SummaryTables, batchSummary } from './batch-summary';
import { GROUPING_SETTINGS, NAMES_AS_JSON, YEAR_OF_DAY } from './batch-ages.repository';
import { RowAreas } from './result-areas';
import { ResultPages, ResultsGoneError } from './result-page.repository';
import { ResultRows } from './result-rows';

/** A million rows take a second. */
const SUMMARY_OPTIONS = { statementTimeoutMs: 120_000 };

const COUNTED_COLUMNS = {
  first_names: 'first_name',
  surnames: 'pct_white',
  ages: 'age',
  genders: 'gender',
  races: 'race',
  estimates: 'pct_white',
} as const;

const commaSeparated = (parts: readonly string[]): string => parts.join(', ');
const countedColumns = Object.entries(COUNTED_COLUMNS);

/**
 * One statement sees one state of the rows, and addresses are joined once each. Totals are computed from the groups by
 * first name and year, so that one scan serves both.
 */
const SQL_TOTALS = `
  with grouped as (
    select first_name, ${YEAR_OF_DAY} as year, count(*) as people, sum(given_day) as days,
           ${commaSeparated(countedColumns.map(([sum, column]) => `count(${column}) as ${sum}`))},
           ${commaSeparated(PCT_COLUMNS.map((group) => `sum(pct_${group}) as pct_${group}`))}
    from result where batch_id = $1 group by 1, 2
  ), totals as (
    select coalesce(sum(people), 0)::int as rows,
           ${commaSeparated(countedColumns.map(([sum]) => `coalesce(sum(${sum}), 0)::int as ${sum}`))},
           jsonb_build_object(${commaSeparated(PCT_COLUMNS.map((group) => `'${group}', coalesce(sum(pct_${group}), 0)`))}) as shares
    from grouped
  ), name as (
    select first_name, year, people, days from grouped where first_name is not null and year is not null
  ), address as (
    select fips, address_key, count(*)::int as rows from result
    where batch_id = $1 group by 1, 2
  ), place as (
    select coalesce(l.fips, a.fips) as fips, sum(a.rows)::int as rows,
           coalesce(sum(a.rows) filter (where l.tract is not null), 0)::int as tracts,
           coalesce(sum(a.rows) filter (where l.block is not null), 0)::int as blocks,
           coalesce(sum(a.rows) filter (where l.address_id is not null), 0)::int as address_ids
    from address a left join location l using (address_key) group by 1
  )
  select totals.*,
    ${NAMES_AS_JSON} as names,
    (select coalesce(jsonb_agg(to_jsonb(place)), '[]') from place) as places
  from totals`;

/**
 * Summaries of batches, computed from the stored rows by the first request and stored. Rows of a batch that has ended
 * never change; only outcomes of pending addresses may follow, so a summary holds for their number.
 */
@Injectable()
export class BatchSummaries {
  constructor(
    @Inject(PG_POOL) private readonly pool: Pool,
    private readonly pages: ResultPages,
  ) {}

  /**
   * @param batch - has ended
   * @throws ResultsGoneError if its rows were deleted meanwhile
   */
  async load(batch: Batch, tables: SummaryTables): Promise<BatchSummary> {
    return (await this.stored(batch)) ?? (await this.computed(batch, tables));
  }

  private async stored({ id, addresses }: Batch): Promise<BatchSummary | null> {
    const { rows } = await this.pool.query<{ summary: BatchSummary }>(
      `select summary from batch_summary where batch_id = $1 and pending_rows = $2
         and coalesce(summary -> 'counties' -> 0 ? 'state', true) -- version 1.0.0 stored counties without it
      `,
      [id, addresses.pending],
    );
    return rows.at(0)?.summary ?? null;
  }

  private async computed(batch: Batch, tables: SummaryTables): Promise<BatchSummary> {
    const totals = await inTransaction(
      this.pool,
      async (client) => {
        await client.query(GROUPING_SETTINGS);
        return (await client.query<BatchTotals>(SQL_TOTALS, [batch.id])).rows[0];
      },
      SUMMARY_OPTIONS,
    );
    if (totals.rows !== countedRows(batch.counts))
      throw new ResultsGoneError('the results were erased while they were summed up', { rows: totals.rows });
    const summary = batchSummary(batch, { ...totals, ...(await this.placed(batch, tables)) }, tables);
    await this.pool.query(
      `insert into batch_summary (batch_id, pending_rows, summary)
       select id, $2, $3 from batch where id = $1 and state <> 'expired' for key share
       on conflict (batch_id) do update set pending_rows = excluded.pending_rows, summary = excluded.summary`,
      [batch.id, batch.addresses.pending, JSON.stringify(summary)],
    );
    return summary;
  }

  /** Estimates by place are not stored: they are summed as the results give them. */
  private async placed(
    batch: Batch,
    { areas }: SummaryTables,
  ): Promise<Pick<BatchTotals, 'races' | 'estimates' | 'shares'> | null> {
    if (areas.placed === null) return null;
    const ofRow = new RowAreas(areas);
    const sums = new Float64Array(PCT_COLUMNS.length);
    let [estimates, races] = [0, 0];
    for await (const page of this.pages.read(batch)) {
      const rows = new ResultRows(page);
      while (rows.read()) {
        const estimate = ofRow.ethnicity(rows);
        if (!estimate?.pctHundredths) continue;
        estimates++;
        if (estimate.race !== null) races++;
        for (let group = 0; group < sums.length; group++) sums[group] += estimate.pctHundredths[group];
      }
    }
    const shares = Object.fromEntries(PCT_COLUMNS.map((group, at) => [group, sums[at]])) as BatchTotals['shares'];
    return { estimates, races, shares };
  }
}
