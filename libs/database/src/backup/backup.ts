import { type ClientBase, escapeIdentifier } from 'pg';
import { copyOut } from '../copy';

/** First line of a backup, after `-- donorlens backup `. */
export interface BackupHeader {
  readonly format: 1;
  /** Number of the newest migration of the database. */
  readonly schema: number;
  /** ISO 8601, the database's clock. */
  readonly takenAt: string;
}

export const HEADER_PREFIX = '-- donorlens backup ';
export const ROWS_PREFIX = '-- rows ';
export const END_OF_COPY = '\\.';

/** Rows by table. */
export type RowCounts = Readonly<Record<string, number>>;

/** Tables of running processes, and of the migrations. `tablesOf` also leaves out snapshots of unfinished imports. */
const EXCLUDED = ['schema_migration', 'lease', 'process'];

interface Table {
  readonly name: string;
  /** `create table` of a partition; null for other tables, which migrations create. */
  readonly partition: string | null;
  readonly columns: string;
  /** Tables that its foreign keys refer to. */
  readonly references: readonly string[];
}

/**
 * All data of a database at one moment, as SQL that `psql` can also run in a migrated database: header, partitions, one
 * COPY per table, sequences, row counts, commit. Writers are not blocked.
 * @param client - not in a transaction; the backup holds one until its end
 */
export async function* writeBackup(client: ClientBase): AsyncGenerator<Buffer | string, RowCounts> {
  await client.query('begin isolation level repeatable read read only');
  try {
    await client.query('lock table contribution in access share mode'); // before the snapshot: partitions stay
    const tables = await tablesOf(client);
    yield `${HEADER_PREFIX}${JSON.stringify(await headerOf(client))}\n`;
    yield 'begin;\n';
    for (const { partition } of tables) if (partition !== null) yield `${partition};\n`;
    yield `truncate ${tables.map(({ name }) => escapeIdentifier(name)).join(', ')};\n`;
    const rows: Record<string, number> = {};
    for (const { name, columns } of tables) {
      const table = escapeIdentifier(name);
      yield `copy ${table} (${columns}) from stdin;\n`;
      const copy = copyOut(client, `copy ${table} (${columns}) to stdout`);
      yield* copy as AsyncIterable<Buffer>;
      yield `${END_OF_COPY}\n`;
      rows[name] = (copy as unknown as { rowCount: number }).rowCount;
    }
    for (const statement of await sequencesOf(client)) yield `${statement};\n`;
    yield `${ROWS_PREFIX}${JSON.stringify(rows)}\n`;
    yield 'commit;\n';
    return rows;
  } finally {
    await client.query('rollback');
  }
}

async function headerOf(client: ClientBase): Promise<BackupHeader> {
  const { rows } = await client.query<{ schema: number; at: Date }>(
    'select max(number) as schema, now() as at from schema_migration',
  );
  return { format: 1, schema: rows[0].schema, takenAt: rows[0].at.toISOString() };
}

async function tablesOf(client: ClientBase): Promise<readonly Table[]> {
  const { rows } = await client.query<Table>(
    `select c.relname as name,
       case when c.relispartition then format('create table if not exists %I partition of %I %s', c.relname,
         parent.relname, pg_get_expr(c.relpartbound, c.oid)) end as partition,
       (select string_agg(quote_ident(attname), ', ' order by attnum) from pg_attribute
        where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns,
       array(select f.confrelid::regclass::text from pg_constraint f
         where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as references
     from pg_class c
     left join pg_inherits i on i.inhrelid = c.oid
     left join pg_class parent on parent.oid = i.inhparent
     where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relpersistence = 'p'
       and c.relname <> all ($1) and c.relname !~ '^contribution_\\d+_next$'
     order by c.relname`,
    [EXCLUDED],
  );
  return inLoadOrder(rows);
}

/** Tables after those that their foreign keys refer to. */
function inLoadOrder(tables: readonly Table[]): readonly Table[] {
  const seen = new Set<Table>();
  const ordered: Table[] = [];
  const add = (table: Table): void => {
    if (seen.has(table)) return;
    seen.add(table);
    tables.filter(({ name }) => table.references.includes(name)).forEach(add);
    ordered.push(table);
  };
  tables.forEach(add);
  return ordered;
}

async function sequencesOf(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('select setval(%L, %s)', quote_ident(sequencename), last_value) as statement
     from pg_sequences where schemaname = current_schema() and last_value is not null order by sequencename`,
  );
  return rows.map(({ statement }) => statement);
}
