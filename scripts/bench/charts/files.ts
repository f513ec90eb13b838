import pg from 'pg';
import QueryStream from 'pg-query-stream';
import { CONTRIBUTION_FILE_COLUMNS, COUNT_REASONS } from '@donorlens/campaign-finance';
import { copyOut } from '@donorlens/database';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { stringify } from 'csv-stringify';
import { COPY_COLUMNS } from '../../../libs/campaign-finance/src/reading/contribution-copy.store';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { type Readable } from 'node:stream';
import { count, alternate, line, type Line, median, ratios, saying } from '../measure';
import { KEY, type RunningService } from '../service';

/** The bytes of a file by one method, without its first line where `hasHeader` is false. */
export interface FileMethod {
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
export function endpoint({ url }: RunningService, raw: boolean): FileMethod {
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
export const byCursor = (client: pg.Client): FileMethod => ({
  hasHeader: false,
  async run(read) {
    const rows = client.query(new QueryStream(SAME_COLUMNS, [], { rowMode: 'array', batchSize: FETCHED_ROWS }));
    const csv = stringify();
    rows.once('error', (error) => csv.destroy(error));
    await read(rows.pipe(csv));
  },
});

/** What the database alone can do. */
export const byCopy = (client: pg.Client): FileMethod => ({
  hasHeader: false,
  run: (read) => read(copyOut(client, `copy (${SAME_COLUMNS}) to stdout (format csv)`)),
});

/** What is stored, not taken apart: the endpoint reads this too, and makes the cells of it. */
export const byCopyAsStored = (client: pg.Client): FileMethod => ({
  hasHeader: false,
  run: (read) =>
    read(
      copyOut(
        client,
        `copy (select ${COPY_COLUMNS} from contribution where ${orderedOf('contribution')}) to stdout (null '')`,
      ),
    ),
});

export const HEADER = `${CONTRIBUTION_FILE_COLUMNS.join(',')}\n`;

const OF_CURSOR = 5;
const OF_COPY = 1.5;
const LF = 10;

interface Read {
  readonly lines: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Contributions as a CSV file: the endpoint, and others who give the same bytes. */
export async function fileLines(service: RunningService, rounds: number): Promise<Line[]> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('vacuum analyze contribution');
    const methods = { raw: endpoint(service, true), cursor: byCursor(client), copy: byCopy(client) };
    const [ours, ...others] = await saying('contributions as CSV: the files are compared', async () => {
      const found: Read[] = [];
      for (const method of Object.values(methods)) found.push(await digest(method));
      return found;
    });
    for (const other of others)
      if (other.sha256 !== ours.sha256) throw new Error(`another file: ${JSON.stringify([ours, ...others])}`);
    const turns = {
      donorlens: () => timed(endpoint(service, false)),
      cursor: () => timed(methods.cursor),
      copy: () => timed(methods.copy),
      stored: () => timed(byCopyAsStored(client)),
    };
    return lines(ours.lines - 1, await alternate(rounds, turns, 'contributions as CSV'));
  } finally {
    await client.end();
  }
}

/** Its whole text, with nothing between the commas of an empty cell: COPY puts two quotes there. */
async function digest(method: FileMethod): Promise<Read> {
  const hash = createHash('sha256');
  let [lines, bytes] = [0, 0];
  const take = (text: string): void => {
    const plain = Buffer.from(text.replace(/(?<=^|,)""(?=,|$)/gm, ''));
    for (let at = plain.indexOf(LF); at !== -1; at = plain.indexOf(LF, at + 1)) lines++;
    bytes += plain.length;
    hash.update(plain);
  };
  if (!method.hasHeader) take(HEADER);
  await method.run(async (pieces) => {
    let rest = Buffer.alloc(0);
    for await (const piece of pieces as AsyncIterable<Buffer>) {
      const whole = Buffer.concat([rest, piece]);
      const end = whole.lastIndexOf(LF) + 1;
      take(whole.toString('utf8', 0, end));
      rest = whole.subarray(end);
    }
    take(rest.toString());
  });
  return { lines, bytes, sha256: hash.digest('hex') };
}

/** To the last byte. @returns milliseconds */
async function timed(method: FileMethod): Promise<number> {
  const start = performance.now();
  await method.run(async (pieces: Readable) => {
    for await (const piece of pieces) void piece;
  });
  return performance.now() - start;
}

function lines(
  rows: number,
  ms: Readonly<Record<'donorlens' | 'cursor' | 'copy' | 'stored', readonly number[]>>,
): Line[] {
  const rates = (times: readonly number[]): number[] => times.map((each) => rows / each);
  const shown = (rate: number): string => `${count(Math.round(rate))}k rows/s`;
  const label = `contributions as CSV, ${count(rows)} rows`;
  const ofCopy = ratios(ms.donorlens, ms.copy);
  const ofCursor = ratios(ms.cursor, ms.donorlens);
  return [
    line({ what: `${label}: COPY of the same columns TO STDOUT, the baseline`, values: rates(ms.copy), shown }),
    line({
      what: `${label}: donorlens over HTTP, its time by that of COPY`,
      values: rates(ms.donorlens),
      shown,
      against: ofCopy,
      target: [`≤ ${OF_COPY}`, median(ofCopy) <= OF_COPY],
    }),
    line({
      what: `${label}: pg-query-stream and csv-stringify, its time by ours`,
      values: rates(ms.cursor),
      shown,
      against: ofCursor,
      target: [`≥ ${OF_CURSOR}`, median(ofCursor) >= OF_CURSOR],
    }),
    line({
      what: `${label}: COPY of what is stored, the cells of a row in one text; our time by that`,
      values: rates(ms.stored),
      shown,
      against: ratios(ms.donorlens, ms.stored),
    }),
  ];
}
