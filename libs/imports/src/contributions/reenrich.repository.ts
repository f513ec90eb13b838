import { type SourceLabel } from '../engine/stored-import';
import { type Pool, type PoolClient } from 'pg';
import { copyOut } from '@donorlens/database';
import { FIELD_SEPARATOR } from '@donorlens/tabular';

/** Cycles with contributions that may not have the values of this data release. */
export async function cyclesToReenrich(pool: Pool, releaseId: string): Promise<number[]> {
  const { rows } = await pool.query<{ cycle: number }>(
    `select known.cycle
     from (select substring(relname from '\\d+$')::int as cycle
           from pg_inherits join pg_class on pg_class.oid = inhrelid
           where inhparent = 'contribution'::regclass) known
     where exists (select from contribution c where c.cycle = known.cycle)
       and not exists (
         select from cycle_enrichment e join enrichment_release r on r.no = e.release_no
         where e.cycle = known.cycle and r.release_id = $1)
     order by 1`,
    [releaseId],
  );
  return rows.map(({ cycle }) => cycle);
}

export async function isEnrichedWith(pool: Pool, cycle: number, releaseId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select from cycle_enrichment e join enrichment_release r on r.no = e.release_no
     where e.cycle = $1 and r.release_id = $2`,
    [cycle, releaseId],
  );
  return rowCount === 1;
}

/** Records that all rows of a cycle have the values of this data release. */
export async function markEnriched(client: PoolClient, cycle: number, releaseId: string): Promise<void> {
  await client.query(
    `insert into enrichment_release (release_id)
     select $1 where not exists (select from enrichment_release where release_id = $1)
     on conflict do nothing`,
    [releaseId],
  );
  await client.query(
    `insert into cycle_enrichment (cycle, release_no)
     select $1, no from enrichment_release where release_id = $2
     on conflict (cycle) do update set release_no = excluded.release_no`,
    [cycle, releaseId],
  );
}

/** Records the data release of each of these cycles whose rows are all of one release. Call at the end of an import. */
export async function recordCycleReleases(client: PoolClient, cycles: readonly number[]): Promise<void> {
  await client.query(
    `insert into cycle_enrichment (cycle, release_no)
     select c.cycle, min(c.release_no) from contribution c
     where c.cycle = any ($1) and not exists (select from cycle_enrichment e where e.cycle = c.cycle)
     group by c.cycle having min(c.release_no) = max(c.release_no)`,
    [cycles],
  );
}

/** Rows per read: about 8 MB. */
const PAGE_ROWS = 40_000;
const LF = 10;
const BACKSLASH = 92;

/** Records, each ended by LF. */
interface RecordPage {
  readonly bytes: Buffer;
  /** Row id of the last record; null without records. */
  readonly last: string | null;
}

/**
 * Stored rows of a cycle as import records in the order of row_id: row_id, file_cycle (empty for a row of an electronic
 * filing) and the record.
 * @param after - row id before the first one
 */
export async function recordsAfter(pool: Pool, cycle: number, after: string): Promise<RecordPage> {
  const client = await pool.connect();
  let fault: Error | undefined;
  try {
    const pieces: Buffer[] = [];
    const rows = copyOut(
      client,
      `copy (select row_id || e'\\x1c' || coalesce(file_cycle::text, '') || e'\\x1c' || record
             from contribution where cycle = ${Math.trunc(cycle)} and row_id > ${BigInt(after)}
             order by row_id limit ${PAGE_ROWS}) to stdout`,
    );
    for await (const piece of rows as AsyncIterable<Buffer>) pieces.push(piece);
    const bytes = unescaped(Buffer.concat(pieces));
    return { bytes, last: lastRow(bytes) };
  } catch (error) {
    fault = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    client.release(fault);
  }
}

/** Replaces doubled backslashes in place. Records contain no other character that COPY escapes. */
function unescaped(bytes: Buffer): Buffer {
  const first = bytes.indexOf(BACKSLASH);
  if (first < 0) return bytes;
  let to = first;
  for (let from = first; from < bytes.length; from++) {
    if (bytes[from] === BACKSLASH) from++;
    bytes[to++] = bytes[from];
  }
  return bytes.subarray(0, to);
}

function lastRow(bytes: Buffer): string | null {
  if (bytes.length === 0) return null;
  const start = bytes.lastIndexOf(LF, bytes.length - 2) + 1;
  return bytes.toString('latin1', start, bytes.indexOf(FIELD_SEPARATOR, start));
}

/** Label of the stored rows: `sample` if the sample is loaded. */
export async function labelOfRows(pool: Pool): Promise<SourceLabel> {
  const { rows } = await pool.query<{ label: SourceLabel }>(
    `select label from fec_import where kind <> 'reenrich' and state = 'done' order by id desc limit 1`,
  );
  return rows[0]?.label ?? 'official';
}
