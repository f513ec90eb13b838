import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/** Where ready rows go. */
export interface Floor {
  readonly table: string;
  /** Columns that tell its rows apart. */
  readonly key: string;
  /** What is to be done where a row is there; `t` is the twin. */
  readonly update: string;
}

/**
 * The floor of an idempotent store: ready rows from memory, through COPY into a temporary table and INSERT ... ON
 * CONFLICT into a twin of their table with its indexes, one connection, one transaction. Nothing is read, parsed,
 * enriched or counted there.
 * @param rows query for them, the columns of the table
 * @returns milliseconds
 */
export async function upsertFloorMs(databaseUrl: string, { table, key, update }: Floor, rows: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(
      `set statement_timeout = 0; drop table if exists bench_twin;
       create table bench_twin (like ${table} including all); create temp table bench_staging (like ${table})`,
    );
    const parts: Buffer[] = [];
    for await (const part of client.query(copyTo(`copy (${rows}) to stdout`))) parts.push(part as Buffer);
    await client.query('checkpoint');
    const start = performance.now();
    await client.query('begin');
    await pipeline(Readable.from(parts), client.query(copyFrom('copy bench_staging from stdin')));
    await client.query(
      `insert into bench_twin as t select * from bench_staging on conflict (${key}) do update set ${update}`,
    );
    await client.query('commit');
    const ms = performance.now() - start;
    await client.query('drop table bench_twin');
    return ms;
  } finally {
    await client.end();
  }
}
