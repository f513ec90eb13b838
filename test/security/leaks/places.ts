import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { Client } from 'pg';

/** A place to look at, with all the text that is there. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** Every column of every table as text, as a dump of the database would hold it. */
export async function columnsOf(databaseUrl: string): Promise<readonly Place[]> {
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
    const places: Place[] = [];
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

/** Files below a folder. Those of running servers come and go. */
export function filesBelow(folder: string, leftOut: RegExp = /^$/): readonly Place[] {
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

/** All that anybody sends to a Redis from now on. */
export class RedisWatch {
  private readonly pieces: string[] = [];

  private constructor(
    private readonly redis: Redis,
    private readonly watching: Redis,
  ) {}

  static async start(url: string): Promise<RedisWatch> {
    const redis = new Redis(url);
    const watch = new RedisWatch(redis, await redis.monitor());
    watch.watching.on('monitor', (_time: string, args: readonly string[]) => watch.pieces.push(args.join(' ')));
    return watch;
  }

  get text(): string {
    return this.pieces.join('\n');
  }

  stop(): void {
    this.watching.disconnect();
    this.redis.disconnect();
  }
}
