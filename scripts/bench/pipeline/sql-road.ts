import { type Client } from 'pg';
import { ITCONT_COLUMNS } from '@donorlens/primitives';
import { copyIn } from '@donorlens/database';
import { type LookUpTables } from './look-up-tables';
import { FIRST_SUB_ID } from './made-up-file';
import { BATCH_ID, type Road, piecesOf } from './roads';

const STAGING = 'bench_lines';
const PARALLEL = `
  set work_mem = '256MB'; set maintenance_work_mem = '256MB'; set max_parallel_workers_per_gather = 2;
  set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0`;

/** The best that SQL was seen to do: the text by COPY, then one parallel CREATE TABLE AS with hash joins, then the indexes. */
export class SqlRoad implements Road {
  static readonly DROP = `drop table bench_first, bench_surname, ${STAGING}`;
  readonly name = 'SQL: COPY of the file, parallel CREATE TABLE AS with joins, indexes';

  constructor(
    private readonly client: Client,
    private readonly file: string,
  ) {}

  async prepare({ firstNames, surnames }: LookUpTables): Promise<void> {
    const { client } = this;
    await client.query(
      `create table bench_first (name text, gender text, days int[], ages smallint[]);
       create table bench_surname (census smallint, name text, race text, white smallint, black smallint, api smallint,
                                   aian smallint, two smallint, hispanic smallint);
       create unlogged table ${STAGING} (${ITCONT_COLUMNS.map((column) => `${column} text`).join(', ')})`,
    );
    await copyIn(client, 'copy bench_first from stdin', firstNames);
    await copyIn(client, 'copy bench_surname from stdin', surnames);
    await client.query(`analyze bench_first; analyze bench_surname; ${PARALLEL}`);
  }

  async run(table: string): Promise<void> {
    const { client } = this;
    await client.query(`drop table ${table}; truncate ${STAGING}`);
    await copyIn(client, `copy ${STAGING} from stdin (delimiter '|')`, piecesOf(this.file));
    await client.query(`analyze ${STAGING} (name)`);
    await client.query(`create table ${table} as ${SELECT}`);
    await client.query(`alter table ${table} alter batch_id set not null, alter row_no set not null,
                          alter outcome set not null, add primary key (batch_id, row_no);
                        create index on ${table} (batch_id, row_no) where outcome in (3, 4)`);
  }
}

const SOURCE = ITCONT_COLUMNS.map((column) => (column === 'NAME' ? `'"', l.name, '",'` : `l.${column}, ','`))
  .join(', ')
  .replace(/, ','$/, '');
const DAY = `make_date(substr(l.transaction_dt, 5)::int, substr(l.transaction_dt, 1, 2)::int,
                       substr(l.transaction_dt, 3, 2)::int)`;
const SELECT = `
  select '${BATCH_ID}'::uuid as batch_id, (l.sub_id::bigint - ${FIRST_SUB_ID})::int as row_no,
         (case when f.name is null and s.name is null then 2 else 0 end)::smallint as outcome,
         null::text as error_code, concat(${SOURCE}) as source,
         f.ages[width_bucket(${DAY} - date '1970-01-01', f.days)] as age, f.gender, s.race,
         s.white as pct_white, s.black as pct_black, s.api as pct_api, s.aian as pct_aian, s.two as pct_2prace,
         s.hispanic as pct_hispanic, null::text as fips, null::int as hh_income_median, null::bytea as address_key
  from ${STAGING} l
  left join bench_first f on f.name = split_part(split_part(l.name, ', ', 2), ' ', 1)
  left join bench_surname s on s.name = split_part(l.name, ',', 1)
    and s.census = case when substr(l.transaction_dt, 5) <= '2005' then 2000 else 2010 end`;
