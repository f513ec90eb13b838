import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { type Service, KEY } from './service';

/** Where what clients sent may stand: their items as sent, and while they wait their chunks and addresses. */
const ALLOWED = new Set(['result.source', 'chunk.input', 'geocode_address.street', 'geocode_address.city']);

/** Coordinates of the United States in decimal degrees; a time of day has a colon before its seconds. */
const COORDINATE = /(?<![\d.:])-?(?:\d{2}|1[0-7]\d)\.\d{4,}(?!\d*[+Z])/;
/** Streets of the tests' addresses, and of the sample's filings. */
const STREET = /zwickelmoor|\b\d{1,4} (?:main st|oak ave|2nd st apt 4|elm dr)\b/i;

/**
 * Places where a coordinate, a street or an access key stands that must not be there: table and column, or file.
 * @param streets  more of them, as they were sent
 */
export async function leaksIn(service: Service, streets: readonly string[] = []): Promise<string[]> {
  const files = filesBelow(join(service.home, 'logs')).concat(filesBelow(join(service.home, 'redis')));
  const texts = [
    ...(await columnsOf(service.run().databaseUrl)),
    ...files.map((file) => [file, readFileSync(file, 'latin1')] as const),
    ['output of the service', service.output] as const,
  ];
  const secret = readFileSync(join(service.home, 'address-secret'), 'utf8').trim();
  return texts.flatMap(([place, text]) => leaksOf(text, place, secret, streets));
}

function leaksOf(text: string, place: string, secret: string, streets: readonly string[]): string[] {
  const found: string[] = [];
  if (text.includes(KEY)) found.push(`${place}: the key`);
  if (text.includes(secret)) found.push(`${place}: the secret of addresses`);
  if (ALLOWED.has(place)) return found;
  const coordinate = COORDINATE.exec(text);
  if (coordinate) found.push(`${place}: ${text.slice(Math.max(0, coordinate.index - 30), coordinate.index + 30)}`);
  if (STREET.test(text) || streets.some((street) => text.includes(street))) found.push(`${place}: a street`);
  return found;
}

/** Every column of every table as text, as a dump of the database would hold it. */
async function columnsOf(databaseUrl: string): Promise<[string, string][]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ schema: string; table: string; column: string }>(
      `select table_schema as schema, table_name as table, column_name as column
       from information_schema.columns join information_schema.tables using (table_schema, table_name)
       where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')
         and table_name <> 'data_release_part'`,
    );
    const columns: [string, string][] = [];
    for (const { schema, table, column } of rows) {
      const texts = await client.query<{ text: string | null }>(
        `select string_agg("${column}"::text, e'\\n') as text from "${schema}"."${table}"`,
      );
      columns.push([`${table}.${column}`, texts.rows[0].text ?? '']);
    }
    return columns;
  } finally {
    await client.end();
  }
}

const filesBelow = (folder: string): string[] =>
  (existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [])
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile());
