import { type Pool } from 'pg';

const TABLES = `
  select c.oid::text as oid, c.relname as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind in ('r', 'p') and c.relname <> 'schema_migration'
  order by c.relname`;

const COLUMNS = `
  select format('%s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull then ' not null' else '' end,
    coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) as line
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = $1::oid and a.attnum > 0 and not a.attisdropped
  order by a.attnum`;

// Since Postgres 18, NOT NULL is a separate constraint; here it is part of the column.
const CONSTRAINTS = `
  select format('constraint %s %s', conname, pg_get_constraintdef(oid)) as line
  from pg_constraint where conrelid = $1::oid and contype <> 'n'
  order by contype desc, conname`;

const STORAGE = `
  select format('alter table %s alter column %s set storage external;', $1::oid::regclass, a.attname) as line
  from pg_attribute a
  where a.attrelid = $1::oid and a.attnum > 0 and a.attstorage = 'e'
  order by a.attnum`;

const INDEXES = `
  select replace(pg_get_indexdef(i.indexrelid), ' ON public.', ' ON ') || ';' as line
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = $1::oid and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.conrelid = i.indrelid)
  order by c.relname`;

/** The current schema from the catalog, in a fixed order: the same text for every supported Postgres. */
export async function dumpSchema(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ oid: string; name: string }>(TABLES);
  const tables: string[] = [];
  for (const { oid, name } of rows) {
    const [columns, constraints, storage, indexes] = [
      await lines(pool, COLUMNS, oid),
      await lines(pool, CONSTRAINTS, oid),
      await lines(pool, STORAGE, oid),
      await lines(pool, INDEXES, oid),
    ];
    const body = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n');
    tables.push([`create table ${name} (\n${body}\n);`, ...storage, ...indexes].join('\n'));
  }
  return `${tables.join('\n\n')}\n`;
}

async function lines(pool: Pool, sql: string, oid: string): Promise<readonly string[]> {
  const { rows } = await pool.query<{ line: string }>(sql, [oid]);
  return rows.map(({ line }) => line);
}
