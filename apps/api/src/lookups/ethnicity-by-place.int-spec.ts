import { PG_POOL } from '@donorlens/database';
import { AddressKeys } from '@donorlens/locations';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { type BatchSummary } from '@donorlens/batches';
import { type Pool } from 'pg';
import { storeFiledContributions } from '../../../../test/support/fec-data/filed-contributions';
import { FIRST_NAMES_BY_RACE } from '../../../../test/support/sample-data/first-names';
import { type RunningApi, activateSampleWith, runningApi } from '../../../../test/support/service/running-api';

const LOOKUP = '/enrich/v1/contributions';
const BATCHES = '/enrich/v1/batches';
const FILE = '/data-charts/v1/contributions/search';
const PLACE = 'ethnicity_basis=place';

type Cells = Record<string, string | number | boolean | null>;

/** Synthetic addresses in an area of the sample, and one in a tract that the sample does not have. */
const street = (of: string) => ({ street: of, city: 'Samplebury', state: 'CT', zip: '06150' });
const person = (more: object) => ({ first_name: 'Mary', last_name: 'Smith', date: '2016-10-01', ...more });
const [IN_TRACT, PENDING] = [street('1 Place St'), street('2 Place St')];
const QUERIES = [
  person(IN_TRACT),
  person(PENDING),
  person({ state: 'CT', zip: '06150' }),
  person({ fips: '09001' }),
  person({}),
  person({ last_name: 'Wqzxwqzx', fips: '09001' }),
  { name: 'SAMPLE LLC', entity_type: 'ORG', date: '2016-10-01', fips: '09001' },
];
const BASES = ['tract', 'zcta', 'zcta', 'county', 'surname', 'county', null];
const LISTED = [true, true, true, true, true, false, null];
const COLUMNS = ['WHITE', 'BLACK', 'API', 'AIAN', '2PRACE', 'HISPANIC'].map((group) => `PCT_${group}`);

const sumOf = (row: Cells): number =>
  COLUMNS.reduce((sum, column) => sum + Number(row[column] ?? row[column.toLowerCase()]), 0);

