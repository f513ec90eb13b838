import { get } from 'node:http';
import { once } from 'node:events';
import { type Readable } from 'node:stream';
import { type IncomingMessage } from 'node:http';
import { stringify } from 'csv-stringify';
import type pg from 'pg';
import QueryStream from 'pg-query-stream';
import { CONTRIBUTION_FILE_COLUMNS, COUNT_REASONS } from '@donorlens/campaign-finance';
import { copyOut } from '@donorlens/database';
import { ITCONT_COLUMNS } from '@donorlens/primitives';
import { WRITTEN_COLUMNS } from '../../../libs/campaign-finance/src/reading/written-columns';
import { KEY, type RunningService } from '../service';

/** The bytes of a file by one road, without its first line where `hasHeader` is false. */
export interface FileRoad {
  readonly hasHeader: boolean;
  /** @param read takes the bytes to their end */
  run(read: (bytes: Readable) => Promise<void>): Promise<void>;
}

const CYCLES = [2022, 2024, 2026];
const orderedOf = (table: string): string =>
  `${table}.cycle in (${CYCLES.join()})
   order by ${table}.cycle, ${table}.committee_id, ${table}.donor_key, ${table}.row_id`;
const FETCHED_ROWS = 1_000;

/** The record is taken apart once a row: split_part for each of its cells took twice the time. */
const CELLS = ITCONT_COLUMNS.map((_, at) => `cells[${at + 1}]`).join(', ');
const SHARES = ['white', 'black', 'api', 'aian', '2prace', 'hispanic'].map((of) => `(pct_${of} / 100.0)::float8`);
const REASONS = `('{${COUNT_REASONS.join()}}'::text[])`;

/** The columns of the endpoint's file in its order. None of these rows has an address. */
const SAME_COLUMNS = `
  select c.cycle, k.cand_id, ${CELLS}, age, gender, race, ${SHARES.join(', ')},
    l.fips, null, l.tract, l.block, null, encode(l.address_id, 'hex'), 'SKIPPED',
    (counts_money and not is_copy)::text, (counts_donor and not is_copy)::text,
    case when is_copy then 'earmark_copy' else ${REASONS}[count_reason + 1] end, r.release_id
  from contribution c
  cross join lateral (select string_to_array(c.record, chr(28)) as cells offset 0) parts
  left join (select distinct on (cycle, cmte_id) cycle, cmte_id, cand_id from chart_link
             order by cycle, cmte_id, array_position('{P,A,J}', cmte_dsgn) nulls last, cand_id) k
    on k.cycle = c.cycle and k.cmte_id = c.committee_id
  left join location l using (address_key)
  left join enrichment_release r on r.no = c.release_no
  where ${orderedOf('c')}`;

/** @param raw leaves text as it is that a spreadsheet would run as a formula: others do */
export function endpoint({ url }: RunningService, raw: boolean): FileRoad {
  const cycles = CYCLES.map((cycle) => `cycle=${cycle}`).join('&');
  const asked = `${url}/data-charts/v1/contributions/search?${cycles}&raw=${raw}`;
  const headers = { authorization: `Bearer ${KEY}`, 'accept-encoding': 'identity' };
  return {
    hasHeader: true,
    async run(read) {
      const [response] = (await once(get(asked, { headers }), 'response')) as [IncomingMessage];
      if (response.statusCode !== 200) throw new Error(`${asked}: ${response.statusCode}`);
      await read(response);
    },
  };
}

/** The usual way to a CSV of a query. */
export const byCursor = (client: pg.Client): FileRoad => ({
  hasHeader: false,
  async run(read) {
    const rows = client.query(new QueryStream(SAME_COLUMNS, [], { rowMode: 'array', batchSize: FETCHED_ROWS }));
    const csv = stringify();
    rows.once('error', (error) => csv.destroy(error));
    await read(rows.pipe(csv));
  },
});

/** What the database alone can do. */
export const byCopy = (client: pg.Client): FileRoad => ({
  hasHeader: false,
  run: (read) => read(copyOut(client, `copy (${SAME_COLUMNS}) to stdout (format csv)`)),
});

/** What is stored, not taken apart: the endpoint reads this too, and makes the cells of it. */
export const byCopyAsStored = (client: pg.Client): FileRoad => ({
  hasHeader: false,
  run: (read) =>
    read(
      copyOut(
        client,
        `copy (select ${WRITTEN_COLUMNS} from contribution where ${orderedOf('contribution')}) to stdout (null '')`,
      ),
    ),
});

export const HEADER = `${CONTRIBUTION_FILE_COLUMNS.join(',')}\n`;
