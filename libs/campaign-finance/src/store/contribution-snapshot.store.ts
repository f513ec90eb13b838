import { type Pool, type PoolClient, type QueryResult, type QueryResultRow } from 'pg';
import { copyIn, inTransaction } from '@donorlens/database';
import { type FecOffice } from '@donorlens/primitives';
import { isCommitteeOf } from '../masters/committee-office.store';
import {
  SWAP_LOCK,
  addPartition,
  isPartition,
  lockForSwap,
  partitionOf,
  replacePartition,
} from './contribution-partition.store';
import { lockContributions } from './contribution-removal.store';
import { conduitMatches } from './conduit-matches.store';
import { COMPARED, STAGING_COLUMNS, list, releaseNumber, taken } from './contribution-staging.store';

/** work_mem for joins over a large cycle, which may use twice as much, and maintenance_work_mem for its indexes. */
const WORK_MEMORY = '64MB';
const INDEX_MEMORY = '128MB';
const UNIQUE_VIOLATION = '23505';

const DIFFERENCE = 'contribution_difference';
const STORED = ['cycle', 'row_id', ...COMPARED, 'release_no'];
/** 64-bit hash of all columns that an import writes, so that a hash join of two large tables carries no records. */
const content = (row: string): string => `hash_record_extended(row(${list(COMPARED, row)}), 0)`;
const sameRow = (one: string, other: string): string =>
  `${one}.cycle = ${other}.cycle and ${one}.row_id = ${other}.row_id`;

/** Columns of a table that must be the same as those of `contribution`, so that it can become a partition. */
const columnsOf = (table: string): string => `(
  select array_agg(row(attname, format_type(atttypid, atttypmod), attnotnull)::text order by attname)
  from pg_attribute where attrelid = ${table} and attnum > 0 and not attisdropped
    and attname not in ('row_no', 'reject_code'))`;

/**
 * Table of all rows of a bulk file, beside the live cycle, during an import. Workers append chunks without an index or
 * a conflict check, in the transaction that completes the chunk: a crash leaves either all rows of a chunk or none.
 *
 * Readers see the live cycle until the last transaction of the import. If the cycle has no row of its files yet, the
 * table replaces its partition. Otherwise the import writes the difference to the partition, which blocks no reader.
 */
export class ContributionSnapshot {
  readonly table: string;
  private readonly cycle: number;

  constructor(cycle: number) {
    this.cycle = Math.trunc(cycle);
    this.table = `${partitionOf(cycle)}_next`;
  }

  /**
   * Creates the empty table and drops tables that no import can use any more.
   * @param releaseId - data release that enriches all rows; null: no data release is active, and an import with rows
   *   fails
   */
  async create(client: PoolClient, releaseId: string | null): Promise<void> {
    const release = releaseId === null ? 'null' : await releaseNumber(client, releaseId);
    await removeAbandonedSnapshots(client);
    await this.remove(client);
    await client.query(`
      create table ${this.table} (like contribution including defaults) with (autovacuum_enabled = off);
      alter table ${this.table} add column row_no int, add column reject_code text,
        alter column release_no set default ${release}`);
  }

  /** Whether an import can resume with the table. After a migration of `contribution`, it lacks the new columns. */
  async isUsable(pool: Pool): Promise<boolean> {
    const { rows } = await pool.query<{ isUsable: boolean }>(
      `select coalesce(${columnsOf('to_regclass($1)')} = ${columnsOf(`'contribution'::regclass`)}, false) as "isUsable"`,
      [this.table],
    );
    return rows[0].isUsable;
  }

  async remove(client: Pool | PoolClient): Promise<void> {
    await client.query(`drop table if exists ${this.table}`);
  }

  /** Appends lines of COPY text, columns as STAGING_COLUMNS, without the rejects. @returns rows appended */
  append(client: PoolClient, copy: Buffer): Promise<number> {
    const columns = STAGING_COLUMNS.join(', ');
    return copyIn(client, `copy ${this.table} (${columns}) from stdin where reject_code is null`, copy);
  }