describe.each([
  ['surname and place', false],
  ['surname, first name and place', true],
])('ethnicity by %s', (_, hasFirstNames) => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
    if (hasFirstNames) await activateSampleWith(api, { firstNames: FIRST_NAMES_BY_RACE });
    await api.locate([{ address: IN_TRACT, outcome: 'MATCH', fips: '09003', tract: '000200', block: '1000' }]);
  });
  afterAll(() => api.close());

  const lookup = async (query: string, queries: readonly object[] = QUERIES): Promise<Cells[]> => {
    const answer = await api.post(`${LOOKUP}?${query}`, { queries });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { results: Cells[] }).results;
  };
  const problemOf = async (answer: Response) => [answer.status, (await answer.json()) as Cells] as const;

  it('uses the tract, or the ZCTA before geocoding, or else the county, and reports which', async () => {
    const results = await lookup(PLACE);
    expect(results.map((row) => row.ethnicity_basis)).toEqual(BASES);
    expect(results.map((row) => row.surname_listed)).toEqual(LISTED);
    for (const row of results.slice(0, 4)) expect(sumOf(row)).toBeCloseTo(100, 8);
    expect(results[1]).toMatchObject({ geocode_status: 'PENDING', pct_white: results[2].pct_white });
    expect(new Set([0, 1, 3, 4].map((at) => results[at].pct_white)).size).toBe(4);
    expect([results[6].ethnicity, results[6].pct_white]).toEqual([null, null]);
  });

  it('depends on the first name if the data release has first names by race', async () => {
    const [mary, unlisted] = await lookup(PLACE, [person(IN_TRACT), person({ ...IN_TRACT, first_name: 'Zelda' })]);
    const blackShare = Number(mary.pct_black) - Number(unlisted.pct_black);
    if (hasFirstNames) expect(blackShare).toBeGreaterThan(1);
    else expect(blackShare).toBe(0);
  });

  it('uses only the surname by default, with the default fields', async () => {
    const [plain, asked] = [await lookup(''), await lookup('ethnicity_basis=surname')];
    expect(asked).toEqual(plain);
    expect(Object.keys(plain[0])).toHaveLength(16);
    expect(plain[5].pct_white).toBeNull();
    const [row] = (await lookup(PLACE)).slice(4);
    expect(row).toEqual({ ...plain[4], ethnicity_basis: 'surname', surname_listed: true });
  });

  it('includes the income of the tract with tract_income=true', async () => {
    const results = await lookup('tract_income=true');
    expect(results.map((row) => typeof row.tract_income_median)).toEqual([
      'number',
      ...Array<string>(6).fill('object'),
    ]);
    expect(results[1].tract_income_median).toBeNull();
  });

  const batchOf = async (path: string, body: unknown, headers?: Record<string, string>) => {
    const answer = await api.post(path, body, headers);
    expect(answer.status).toBe(202);
    const { id } = (await answer.json()) as { id: string };
    await api.work();
    const results = `${BATCHES}/${id}/results`;
    return async (query: string): Promise<string> => (await api.send(`${results}?partial=true&${query}`)).text();
  };
  const places = (rows: readonly Cells[]): unknown[] => rows.map(({ row: _, ...cells }) => cells);

  it('is the same in a batch, as JSON and CSV', async () => {
    const expected = await lookup(`${PLACE}&tract_income=true`);
    for (const [path, body] of [
      [`${BATCHES}?${PLACE}`, { type: 'contributions', queries: QUERIES }],
      [BATCHES, { type: 'contributions', queries: QUERIES, ethnicity_basis: 'place' }],
    ] as const) {
      const read = await batchOf(path, body);
      const { results } = JSON.parse(await read('format=json&tract_income=true')) as { results: Cells[] };
      expect(places(results)).toEqual(expected);
      const rows = parse<Cells>(await read('format=csv&tract_income=true'), { columns: true });
      const upper = expected.map((row) =>
        Object.fromEntries(Object.entries(row).map(([key, value]) => [key.toUpperCase(), String(value ?? '')])),
      );
      rows.forEach((row, at) => expect(row).toMatchObject(upper[at]));
    }
  });

  it('is the same for each row of a file', async () => {
    const rows = [
      person({ state: 'CT', zip: '06150-1234' }),
      person({ state: 'CT', zip: '6150' }), // as a spreadsheet stores it
      person({ state: 'AE', zip: '06150' }), // military
      person({ state: 'ON', zip: '06150' }), // foreign
      person({ state: '', zip: '06150' }),
      person({ last_name: 'Smith, "Bud"\\\t', state: 'CT', zip: '06150' }),
      person({ last_name: 'Wqzxwqzx', state: 'CT', zip: '06150' }),
      person({ last_name: '', state: 'CT', zip: '06150' }),
      person({ date: '', state: 'CT', zip: '06150' }), // no year, so no ethnicity
      person({ state: 'CT', zip: '' }),
    ];
    const read = await batchOf(`${BATCHES}?type=contributions&${PLACE}`, stringify(rows, { header: true }), {
      'content-type': 'text/csv',
    });
    const { results } = JSON.parse(await read('format=json')) as { results: Cells[] };
    expect(places(results)).toMatchObject(await lookup(PLACE, rows));
    const bases = ['zcta', 'zcta', 'surname', 'surname', 'zcta', 'zcta', 'zcta', null, null, 'surname'];
    expect(results.map((row) => row.ethnicity_basis)).toEqual(bases);
  });

  it('has the same sums in the summary of a batch as in its results', async () => {
    const records = ['Smith,CT,06150', 'Wqzxwqzx,CT,06150', 'Smith,,'].map((end) => `Mary,2016-10-01,${end}\n`);
    const csv = `first_name,date,last_name,state,zip\n${records.join('')}`;
    const answer = await api.post(`${BATCHES}?${PLACE}`, csv, { 'content-type': 'text/csv' });
    const { id } = (await answer.json()) as { id: string };
    await api.work();
    const results = await (await api.send(`${BATCHES}/${id}/results?format=csv`)).text();
    const rows = parse<Cells>(results, { columns: true });
    expect(rows.map((row) => row.ETHNICITY_BASIS)).toEqual(['zcta', 'zcta', 'surname']);
    const summary = (await (await api.send(`${BATCHES}/${id}/summary`)).json()) as BatchSummary;
    for (const { value, people } of summary.ethnicity)
      expect(people).toBeCloseTo(
        rows.reduce((sum, row) => sum + Number(row[`PCT_${value.toUpperCase()}`]), 0) / 100,
        2,
      );
    expect([summary.surnames_known, summary.ethnicity.length]).toEqual([2, 6]);
    expect(summary.filled).toContainEqual({ column: 'PCT_BLACK', rows: 3, fill_rate: 1 });
  });

  it('uses the tract of a row after geocoding, without enriching the row again', async () => {
    const late = street('3 Late St');
    const csv = `first_name,last_name,date,street,city,state,zip\nMary,Smith,2016-10-01,3 Late St,Samplebury,CT,06150\n`;
    const read = await batchOf(`${BATCHES}?${PLACE}`, csv, { 'content-type': 'text/csv' });
    const row = async (query = ''): Promise<Cells> =>
      parse<Cells>(await read(`format=csv${query}`), { columns: true })[0];
    expect(await row()).toMatchObject({ ETHNICITY_BASIS: 'zcta', SURNAME_LISTED: 'true', GEOCODE_STATUS: 'PENDING' });
    await api.locate([{ address: late, outcome: 'MATCH', fips: '09003', tract: '000200', block: '1000' }]);
    const [inTract] = await lookup(PLACE);
    expect(await row()).toMatchObject({ ETHNICITY_BASIS: 'tract', PCT_WHITE: String(inTract.pct_white) });
    const detailed = await row('&detail=true');
    expect(detailed).toMatchObject({ ETHNICITY_BASIS: 'tract', SURNAME_KEY: 'SMITH' });
    expect(await row()).not.toHaveProperty('SURNAME_KEY');
  });

  it('is the same in the contributions file', async () => {
    const pool = api.app.get<Pool>(PG_POOL);
    await pool.query(`insert into enrichment_release (release_id) values ('release-1')`);
    const shares = await lookup('', [person({})]);
    const smith = { race: shares[0].ethnicity, ...storedShares(shares[0]) };
    const filed = (rowId: string, cells: object, columns: object) => ({
      ...{ cycle: 2016, rowId, committeeId: 'C00000009', donorKey: '1', receivedOn: '2016-10-01' },
      cells: { SUB_ID: rowId, TRANSACTION_DT: '10012016', STATE: 'CT', ZIP_CODE: '061501234', ...cells },
      columns: columns as Record<string, string>,
    });
    const keyOf = (address: ReturnType<typeof street>) => api.app.get(AddressKeys).keyOf(address);
    await storeFiledContributions(pool, [
      filed('1', { NAME: 'SMITH, MARY' }, { ...smith, address_key: keyOf(IN_TRACT) }),
      filed('2', { NAME: 'SMITH, MARY' }, { ...smith, address_key: keyOf(PENDING) }),
      filed('3', { NAME: 'SMITH, MARY', ZIP_CODE: '' }, smith),
      filed('4', { NAME: 'WQZXWQZX, MARY' }, {}),
      filed('5', { NAME: 'SAMPLE LLC', ENTITY_TP: 'ORG' }, {}),
    ]);
    const read = async (query: string) =>
      parse<Cells>(await (await api.send(`${FILE}?cycle=2016&${query}`)).text(), { columns: true });
    const rows = await read(`${PLACE}&tract_income=true&detail=true`);
    expect(rows.map((row) => row.ETHNICITY_BASIS)).toEqual(['tract', 'zcta', 'surname', 'zcta', '']);
    expect(rows.map((row) => row.SURNAME_LISTED)).toEqual(['true', 'true', 'true', 'false', '']);
    expect(rows.map((row) => row.TRACT_INCOME_MEDIAN !== '')).toEqual([true, false, false, false, false]);
    const expected = await lookup(PLACE);
    for (const at of [0, 1])
      for (const column of ['ETHNICITY', ...COLUMNS])
        expect(rows[at][column]).toBe(String(expected[at][column.toLowerCase()]));
    const plain = await read('');
    expect(Object.keys(plain[0])).not.toContain('ETHNICITY_BASIS');
    expect(plain[3].PCT_WHITE).toBe('');
  });

  it('answers 400 with the allowed values for an unknown basis, and for a batch without places', async () => {
    const list = 'must be one of surname, place';
    const query = { pointer: '/query/ethnicity_basis', detail: list };
    const bad = 'ethnicity_basis=name';
    const contributions = { type: 'contributions', queries: QUERIES };
    const ethnicity = { type: 'ethnicity', queries: [{ surname: 'Smith', year: 2016 }] };
    for (const [answer, fault] of [
      [api.post(`${LOOKUP}?${bad}`, { queries: QUERIES }), query],
      [api.post(`${BATCHES}?${bad}`, contributions), query],
      [api.send(`${FILE}?cycle=2016&${bad}`), query],
      [api.post(BATCHES, { ...contributions, ethnicity_basis: 1 }), { pointer: '/ethnicity_basis', detail: list }],
      [api.post(`${BATCHES}?${PLACE}`, ethnicity), { ...query, detail: 'place needs type=contributions' }],
      [
        api.post(BATCHES, { ...ethnicity, ethnicity_basis: 'place' }),
        { pointer: '/ethnicity_basis', detail: 'place needs type=contributions' },
      ],
    ] as const)
      expect(await problemOf(await answer)).toEqual([400, expect.objectContaining({ errors: [fault] })]);
  });
});

