import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type Client } from 'pg';
import { RESULT_COLUMNS } from '@donorlens/batches';
import { copyIn } from '@donorlens/database';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { FIRST_SUB_ID } from '../../../test/support/bench-data/synthetic-itcont';
import { BATCH_ID, type LookUpTables, type Method, piecesOf } from './sql-method';

/** DuckDB with two threads: reads, joins and writes COPY's text into a pipe, which is read into COPY meanwhile. */
export class DuckMethod implements Method {
  private duck: DuckDBConnection;
  private readonly pipe: string;

  constructor(
    private readonly client: Client,
    private readonly file: string,
  ) {
    this.pipe = `${file}.pipe`;
  }

  async prepare({ firstNames, surnames }: LookUpTables): Promise<void> {
    this.duck = await (await DuckDBInstance.create(':memory:', { threads: '2' })).connect();
    await this.duck.run('set preserve_insertion_order = false');
    await this.load('first', { name: 'varchar', gender: 'varchar', days: 'int[]', ages: 'smallint[]' }, firstNames);
    const shares = Object.fromEntries(SHARES.map((share) => [share, 'smallint']));
    await this.load('surname', { census: 'smallint', name: 'varchar', race: 'varchar', ...shares }, surnames);
    rmSync(this.pipe, { force: true });
    execFileSync('mkfifo', [this.pipe]);
  }

  /** Lists are written with braces for Postgres. */
  private async load(table: string, types: Readonly<Record<string, string>>, text: Buffer): Promise<void> {
    const file = `${this.file}.${table}`;
    await writeFile(file, text);
    const names = Object.keys(types);
    const cells = names.map((name) => `translate(${name}, '{}', '[]')::${types[name]} as ${name}`);
    await this.duck.run(
      `create table ${table} as select ${cells.join(', ')} from read_csv('${file}', ${TEXT.replace('DELIM', '\t')},
         columns = {${names.map((name) => `'${name}': 'VARCHAR'`).join(', ')}})`,
    );
  }

  async run(table: string): Promise<void> {
    const written = this.duck.run(
      `copy (${select(this.file)}) to '${this.pipe}' (format csv, delimiter '\t', quote '', escape '', nullstr '\\N', header false)`,
    );
    await Promise.all([
      written,
      copyIn(this.client, `copy ${table} (${RESULT_COLUMNS.join(', ')}) from stdin`, piecesOf(this.pipe)),
    ]);
  }
}

const SHARES = ['white', 'black', 'api', 'aian', 'two', 'hispanic'];
const SOURCE = ITCONT_COLUMNS.map((column) => (column === 'NAME' ? `'"' || l.NAME || '"'` : `l.${column}`)).join(
  ` || ',' || `,
);
/** As Postgres writes it, without a byte that it escapes. */
const TEXT = `delim = 'DELIM', quote = '', escape = '', header = false, nullstr = '\\N', auto_detect = false`;
const columns = `{${ITCONT_COLUMNS.map((column) => `'${column}': 'VARCHAR'`).join(', ')}}`;
const select = (file: string): string => `
  select '${BATCH_ID}', (l.SUB_ID::bigint - ${FIRST_SUB_ID})::int,
         case when f.name is null and s.name is null then 2 else 0 end, null, ${SOURCE},
         f.ages[len(list_filter(f.days, lambda day: day <= l.day))], f.gender, s.race,
         s.white, s.black, s.api, s.aian, s.two, s.hispanic, null, null, null, null, null
  from (
    select *, make_date(TRANSACTION_DT[5:8]::int, TRANSACTION_DT[1:2]::int, TRANSACTION_DT[3:4]::int) - date '1970-01-01' as day,
           split_part(NAME, ',', 1) as surname, split_part(split_part(NAME, ', ', 2), ' ', 1) as given,
           case when TRANSACTION_DT[5:8] <= '2005' then 2000 else 2010 end as census
    from read_csv('${file}', ${TEXT.replace('DELIM', '|')}, columns = ${columns})
  ) l
  left join first f on f.name = l.given
  left join surname s on s.name = l.surname and s.census = l.census`;