  /**
   * Removes repeated rows, marks copies and builds indexes after all chunks are stored, each in its own transaction.
   * A second run continues after the last completed transaction.
   * @returns number of rows; `isFirst`: the table may replace the partition
   */
  async complete(pool: Pool): Promise<{ readonly rows: number; readonly isFirst: boolean }> {
    const { table, cycle } = this;
    await this.addKey(pool);
    await queryWithoutTimeout(pool, `analyze ${table}`);
    const { rows } = await queryWithoutTimeout<{ rows: string; isFirst: boolean }>(
      pool,
      `select (select count(*) from ${table}) as rows, not exists (
         select from contribution c where c.cycle = ${cycle} and c.row_id > 0
           and (c.file_cycle = ${cycle} or exists (select from ${table} s where ${sameRow('s', 'c')}))) as "isFirst"`,
    );
    const [{ isFirst }] = rows;
    if (isFirst) {
      await queryWithoutTimeout(pool, MARK_COPIES(table));
      await this.addIndexes(pool);
    }
    return { rows: Number(rows[0].rows), isFirst };
  }

  /**
   * Finds new, changed and missing rows by a hash join of row ids and contents with the live cycles.
   * @param cycles - cycles that may have rows of this cycle's files
   * @param offices - rows of committees of other offices do not count as missing
   * @returns number of missing rows
   */
  async compare(client: PoolClient, cycles: readonly number[], offices: readonly FecOffice[]): Promise<number> {
    const ofCycles = `cycle = any (array[${cycles.map(Number).join(', ')}]::smallint[])`; // no parameters in CREATE TABLE AS
    await client.query(`
      set local work_mem = '${WORK_MEMORY}';
      create temp table ${DIFFERENCE} on commit drop as
        select coalesce(s.cycle, c.cycle) as cycle, coalesce(s.row_id, c.row_id) as row_id, c.committee_id,
          s.row_id is not null as is_filed, c.row_id is not null as is_live
        from (select cycle, row_id, ${content('s')} as content from ${this.table} s where ${ofCycles}) s
        full join (
          select cycle, row_id, committee_id, file_cycle, ${content('c')} as content
          from contribution c where ${ofCycles} and row_id > 0) c on ${sameRow('s', 'c')}
        where c.row_id is null or s.content <> c.content or (s.row_id is null and c.file_cycle = ${this.cycle})`);
    await client.query(
      `delete from ${DIFFERENCE} d
       where not is_filed and not ${isCommitteeOf('$1::text[]', 'd.committee_id', 'd.cycle')}`,
      [offices],
    );
    await client.query(`analyze ${DIFFERENCE}`);
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from ${DIFFERENCE} where not is_filed`,
    );
    return rows[0].n;
  }

  /** Writes the difference to the live cycles and touches its donors. It does not change addresses or `is_copy`. */
  async apply(client: PoolClient, cycles: readonly number[]): Promise<void> {
    const { table } = this;
    for (const cycle of cycles) await addPartition(client, cycle);
    await lockContributions(client, `(select cycle, row_id from ${DIFFERENCE} where is_live)`);
    await client.query(`
      insert into donor_touched (committee_id, cycle, donor_key)
        select c.committee_id, c.cycle, c.donor_key from ${DIFFERENCE} d join contribution c on ${sameRow('c', 'd')}
        union
        select s.committee_id, s.cycle, s.donor_key from ${DIFFERENCE} d join ${table} s on ${sameRow('s', 'd')};
      delete from contribution c using ${DIFFERENCE} d where not d.is_filed and ${sameRow('c', 'd')};
      update contribution c set ${taken([...COMPARED, 'release_no'], 's')}
        from ${DIFFERENCE} d join ${table} s on ${sameRow('s', 'd')} where d.is_live and ${sameRow('c', 'd')};
      insert into contribution (${list(STORED)})
        select ${list(STORED, 's')} from ${DIFFERENCE} d join ${table} s on ${sameRow('s', 'd')} where not d.is_live;
      drop table ${DIFFERENCE}`);
    await this.deleteMixedCycleRelease(client, cycles);
    await client.query(cycles.map((cycle) => `analyze ${partitionOf(cycle)}`).join('; '));
  }

  /**
   * Replaces the cycle's partition with the table. The caller has applied the rows of other cycles. Rows of filings and
   * of other cycles' files are copied to the table. Readers wait from the lock to the end of the transaction.
   * @returns false if the partition could not be locked; the caller then applies the rows
   */
  async swap(client: PoolClient, lock = SWAP_LOCK): Promise<boolean> {
    const { table, cycle } = this;
    await client.query(`
      set local work_mem = '${WORK_MEMORY}';
      delete from ${table} where cycle <> ${cycle};
      alter table ${table} add constraint ${table}_cycle check (cycle = ${cycle});
      insert into donor_touched (committee_id, cycle, donor_key)
        select distinct committee_id, cycle, donor_key from ${table}`);
    await this.deleteMixedCycleRelease(client, [cycle]);
    if (!(await lockForSwap(client, lock))) return false;
    if (await isPartition(client, partitionOf(cycle))) await this.takeOver(client, partitionOf(cycle));
    await client.query(`
      alter table ${table} drop column row_no, drop column reject_code, alter column release_no drop default,
        reset (autovacuum_enabled)`);
    await replacePartition(client, table, cycle);
    await client.query(`alter table ${partitionOf(cycle)} drop constraint ${table}_cycle`);
    return true;
  }

  private async takeOver(client: PoolClient, partition: string): Promise<void> {
    const { rows } = await client.query<{ columns: string }>(
      `select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
       where attrelid = 'contribution'::regclass and attnum > 0 and not attisdropped`,
    );
    const [{ columns }] = rows;
    await client.query(`insert into ${this.table} (${columns}) select ${columns} from ${partition}`);
  }

  /** A cycle with rows of several releases loses its entry; each of its rows stores the number of its own release. */
  private async deleteMixedCycleRelease(client: PoolClient, cycles: readonly number[]): Promise<void> {
    await client.query(
      `delete from cycle_enrichment
       where cycle = any ($1) and release_no <> (select release_no from ${this.table} limit 1)`,
      [cycles],
    );
  }

  private async addKey(pool: Pool): Promise<void> {
    const key = `${this.table}_pkey`;
    const { rows } = await pool.query<{ found: boolean }>('select to_regclass($1) is not null as found', [key]);
    if (rows[0].found) return;
    const add = `alter table ${this.table} add constraint ${key} primary key (cycle, row_id)`;
    try {
      await queryWithoutTimeout(pool, add);
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
      await queryWithoutTimeout(pool, `${REMOVE_REPEATED(this.table)}; ${add}`);
    }
  }

  /** Adds the indexes that every partition has. */
  private async addIndexes(pool: Pool): Promise<void> {
    const { rows } = await pool.query<{ name: string; definition: string }>(
      `select replace(relname, 'contribution_', $1) as name,
         substring(pg_get_indexdef(indexrelid) from ' USING .*') as definition
       from pg_index join pg_class on pg_class.oid = indexrelid
       where indrelid = 'contribution'::regclass and not indisprimary`,
      [`${this.table}_`],
    );
    for (const { name, definition } of rows)
      await queryWithoutTimeout(pool, `create index if not exists ${name} on ${this.table} ${definition}`);
  }
}

/** Keeps one row for each SUB_ID, independent of the order in which chunks were stored. Sorts repeated rows only. */
const REMOVE_REPEATED = (table: string): string => `
  delete from ${table} where ctid = any (array(
    select ctid from (
      select ctid, row_number() over (partition by cycle, row_id order by row_no desc, record desc) as place
      from ${table} where (cycle, row_id) in (
        select cycle, row_id from ${table} group by cycle, row_id having count(*) > 1)) numbered
    where place > 1))`;

/**
 * Marks conduits' rows whose gift is in the table. A refresh of the charts marks those whose gift is elsewhere. Without
 * the other indexes, a marked row takes a tenth of the time.
 */
const MARK_COPIES = (table: string): string => `
  with recursive ${conduitMatches(`${table} c`)}
  update ${table} s set is_copy = true
  from conduit_match m where ${sameRow('m', 's')} and not s.is_copy`;

const queryWithoutTimeout = <Row extends QueryResultRow>(pool: Pool, sql: string): Promise<QueryResult<Row>> =>
  inTransaction(
    pool,
    async (client) => {
      await client.query(`set local maintenance_work_mem = '${INDEX_MEMORY}'; set local work_mem = '${WORK_MEMORY}'`);
      return client.query<Row>(sql);
    },
    { statementTimeoutMs: 0 },
  );

/** Drops tables of cycles without an unfinished import; an import that started more than a day ago is not resumed. */
export async function removeAbandonedSnapshots(client: Pool | PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname ~ '^contribution_\\d{4}_next$'
       and not exists (
         select from fec_import i
         where i.kind = 'contributions' and i.state = 'loading' and i.started_at > now() - interval '1 day'
           and i.cycle = substring(relname from '\\d+')::int)`,
  );
  for (const { name } of rows) await client.query(`drop table ${name}`);
}