describe('a data release without areas', () => {
  it('causes a 409 that names the missing file, even if the setting requests places', async () => {
    const api = await runningApi({ ETHNICITY_BASIS: 'place' }, false);
    try {
      await activateSampleWith(api, { areaPeople: null, tractIncomes: null });
      const body = { queries: QUERIES };
      for (const [answer, file] of [
        [api.post(LOOKUP, body), 'b03002'],
        [api.post(`${LOOKUP}?ethnicity_basis=surname&tract_income=true`, body), 'b19013'],
        [api.post(BATCHES, { type: 'contributions', ...body }), 'b03002'],
        [api.send(`${FILE}?cycle=2016`), 'b03002'],
      ] as const) {
        const problem = await answer;
        expect(problem.status).toBe(409);
        expect(await problem.json()).toMatchObject({
          code: 'no-geography',
          detail: expect.stringContaining(file) as string,
        });
      }
      expect((await api.post(`${LOOKUP}?ethnicity_basis=surname`, body)).status).toBe(200);
      const ages = { type: 'ethnicity', queries: [{ surname: 'Smith', year: 2016 }] };
      expect((await api.post(BATCHES, ages)).status).toBe(202);
    } finally {
      await api.close();
    }
  });
});

/** Columns of the table, in hundredths. */
const storedShares = (row: Cells): Cells =>
  Object.fromEntries(
    COLUMNS.map((column) => [column.toLowerCase(), Math.round(100 * Number(row[column.toLowerCase()]))]),
  );
