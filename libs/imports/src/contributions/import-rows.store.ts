import { type PoolClient } from 'pg';
import { conduitMatches } from '@donorlens/campaign-finance';
import { ImportError } from '../import-error';
import { type ConduitRows, type ImportReport } from './contributions-report';

/**
 * If a file lacks more rows of the previous file than both limits, it is no correction, but another file or a part of
 * one.
 */
const MAX_MISSING = { share: 0.1, rows: 100 };

/**
 * Rejects a file that lacks too many rows of the previous file.
 * @throws ImportError `rows_missing`
 */
export async function guardMissing(client: PoolClient, fileCycle: number, missing: number): Promise<void> {
  if (missing <= MAX_MISSING.rows) return;
  const { rows } = await client.query<{ n: number }>(
    `select count(*)::int as n from contribution where cycle = any ($1) and file_cycle = $2 and row_id > 0`,
    [await cyclesOf(client, fileCycle), fileCycle],
  );
  const [{ n: before }] = rows;
  if (missing <= MAX_MISSING.share * before) return;
  throw new ImportError(
    'rows_missing',
    `the file lacks ${missing} of the ${before} rows that the previous file stored, too many for a correction; ` +
      'the stored rows stay. If the file is correct, run with --remove-missing',
    { missing, before },
  );
}

/** Cycles under which rows of the cycle's files may be stored. */
export async function cyclesOf(client: PoolClient, fileCycle: number): Promise<number[]> {
  const { rows } = await client.query<{ cycle: number }>(
    `select distinct cycles.cycle::int as cycle
     from fec_import, jsonb_object_keys(coalesce(detail -> 'rowsByCycle', '{}')) cycles (cycle)
     where kind = 'contributions' and fec_import.cycle = $1`,
    [fileCycle],
  );
  return rows.map(({ cycle }) => cycle);
}

/** Rows that workers could not store, by reject code. They have no row id, so the snapshot does not contain them. */
export async function rejectedByWorkers(client: PoolClient, importId: string): Promise<Record<string, number>> {
  const { rows } = await client.query<{ code: string; n: number }>(
    'select code, count(*)::int as n from fec_reject where import_id = $1 and line <= 0 group by code order by code',
    [importId],
  );
  return Object.fromEntries(rows.map(({ code, n }) => [code, n]));
}

/** Sums of the stored rows of a file's cycle. Runs in a transaction, because it sets `work_mem`. */
export async function summary(
  client: PoolClient,
  fileCycle: number,
): Promise<Pick<ImportReport, 'stored' | 'moneyCents' | 'donors' | 'unlinked'>> {
  await client.query(`set local work_mem = '64MB'`);
  const { rows } = await client.query<{
    stored: string;
    money: string;
    donors: string;
    unlinked: ImportReport['unlinked'];
  }>(SUMMARY, [await cyclesOf(client, fileCycle), fileCycle]);
  const { stored, money, donors, unlinked } = rows[0];
  return { stored: Number(stored), moneyCents: Number(money), donors: Number(donors), unlinked };
}

/** How the next refresh of the charts will count the stored rows of conduits of a file's cycle. */
export async function conduitSummary(client: PoolClient, fileCycle: number): Promise<Omit<ConduitRows, 'kept'>> {
  const cycles = await cyclesOf(client, fileCycle);
  const near = [...new Set(cycles.flatMap((cycle) => [cycle - 2, cycle, cycle + 2]))];
  const { rows } = await client.query<{ matched: number; counted: number }>(
    `with recursive ${conduitMatches('contribution c where c.cycle = any ($1)')}
     select count(m.row_id)::int as matched, count(*) filter (where m.row_id is null)::int as counted
     from contribution c left join conduit_match m on m.cycle = c.cycle and m.row_id = c.row_id
     where c.cycle = any ($2) and c.file_cycle = $3 and c.row_id > 0 and c.earmark = 2 and c.counts_money`,
    [near, cycles, fileCycle],
  );
  return rows[0];
}

const SUMMARY = `
  with donor as materialized (
    select committee_id, cycle, donor_key, count(*) as n, sum(money_cents) as cents, bool_or(counts_donor) as is_donor
    from contribution where cycle = any ($1) and file_cycle = $2 and row_id > 0
    group by committee_id, cycle, donor_key
  ), unlinked as (
    select distinct committee_id, cycle from donor d
    where not exists (select from linkage l where l.cmte_id = d.committee_id and l.cycle = d.cycle)
  )
  select coalesce(sum(n), 0) as stored, coalesce(sum(cents), 0) as money,
    count(distinct donor_key) filter (where is_donor and donor_key <> 0) as donors,
    (select coalesce(json_agg(json_build_object('committeeId', committee_id, 'cycle', cycle) order by cycle, committee_id), '[]')
     from unlinked) as unlinked
  from donor`;
