import { ChartVersionWatch } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { parse } from 'csv-parse/sync';
import { type Pool } from 'pg';
import { ANA, OF_ANA, storeCampaign } from '../../../../test/support/fec-data/campaign';
import { storeFiledContributions } from '../../../../test/support/fec-data/filed-contributions';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { readParquet, readSheet } from '../../../../test/support/reference-data/table-files';

type Cell = string | number | boolean | null;
const PARQUET = 'application/vnd.apache.parquet';
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const CSV =
  'first_name,last_name,date,zip,AGE\nMary,Garcia,2016-10-01,01001,=1\nQqqqqx,"Smith, Jr",2016-10-01,,x\nMary,G,never,,\n';

describe('tables as Parquet and spreadsheets', () => {
  let api: RunningApi;
  let results: string;
  beforeAll(async () => {
    api = await runningApi();
    const pool = api.app.get<Pool>(PG_POOL);
    await storeCampaign(pool);
    await pool.query(`insert into enrichment_release (release_id) values ('release-1')`);
    const cells = { NAME: 'MADEUP, "ANA"', EMPLOYER: '=1', TRANSACTION_AMT: '-25.5', SUB_ID: '9', ZIP_CODE: '01001' };
    const row = { cycle: 2020, committeeId: OF_ANA, donorKey: '1', receivedOn: '2020-02-29' };
    await storeFiledContributions(pool, [{ ...row, rowId: '9', cells }]);
    await api.app.get(ChartVersionWatch).refreshNow();
    const sent = await api.post('/enrich/v1/batches', CSV, { 'content-type': 'text/csv' });
    results = ((await sent.json()) as { links: { results: string } }).links.results;
    await api.work();
  });
  afterAll(() => api.close());

  const bytes = async (path: string, headers = {}): Promise<Buffer> =>
    Buffer.from(await (await api.send(path, { headers })).arrayBuffer());

  /** Cells as text, in which equal numbers have equal text. */
  const plain = (rows: readonly (readonly Cell[])[]): string[][] =>
    rows.map((row) =>
      row.map((cell) => {
        const text = cell === null ? '' : String(cell);
        return /^-?\d+\.\d+$/.test(text) ? String(Number(text)) : text;
      }),
    );

  it.each<[string, () => string]>([
    ['results of a batch', () => `${results}?`],
    ['results with detail', () => `${results}?detail=true&`],
    ['rows without a result', () => `${results.replace(/results$/, 'errors')}?`],
    ['contributions', () => `/data-charts/v1/contributions/search?committee_id=${OF_ANA}&detail=true&`],
    ['donors day by day', () => `/data-charts/v1/cumulative_donors/candidate?candidate_id=${ANA}&`],
    ['donors by age', () => `/data-charts/v1/age_distribution/committee?committee_id=${OF_ANA}&`],
    ['candidates', () => '/data-charts/v1/candidate/search?name_part=an&'],
  ])('have the values of the CSV: %s', async (_what, path) => {
    const [header, ...rows] = parse(await (await api.send(`${path()}raw=true`)).text());
    const parquet = await readParquet(await bytes(`${path()}format=parquet`));
    expect(rows.length).toBeGreaterThan(0);
    expect(parquet.columns.map((name) => name.replace(/_1$/, ''))).toEqual(header);
    expect(plain(parquet.rows)).toEqual(plain(rows));
    const [sheetHeader, ...sheet] = readSheet(await bytes(`${path()}format=xlsx`));
    expect(sheetHeader).toEqual(header);
    const days = header.flatMap((name, at) => (name === 'REF_DATE' ? [at] : []));
    const dayOf = (number: unknown): string =>
      new Date((Number(number) - 25_569) * 86_400_000).toISOString().slice(0, 10);
    expect(plain(sheet.map((row) => row.map((cell, at) => (days.includes(at) ? dayOf(cell) : cell))))).toEqual(
      plain(rows),
    );
  });

  it('have typed columns: numbers, dates and codes as text', async () => {
    const typesOf = async (path: string): Promise<Record<string, string>> => {
      const { columns, types } = await readParquet(await bytes(path));
      return Object.fromEntries(columns.map((name, at) => [name, types[at]]));
    };
    const donors = await typesOf(`/data-charts/v1/cumulative_donors/candidate?candidate_id=${ANA}&format=parquet`);
    expect(donors).toEqual({ CYCLE: 'INTEGER', CAND_ID: 'VARCHAR', REF_DATE: 'DATE', CUMUL_DONORS: 'INTEGER' });
    expect(await typesOf(`${results}?format=parquet`)).toMatchObject({
      zip: 'VARCHAR',
      AGE: 'VARCHAR', // a column of the client
      AGE_1: 'INTEGER',
      PCT_WHITE: 'DOUBLE',
      FIPS: 'VARCHAR',
      HH_INCOME_MEDIAN: 'INTEGER',
    });
    const filed = `/data-charts/v1/contributions/search?committee_id=${OF_ANA}&format=parquet`;
    expect(await typesOf(filed)).toMatchObject({
      SUB_ID: 'VARCHAR',
      TRANSACTION_AMT: 'DOUBLE',
      COUNTS_MONEY: 'BOOLEAN',
    });
  });

  it('are selected by format and Accept, while a link in a browser returns CSV', async () => {
    const typeOf = async (path: string, accept: string): Promise<string | null> =>
      (await api.send(path, { headers: { accept } })).headers.get('content-type');
    const chart = `/data-charts/v1/candidate/search?name_part=an`;
    const filed = `/data-charts/v1/contributions/search?committee_id=${OF_ANA}`;
    expect(await typeOf(filed, 'application/*')).toBe('text/csv; charset=utf-8');
    expect(await typeOf(chart, 'application/*')).toMatch(/json/);
    for (const path of [chart, filed, results])
      expect([
        await typeOf(path, PARQUET),
        await typeOf(path, XLSX),
        await typeOf(`${path}${path.includes('?') ? '&' : '?'}format=xlsx`, 'text/csv'),
        await typeOf(path, 'text/html,application/xhtml+xml,*/*;q=0.8'),
      ]).toEqual([PARQUET, XLSX, XLSX, 'text/csv; charset=utf-8']);
  });

  it('have a byte order mark in CSV if the client requests it', async () => {
    const tables = ['candidate/search?name_part=an', `contributions/search?committee_id=${OF_ANA}`];
    for (const path of tables) {
      const [plain, marked] = await Promise.all(
        ['', '&bom=true'].map(async (query) =>
          Buffer.from(await (await api.send(`/data-charts/v1/${path}${query}`)).arrayBuffer()),
        ),
      );
      expect(marked).toEqual(Buffer.concat([Buffer.from('\ufeff'), plain]));
    }
  });

  it('are not compressed again, and keep the ETag of their version', async () => {
    const path = `/data-charts/v1/candidate/search?name_part=an&format=parquet`;
    const first = await api.send(path, { headers: { 'accept-encoding': 'gzip' } });
    expect(first.headers.get('content-encoding')).toBeNull();
    expect(first.headers.get('content-disposition')).toBe('attachment; filename=results.parquet');
    const etag = first.headers.get('etag') ?? '';
    expect((await api.send(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await bytes(path)).equals(Buffer.from(await first.arrayBuffer()))).toBe(true);
  });

  it('are rejected as xlsx before the first byte if a sheet cannot hold their rows', async () => {
    const pool = api.app.get<Pool>(PG_POOL);
    const id = results.split('/').at(-2);
    await pool.query('update batch set rows_total = rows_total + 1048573 where id = $1', [id]);
    const refused = await api.send(`${results}?format=xlsx`);
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { errors: [{ pointer: '/query/format', detail: 'xlsx has at most 1,048,575 rows; use csv or parquet' }] },
    ]);
    await pool.query('update batch set rows_total = rows_total - 1 where id = $1', [id]);
    expect((await api.send(`${results}?format=xlsx`)).status).toBe(200);
  });
});
