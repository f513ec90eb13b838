import { type PoolClient } from 'pg';
import { conduitMatches, isCommitteeOf, lockContributions } from '@donorlens/campaign-finance';
import { type FecOffice } from '@donorlens/primitives';
import { type StoredImport } from '../engine/stored-import';
import { type ConduitRows, type ImportReport } from './contributions-report';

interface MissingRowsResult {
  /** Rows of the file as workers noted them, repeated ones too; null where their notes are not complete. */
  readonly seen: number | null;
  /** Stored rows of the file's cycle that it does not hold; as far as they are still there. */
  readonly missing: number;
  readonly removed: number;
  /** Why nothing was removed, where that was not possible or not wise. */
  readonly removalsSkipped?: string;
}

/** More than both, of what the file before it left there, is no correction of a file but another one, or a part of it. */
const SUSPICIOUS = { share: 0.1, rows: 100 };

interface Removal {
  /** of the file, repeated ones too: those that workers must have noted */
  readonly rowsStored: number;
  /** also where it is suspiciously much */
  readonly removeMissing: boolean;
  /** that are imported: rows of committees of other offices stay */
  readonly offices: readonly FecOffice[];
}

/**
 * Removes the rows of a file's cycle that the newest file does not hold any more, and has their donors counted again.
 * What it holds is known from the workers' notes; where these are not complete, as after a crash of the database
 * server, nothing is removed.
 */
export async function removeMissingRows(
  client: PoolClient,
  stored: StoredImport,
  { rowsStored, removeMissing, offices }: Removal,
): Promise<MissingRowsResult> {
  const seen = await countSeen(client, stored.id);
  if (seen !== rowsStored)
    return {
      seen: null,
      missing: 0,
      removed: 0,
      removalsSkipped: `only ${seen} of the ${rowsStored} rows are known by name, as after a crash of the database server; import the file again to have missing rows removed`,
    };
  const missing = await findMissing(client, stored, offices);
  const before = await storedBefore(client, stored.cycle);
  if (!removeMissing && missing > SUSPICIOUS.rows && before > 0 && missing > SUSPICIOUS.share * before)
    return {
      seen,
      missing,
      removed: 0,
      removalsSkipped: `the file lacks ${missing} of the ${before} rows that the one before it left, more than a correction would; ask for their removal if it is right`,
    };
  if (missing > 0) await removeFound(client);
  return { seen, missing: 0, removed: missing };
}

/** Rows that the newest finished import of the cycle left there; 0 where there was none. */
async function storedBefore(client: PoolClient, cycle: number): Promise<number> {
  const { rows } = await client.query<{ stored: string | null }>(
    `select detail -> 'report' ->> 'stored' as stored from fec_import
     where kind = 'contributions' and cycle = $1 and state = 'done' order by id desc limit 1`,
    [cycle],
  );
  return Number(rows[0]?.stored ?? 0);
}

/** Cycles under which rows of files of this cycle may be stored. */
async function cyclesOf(client: PoolClient, fileCycle: number): Promise<number[]> {
  const { rows } = await client.query<{ cycle: number }>(
    `select distinct cycles.cycle::int as cycle
     from fec_import, jsonb_object_keys(coalesce(detail -> 'rowsByCycle', '{}')) cycles (cycle)
     where kind = 'contributions' and fec_import.cycle = $1`,
    [fileCycle],
  );
  return rows.map(({ cycle }) => cycle);
}

async function findMissing(
  client: PoolClient,
  { id, cycle }: StoredImport,
  offices: readonly FecOffice[],
): Promise<number> {
  await client.query(
    `create temp table import_missing on commit drop as
     select c.cycle, c.row_id, c.committee_id from contribution c
     where c.cycle = any (${arrayOf(await cyclesOf(client, cycle))}) and c.file_cycle = ${Number(cycle)} and c.row_id > 0
       and not exists (
         select 1 from import_seen s
         where s.import_id = ${BigInt(id)} and s.cycle = c.cycle and s.row_id = c.row_id)`,
  );
  // Rows of offices that are no longer imported stay.
  await client.query(
    `delete from import_missing m where not ${isCommitteeOf('$1::text[]', 'm.committee_id', 'm.cycle')}`,
    [offices],
  );
  const { rows } = await client.query<{ n: number }>('select count(*)::int as n from import_missing');
  return rows[0].n;
}

/** CREATE TABLE AS takes no parameters; these are numbers. */
const arrayOf = (cycles: readonly number[]): string => `array[${cycles.map(Number).join(', ')}]::smallint[]`;

async function removeFound(client: PoolClient): Promise<void> {
  await client.query('analyze import_missing');
  await lockContributions(client, 'import_missing');
  await client.query(
    `with gone as (
       delete from contribution c using import_missing m where c.cycle = m.cycle and c.row_id = m.row_id
       returning c.committee_id, c.cycle, c.donor_key)
     insert into donor_touched (committee_id, cycle, donor_key)
     select distinct committee_id, cycle, donor_key from gone`,
  );
}

/** At the begin and at the end of an import. What another one that was interrupted may still go on with stays. */
export async function clearSeenRows(client: PoolClient, importId: string): Promise<void> {
  const { rows } = await client.query<{ id: string }>(
    `select id from fec_import where kind = 'contributions' and state = 'loading' and id <> $1
     and exists (select 1 from import_seen s where s.import_id = fec_import.id)`,
    [importId],
  );
  if (rows.length === 0) await client.query('truncate import_seen');
  else await client.query('delete from import_seen where import_id <> all ($1)', [rows.map(({ id }) => id)]);
}

/** Rows of `import_seen`, where workers note each row of the file that is being read, repeated ones too. */
async function countSeen(client: PoolClient, importId: string): Promise<number> {
  const { rows } = await client.query<{ n: string }>('select count(*) as n from import_seen where import_id = $1', [
    importId,
  ]);
  return Number(rows[0].n);
}

/** Rows that workers could not store, by code: they have no identity, so they are not among the seen. */
export async function rejectedByWorkers(client: PoolClient, importId: string): Promise<Record<string, number>> {
  const { rows } = await client.query<{ code: string; n: number }>(
    'select code, count(*)::int as n from fec_reject where import_id = $1 and line <= 0 group by code order by code',
    [importId],
  );
  return Object.fromEntries(rows.map(({ code, n }) => [code, n]));
}

/** Stored rows of a file's cycle. */
export async function summary(
  client: PoolClient,
  fileCycle: number,
): Promise<Pick<ImportReport, 'stored' | 'moneyCents' | 'donors' | 'unlinked'>> {
  const { rows } = await client.query<{
    stored: string;
    money: string;
    donors: string;
    unlinked: ImportReport['unlinked'];
  }>(SUMMARY, [await cyclesOf(client, fileCycle), fileCycle]);
  const { stored, money, donors, unlinked } = rows[0];
  return { stored: Number(stored), moneyCents: Number(money), donors: Number(donors), unlinked };
}

/** What becomes of the stored conduits' rows of a file's cycle, as the charts count them at their next refresh. */
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

/** Before the removeMissingRows reads the whole table several times: the planner's statistics are older than the import. */
export async function analyzeForRemoval(client: PoolClient, cycles: readonly number[]): Promise<void> {
  await client.query(`set local work_mem = '64MB'`);
  await client.query(
    ['import_seen', ...cycles.map((cycle) => `contribution_${cycle}`)].map((table) => `analyze ${table}`).join('; '),
  );
}
