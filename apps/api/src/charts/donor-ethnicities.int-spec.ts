import { ChartVersionWatch, refreshCharts } from '@donorlens/charts';
import { PG_POOL } from '@donorlens/database';
import { AddressKeys } from '@donorlens/locations';
import { ReleaseHolder } from '@donorlens/reference-data';
import { parse } from 'csv-parse/sync';
import { type Pool } from 'pg';
import { replaceLinkages } from '../../../../test/support/fec-data/contribution-rows';
import { storeFiledContributions } from '../../../../test/support/fec-data/filed-contributions';
import { FIRST_NAMES_BY_RACE } from '../../../../test/support/sample-data/first-names';
import { type RunningApi, activateSampleWith, runningApi } from '../../../../test/support/service/running-api';
import { BREAKDOWN as BREAKDOWN_TABLE } from './data-tables';
import { TableReader } from './table-reader';

const BASE = '/data-charts/v1';
const CANDIDATE = 'P00000001';
const BREAKDOWN = `${BASE}/breakdown/candidate?candidate_id=${CANDIDATE}`;
const GROUPS = ['2prace', 'aian', 'api', 'black', 'hispanic', 'white'];
const SHARES = (...[white, black, api, aian, twoPrace, hispanic]: string[]) => ({
  ...{ pct_white: white, pct_black: black, pct_api: api, pct_aian: aian, pct_2prace: twoPrace, pct_hispanic: hispanic },
});
const SMITH = { race: 'white', ...SHARES('7000', '2000', '200', '100', '300', '400') };
const GARCIA = { race: 'hispanic', ...SHARES('500', '50', '150', '50', '50', '9200') };

type Cells = Record<string, string>;

async function storeDonors(api: RunningApi): Promise<void> {
  const pool = api.app.get<Pool>(PG_POOL);
  const address = { street: '1 Place St', city: 'Samplebury', state: 'CT', zip: '06150' };
  await api.locate([{ address, outcome: 'MATCH', fips: '09003', tract: '000200', block: '1000' }]);
  const geocoded = { address_key: api.app.get(AddressKeys).keyOf(address) };
  await replaceLinkages(pool, [
    { candidateId: CANDIDATE, committeeId: 'C00000001', cycle: 2016, designation: 'P' },
    { candidateId: CANDIDATE, committeeId: 'C00000002', cycle: 2016, designation: 'A' },
  ]);
  await pool.query(`insert into enrichment_release (release_id) values ('release-1')`);
  const filed = (rowId: number, donorKey: number, name: string, columns: object, more: object = {}) => ({
    ...{ cycle: 2016, rowId: String(rowId), committeeId: 'C00000001', donorKey: String(donorKey) },
    ...{ receivedOn: '2016-10-01', ...more },
    cells: { SUB_ID: String(rowId), NAME: name, TRANSACTION_DT: '10012016', STATE: 'CT', ZIP_CODE: '061501234' },
    columns: columns as Cells,
  });
  await storeFiledContributions(pool, [
    filed(1, 11, 'SMITH, MARY', { ...SMITH, ...geocoded }),
    filed(2, 12, 'GARCIA, ANN', GARCIA),
    filed(3, 12, 'SMITH, ANN', SMITH, { receivedOn: '2016-10-02' }), // the same donor later
    filed(4, 13, 'WQZXWQZX, MARY', {}),
    filed(5, 14, 'SMITH, JAMES', SMITH, { committeeId: 'C00000002' }),
    filed(6, 14, 'GARCIA, JAMES', GARCIA, { receivedOn: '2016-10-03' }), // the same donor, later to the other committee
    filed(7, 0, 'GARCIA, LEE', { ...GARCIA, counts_donor: 'false' }),
  ]);
  await refreshCharts(pool);
  await api.app.get(ChartVersionWatch).refreshNow();
}

