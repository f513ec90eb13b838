import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';

/** A file, column or answer, with its whole text. */
export interface SearchedText {
  readonly name: string;
  readonly text: string;
}

/** Every column of every table as text, as a dump of the database would hold it. */
export async function columnsOf(databaseUrl: string): Promise<readonly SearchedText[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema: string; table: string; column: string }>(
      `select table_schema as schema, table_name as table, column_name as column
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
         and table_name <> 'data_release_part' -- and no partition, whose rows are those of its table
         and not (select relispartition from pg_class where oid = format('%I.%I', table_schema, table_name)::regclass)`,
    );
    const places: SearchedText[] = [];
    for (const { schema, table, column } of rows) {
      const { rows: texts } = await client.query<{ text: string | null }>(
        `select string_agg("${column}"::text, e'\\n') as text from "${schema}"."${table}"`,
      );
      places.push({ name: `${table}.${column}`, text: texts[0].text ?? '' });
    }
    return places;
  } finally {
    await client.end();
  }
}

/** Files below a folder. Files that a running server deletes meanwhile are skipped. */
export function filesBelow(folder: string, leftOut: RegExp = /^$/): readonly SearchedText[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !leftOut.test(name))
    .flatMap((name) => {
      try {
        const file = join(folder, name);
        return statSync(file).isFile() ? [{ name, text: readFileSync(file, 'latin1') }] : [];
      } catch {
        return [];
      }
    });
}

/**
 * Records all commands that a Redis receives. It reads its own connection, because ioredis takes lines that arrive with
 * the answer to MONITOR for answers to other commands.
 */
export class RedisMonitor {
  private readonly pieces: Buffer[] = [];

  private constructor(private readonly connection: Socket) {
    connection.on('data', (piece: Buffer) => this.pieces.push(piece));
  }

  static async start(url: string): Promise<RedisMonitor> {
    const { hostname, port, password } = new URL(url);
    const watch = new RedisMonitor(connect({ host: hostname, port: Number(port) }));
    watch.connection.write(`AUTH ${password}\r\nMONITOR\r\n`);
    while (!watch.text.startsWith('+OK\r\n+OK\r\n')) {
      await once(watch.connection, 'data');
      if (watch.text.startsWith('-')) throw new Error(watch.text);
    }
    return watch;
  }

  get text(): string {
    return Buffer.concat(this.pieces).toString('latin1').replaceAll('\\"', '"');
  }

  stop(): void {
    this.connection.destroy();
  }
}
