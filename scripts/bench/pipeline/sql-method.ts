import { copyIn } from '@donorlens/database';
import { raceAt, type SurnameTable } from '@donorlens/demographics';
import { type CivilDay } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { createReadStream } from 'node:fs';
import { type Client } from 'pg';
import { FIRST_SUB_ID, type SyntheticItcont } from '../../../test/support/bench-data/synthetic-itcont';

/** Reads a file into a table with the columns and indexes of `result`. */
export interface Method {
  /** @param table - empty; a method may replace it with its own table that has the same indexes */
  run(table: string): Promise<void>;
}

export const BATCH_ID = '00000000-0000-4000-8000-000000000001';
const READ_BYTES = 256 * 1024;

export const piecesOf = (file: string): AsyncIterable<Buffer> => createReadStream(file, { highWaterMark: READ_BYTES });

/** The baseline: COPY of the finished rows from a file. */
export const bareCopy = (client: Client, file: string): Method => ({
  async run(table) {
    await copyIn(client, `copy ${table} from stdin`, piecesOf(file));
  },
});

/** Lookup tables for the joins of the SQL method, as COPY text. They are computed beforehand and not timed. */
export interface LookUpTables {
  /** Columns: first name as in the file, its number, gender, days on which the age changes, age from each day on. */
  readonly firstNames: Buffer;
  /** Columns: Census year, surname, race, the six shares. */
  readonly surnames: Buffer;
}

const NULL = '\\N';

/** First names are limited to those in the file, so that the tables of the SQL method are small. */
export function lookUpTables({ demographics, tables }: Release, { donors }: SyntheticItcont): LookUpTables {
  const days = donors.map(({ day }) => day);
  const [from, to] = [days.reduce((a, b) => Math.min(a, b)), days.reduce((a, b) => Math.max(a, b))];
  const firstNames = [...new Set(donors.map(({ given }) => given))].map((given) => {
    const name = demographics.ages.nameIndex(given);
    if (name < 0) return '';
    const [on, ages] = steps((day) => demographics.ages.ageAt(name, day), from, to);
    return `${given}\t${name}\t${demographics.ages.genderOf(name, to) ?? NULL}\t{${on.join()}}\t{${ages.join()}}\n`;
  });
  return {
    firstNames: Buffer.from(firstNames.join('')),
    surnames: Buffer.from([tables.surnames2000, tables.surnames2010].map(surnamesOf).join('')),
  };
}

function steps(ageAt: (on: CivilDay) => number, from: CivilDay, to: CivilDay): [number[], (number | 'NULL')[]] {
  const days: number[] = [];
  const ages: (number | 'NULL')[] = [];
  for (let on = from; on <= to; on++) {
    const age = ageAt(on);
    const shown = age < 0 ? 'NULL' : age;
    if (shown === ages.at(-1)) continue;
    days.push(on);
    ages.push(shown);
  }
  return [days, ages];
}

function surnamesOf(table: SurnameTable): string {
  let text = '';
  for (let i = 0; i < table.names.size; i++) {
    const shares = table.pct.subarray(6 * i, 6 * i + 6).join('\t');
    text += `${table.census}\t${table.names.keyAt(i)}\t${raceAt(table, i) ?? NULL}\t${shares}\n`;
  }
  return text;
}

const STAGING = 'bench_lines';
const PARALLEL = `
  set work_mem = '256MB'; set maintenance_work_mem = '256MB'; set max_parallel_workers_per_gather = 2;
  set parallel_setup_cost = 0; set parallel_tuple_cost = 0; set min_parallel_table_scan_size = 0`;

/** The fastest SQL found: COPY of the text, one parallel CREATE TABLE AS with hash joins, then the indexes. */
export class SqlMethod implements Method {
  static readonly DROP = `drop table bench_first, bench_surname, ${STAGING}`;

  constructor(
    private readonly client: Client,
    private readonly file: string,
  ) {}

  async prepare({ firstNames, surnames }: LookUpTables): Promise<void> {
    const { client } = this;
    await client.query(
      `create table bench_first (name text, position int, gender text, days int[], ages smallint[]);
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
         f.ages[width_bucket(${DAY} - date '1970-01-01', f.days)] as age,
         case when l.name like '% MR.' then 'm' else f.gender end as gender, s.race, s.white as pct_white,
         s.black as pct_black, s.api as pct_api, s.aian as pct_aian, s.two as pct_2prace, s.hispanic as pct_hispanic,
         null::text as fips, null::int as hh_income_median, null::bytea as address_key,
         f.position as first_name, ${DAY} - date '1970-01-01' as given_day
  from ${STAGING} l
  left join bench_first f on f.name = split_part(split_part(l.name, ', ', 2), ' ', 1)
  left join bench_surname s on s.name = split_part(l.name, ',', 1)
    and s.census = case when substr(l.transaction_dt, 5) <= '2005' then 2000 else 2010 end`;