describe('donors of a candidate by ethnicity as sums of probabilities', () => {
  let api: RunningApi;
  beforeAll(async () => {
    api = await runningApi();
    await storeDonors(api);
  });
  afterAll(() => api.close());

  const rowsOf = async (path: string): Promise<Cells[]> =>
    parse(await (await api.send(path)).text(), { columns: true });
  const donorsOf = (rows: readonly Cells[]): Cells =>
    Object.fromEntries(rows.map(({ VALUE, DONORS }) => [VALUE, DONORS]));

  it('adds up the shares of the surnames of first contributions; unlisted surnames are unknown', async () => {
    const rows = await rowsOf(`${BREAKDOWN}&by=ethnicity&ethnicity_basis=surname`);
    // 1.45 white, 0.405 black, 0.055 api, 0.025 aian, 0.065 2prace, 1.00 hispanic; of the halves, two are rounded up
    expect(donorsOf(rows)).toEqual({
      ...{ '2prace': '0.06', aian: '0.02', api: '0.06', black: '0.41', hispanic: '1.00', white: '1.45' },
      '': '1.00',
    });
    expect(rows.map(({ VALUE }) => VALUE)).toEqual([...GROUPS, '']);
    expect(rows[0]).toMatchObject({
      CYCLE: '2016',
      CAND_ID: CANDIDATE,
      BY: 'ethnicity',
      CONTRIBUTIONS: '',
      AMOUNT: '',
    });
  });

  it.each([false, true])('adds up the shares by place of the contributions file; first names: %s', async (hasNames) => {
    if (hasNames) await activateSampleWith(api, { firstNames: FIRST_NAMES_BY_RACE });
    const file = await rowsOf(`${BASE}/contributions/search?candidate_id=${CANDIDATE}&ethnicity_basis=place`);
    const first = file.filter(({ SUB_ID }) => ['1', '2', '4', '5'].includes(SUB_ID));
    expect(first.map((row) => row.ETHNICITY_BASIS).sort()).toEqual(['tract', 'zcta', 'zcta', 'zcta']);
    const donors = donorsOf(await rowsOf(`${BREAKDOWN}&by=ethnicity&ethnicity_basis=place`));
    expect(Object.keys(donors).sort()).toEqual(GROUPS);
    for (const group of GROUPS) {
      const sum = first.reduce((total, row) => total + Number(row[`PCT_${group.toUpperCase()}`]) / 100, 0);
      expect(Math.abs(Number(donors[group]) - sum)).toBeLessThanOrEqual(0.01);
    }
    const total = Object.values(donors).reduce((sum, n) => sum + Number(n), 0);
    expect(total).toBeCloseTo(4, 9);
  });

  it('has the estimates of the data release that its file names, even if another one has become active', async () => {
    const lists = {
      ...{ candidate_id: [CANDIDATE], cycle: [], office: [], basis: [] },
      ...{ by: ['ethnicity'], ethnicity_basis: ['place'] },
    };
    const read = async (id?: string) => [...(await api.app.get(TableReader).read(BREAKDOWN_TABLE, lists, id)).rows];
    await activateSampleWith(api, {});
    const before = api.app.get(ReleaseHolder).current()!.id;
    const rows = await read();
    await activateSampleWith(api, { firstNames: FIRST_NAMES_BY_RACE });
    expect(await read()).not.toEqual(rows);
    expect(await read(before)).toEqual(rows);
  });

  it('counts labels without ethnicity_basis, and changes no other breakdown', async () => {
    const plain = await rowsOf(BREAKDOWN);
    expect(donorsOf(plain.filter(({ BY }) => BY === 'ethnicity'))).toEqual({ hispanic: '1', white: '2', '': '1' });
    const asked = await rowsOf(`${BREAKDOWN}&ethnicity_basis=surname`);
    const others = (rows: readonly Cells[]) => rows.filter(({ BY }) => BY !== 'ethnicity');
    expect(others(asked)).toEqual(others(plain));
    expect([...new Set(asked.map(({ BY }) => BY))]).toEqual([...new Set(plain.map(({ BY }) => BY))]);
    const gender = `${BREAKDOWN}&by=gender`;
    expect(await rowsOf(`${gender}&ethnicity_basis=place`)).toEqual(await rowsOf(gender));
  });

  it('requires a candidate and a known basis', async () => {
    for (const [query, fault] of [
      [
        'cycle=2016&ethnicity_basis=surname',
        { pointer: '/query/candidate_id', detail: 'is needed with ethnicity_basis' },
      ],
      [
        `candidate_id=${CANDIDATE}&ethnicity_basis=name`,
        { pointer: '/query/ethnicity_basis', detail: 'must be one of surname, place' },
      ],
    ] as const) {
      const answer = await api.send(`${BASE}/breakdown/candidate?${query}`);
      expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ errors: [fault] })]);
    }
  });

  it('answers 409 with the name of the missing file if the data release has no areas', async () => {
    const releases = api.app.get(ReleaseHolder);
    const without = jest.spyOn(releases, 'current').mockReturnValue({ ...releases.current()!, geography: null });
    const answer = await api.send(`${BREAKDOWN}&cycle=2016&ethnicity_basis=place`);
    without.mockRestore();
    expect(answer.status).toBe(409);
    expect(await answer.json()).toMatchObject({
      code: 'no-geography',
      detail: expect.stringContaining('b03002') as string,
    });
  });
});
