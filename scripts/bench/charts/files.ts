import pg from 'pg';
import { COUNT_REASONS } from '@donorlens/campaign-finance';
import { copyOut } from '@donorlens/database';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { count, alternate, line, type Line, median, ratios, reportStep } from '../measure';
import { HEADERS } from '../../resilience/support/batch-client';
import { type RunningService } from '../service';

/** Opens a CSV file. */
type OpenFile = () => Promise<Readable>;

const CYCLES = [2022, 2024, 2026];

/** The record is split once per row: split_part for each of its cells takes twice the time. */
const CELLS = ITCONT_COLUMNS.map((_, at) => `cells[${at + 1}]`).join(', ');
const SHARES = ['white', 'black', 'api', 'aian', '2prace', 'hispanic'].map((of) => `(pct_${of} / 100.0)::float8`);
const REASONS = `('{${COUNT_REASONS.join()}}'::text[])`;

/** The columns of the endpoint's file, in the same order. These rows have no address. */
const SAME_COLUMNS = `
  select c.cycle, k.cand_id, ${CELLS}, age, gender, race, ${SHARES.join(', ')},
    l.fips, null, l.tract, l.block, null, encode(l.address_id, 'hex'), 'SKIPPED',
    (counts_money and not is_copy)::text, (counts_donor and not is_copy)::text,
    case when is_copy then 'earmark_copy' else ${REASONS}[count_reason + 1] end, r.release_id
  from contribution c
  cross join lateral (select string_to_array(c.record, chr(28)) as cells offset 0) parts
  left join (select cycle, cmte_id,
               string_agg(cand_id, ';' order by array_position('{P,A,J}', cmte_dsgn) nulls last, cand_id) as cand_id
             from chart_link group by 1, 2) k on k.cycle = c.cycle and k.cmte_id = c.committee_id
  left join location l using (address_key)
  left join enrichment_release r on r.no = c.release_no
  where c.cycle in (${CYCLES.join()}) order by c.cycle, c.committee_id, c.donor_key, c.row_id`;

/** @param raw - true: cells are not protected against spreadsheet formulas; COPY does not protect them either */
const endpoint =
  ({ url }: RunningService, raw: boolean): OpenFile =>
  async () => {
    const cycles = CYCLES.map((cycle) => `cycle=${cycle}`).join('&');
    const request = `${url}/data-charts/v1/contributions/search?${cycles}&raw=${raw}`;
    const headers = { ...HEADERS, 'accept-encoding': 'identity' };
    const [response] = (await once(get(request, { headers }), 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`${request}: ${response.statusCode}`);
    return response;
  };

const MAX_OF_COPY = 1.5;

/** Compares the endpoint that exports contributions as CSV with COPY of the same rows. */
export async function fileLines(service: RunningService, rounds: number): Promise<Line[]> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('set statement_timeout = 0');
    await client.query('vacuum analyze contribution');
    const copy: OpenFile = () => Promise.resolve(copyOut(client, `copy (${SAME_COLUMNS}) to stdout (format csv)`));
    const found = await reportStep('contributions as CSV: the files are compared', async () => [
      await digest(endpoint(service, true), 1),
      await digest(copy, 0),
    ]);
    if (found[0].sha256 !== found[1].sha256) throw new Error(`the files differ: ${JSON.stringify(found)}`);
    const variants = { donorlens: () => timed(endpoint(service, false)), copy: () => timed(copy) };
    const ms = await alternate(rounds, variants, 'contributions as CSV');
    const label = `contributions as CSV, ${count(found[0].rows)} rows`;
    const rates = (times: readonly number[]): number[] => times.map((each) => found[0].rows / each);
    const shown = (rate: number): string => `${count(Math.round(rate))}k rows/s`;
    const against = ratios(ms.donorlens, ms.copy);
    return [
      line({ what: `${label}: COPY of the same columns TO STDOUT, the baseline`, values: rates(ms.copy), shown }),
      line({
        what: `${label}: donorlens over HTTP, its time by that of COPY`,
        values: rates(ms.donorlens),
        ...{ shown, against, target: [`≤ ${MAX_OF_COPY}`, median(against) <= MAX_OF_COPY] },
      }),
    ];
  } finally {
    await client.end();
  }
}

/** Digest of all lines after the header, without the quotes that COPY writes for empty cells. */
async function digest(open: OpenFile, headerLines: number): Promise<{ rows: number; sha256: string }> {
  const hash = createHash('sha256');
  let lines = 0;
  for await (const row of createInterface({ input: await open(), crlfDelay: Infinity }))
    if (++lines > headerLines) hash.update(`${row.replace(/(?<=^|,)""(?=,|$)/g, '')}\n`);
  return { rows: lines - headerLines, sha256: hash.digest('hex') };
}

/** @returns milliseconds to the last byte */
async function timed(open: OpenFile): Promise<number> {
  const start = performance.now();
  await finished((await open()).resume());
  return performance.now() - start;
}
