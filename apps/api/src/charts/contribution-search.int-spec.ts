import { spawnSync } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type IncomingMessage, get } from 'node:http';
import { ITCONT_COLUMNS } from '@donorlens/tabular';
import { CONTRIBUTION_FILE_COLUMNS } from '@donorlens/campaign-finance';
import { PG_POOL } from '@donorlens/database';
import { AddressKeys } from '@donorlens/locations';
import { parseCivilDay } from '@donorlens/primitives';
import { ReleaseHolder } from '@donorlens/reference-data';
import { parse } from 'csv-parse/sync';
import { type Pool } from 'pg';
import { until } from '../../../../test/support/until';
import {
  filedRecord,
  storeFiledContributions,
  storeManyContributions,
} from '../../../../test/support/fec-data/filed-contributions';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';
import { describeWith } from '../../../../test/support/tools';
import { CONTRIBUTION_COLUMNS } from './columns/contributions';
import { ContributionSearchController } from './contribution-search.controller';
import { contributionFileLimiter } from './download-limiter';

const PATH = '/data-charts/v1/contributions/search';
const MANY = 100_000;
const AWKWARD = { NAME: 'MADEUP, "ANA"', CITY: 'PEÑA', MEMO_TEXT: 'ONE, TWO', EMPLOYER: '=1', TRANSACTION_AMT: '-25' };

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Bytes of buffers that are still referenced. */
const heldBytes = (): number => {
  collect();
  return process.memoryUsage().arrayBuffers;
};

describe('the contributions file', () => {
  let api: RunningApi;
  let pool: Pool;
  beforeAll(async () => {
    api = await runningApi();
    pool = api.app.get<Pool>(PG_POOL);
    await pool.query(`insert into enrichment_release (release_id) values ('release-1')`);
    await storeManyContributions(pool, { cycle: 2016, committeeId: 'C00000001', rows: MANY });
    await storeFiledContributions(pool, [
      {
        cycle: 2020,
        rowId: '9',
        committeeId: 'C00000002',
        donorKey: '1',
        receivedOn: '2020-02-29',
        cells: { ...AWKWARD, SUB_ID: '9' },
      },
    ]);
  });
  afterAll(() => api.close());

  const text = async (query: string): Promise<string> => (await api.send(`${PATH}?${query}`)).text();
  const waitingForReader = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int from pg_stat_activity where datname = current_database() and wait_event = 'ClientWrite'`,
    );
    return rows[0].count;
  };
  const busy = (): number => pool.totalCount - pool.idleCount;
  /** A client that has received the response headers and does not read the body. */
  const opened = (query: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      get(`${api.url}${PATH}?${query}`, { headers: { 'x-api-key': api.key } }, resolve).on('error', reject);
    });

  it('has the columns of the data dictionary and the headers of the other files', async () => {
    expect(Object.keys(CONTRIBUTION_COLUMNS)).toEqual([...CONTRIBUTION_FILE_COLUMNS]);
    for (const method of ['GET', 'HEAD']) {
      const response = await api.send(`${PATH}?cycle=2020`, { method });
      expect(response.status).toBe(200);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': 'attachment; filename=results.csv',
        'access-control-allow-origin': '*',
        'cache-control': 'private, no-store',
      });
      expect((await response.text()).split('\n')[0]).toBe(method === 'GET' ? CONTRIBUTION_FILE_COLUMNS.join(',') : '');
    }
    expect(await text('cycle=1996')).toBe(`${CONTRIBUTION_FILE_COLUMNS.join(',')}\n`);
  });

  it('has the location of an address once it is geocoded, with the county of the data release', async () => {
    const address = { street: '1 Filed St', city: 'Samplebury', state: 'CT', zip: '06100' };
    await storeFiledContributions(pool, [
      {
        cycle: 2012,
        rowId: '7',
        committeeId: 'C00000003',
        donorKey: '1',
        receivedOn: '2012-02-29',
        cells: { SUB_ID: '7', STATE: 'NH', ZIP_CODE: '031501234' },
        columns: { address_key: api.app.get(AddressKeys).keyOf(address) },
      },
    ]);
    const place = async (detail = ''): Promise<Record<string, string>> => {
      const [row] = parse<Record<string, string>>(await text(`cycle=2012${detail}`), { columns: true });
      return row;
    };
    expect(await place()).toMatchObject({ FIPS: '', COUNTY: '', ADDRESS_ID: '', GEOCODE_STATUS: 'PENDING' });
    expect(await place()).not.toHaveProperty('FIPS_SOURCE');
    const found = {
      fips: '09001',
      tract: '010100',
      block: '1000',
      matchedAddress: '1 FILED ST, SAMPLEBURY, CT, 06100',
    };
    await api.locate([{ address, outcome: 'MATCH', ...found }]);
    expect(await place()).toMatchObject({
      FIPS: '09001',
      COUNTY: 'Fairfield County',
      TRACT_CD: '010100',
      BLOCK_CD: '1000',
      HH_INCOME_MEDIAN: '66600',
      ADDRESS_ID: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      GEOCODE_STATUS: 'MATCH',
    });
    expect(await place('&detail=true')).toMatchObject({ FIPS_SOURCE: 'address', FIPS_SHARE: '' });
    await pool.query('update contribution set address_key = null where cycle = 2012');
    expect(await place('&detail=true')).toMatchObject({
      ...{ FIPS: '33011', COUNTY: 'Hillsborough County', GEOCODE_STATUS: 'SKIPPED' },
      ...{ FIPS_SOURCE: 'zip', FIPS_SHARE: '62.5' },
      DONOR_ID: api.app.get(AddressKeys).donorIdOf('1').toString('hex'),
    });
  });

  it('has the basis of estimates with detail=true, for rows enriched under the active data release', async () => {
    await storeFiledContributions(pool, [
      {
        ...{ cycle: 2014, rowId: '8', committeeId: 'C00000003', donorKey: '1', receivedOn: '2014-02-27' },
        cells: { SUB_ID: '8', NAME: 'GARCIA, MARY', ENTITY_TP: 'IND' },
        columns: { age: 61, gender: 'f' },
      },
    ]);
    const row = async (): Promise<Record<string, string>> =>
      parse<Record<string, string>>(await text('cycle=2014&detail=true'), { columns: true })[0];
    expect(await row()).toMatchObject({ AGE: '61', AGE_Q25: '', FIRST_NAME_KEY: '', NAME_KIND: '', AGE_BASIS: '' });
    const { id, demographics } = api.app.get(ReleaseHolder).current()!;
    await pool.query(
      `with release as (insert into enrichment_release (release_id) values ($1) returning no)
       update contribution set release_no = release.no from release where cycle = 2014`,
      [id],
    );
    const { ages } = demographics;
    const { q25, q75 } = ages.quartiles(ages.nameIndex('Mary'), parseCivilDay('2014-02-27'));
    expect(await row()).toMatchObject({
      ...{ AGE_Q25: String(q25), AGE_Q75: String(q75), FIRST_NAME_KEY: 'mary', SURNAME_KEY: 'GARCIA' },
      ...{ NAME_KIND: 'person', AGE_BASIS: 'name', ETHNICITY_BASIS: 'surname', DATA_RELEASE: id },
      GENDER_PROB: expect.stringMatching(/^(1|0\.\d+)$/) as string,
    });
  });

  it('requires a separate scope and at least one condition', async () => {
    const key = await api.issue({ scopes: ['charts:read'] });
    expect((await api.send(`${PATH}?cycle=2016`, { headers: { 'x-api-key': key } })).status).toBe(403);
    for (const query of [
      '',
      'limit=5',
      'cycle=2016&limit=0',
      'cycle=2016&after=abc',
      'cycle=2016&after=0',
      'cycle=2016&after=99999999',
      'cycle=2016&name_part=ana',
      'date_from=2016-02-30',
      'date_from=2016-02-02&date_to=2016-02-01',
      'cycle=2016&format=json',
    ])
      expect([query, (await api.send(`${PATH}?${query}`)).status]).toEqual([query, 400]);
  });

  it('can be resumed with after=, and both parts together equal the whole file', async () => {
    const [header, ...lines] = (await text('committee_id=C00000001')).split('\n');
    expect(lines).toHaveLength(MANY + 1);
    const cut = lines.slice(0, 54_321);
    const [last]: string[][] = parse(cut.at(-1)!);
    const rest = await text(`committee_id=C00000001&after=${last[CONTRIBUTION_FILE_COLUMNS.indexOf('SUB_ID')]}`);
    expect([...cut, rest.slice(header.length + 1)].join('\n') === lines.join('\n')).toBe(true);
    expect((await text('committee_id=C00000001&limit=7')).split('\n')).toEqual([header, ...lines.slice(0, 7), '']);
  });

  it('keeps rows for a slow client in the database, not in memory', async () => {
    const before = heldBytes();
    const response = await opened('committee_id=C00000001');
    await until('the database waits to be read', async () => (await waitingForReader()) === 1);
    await until('little is held', () => heldBytes() - before < 4_000_000); // the client reads nothing
    let bytes = 0;
    for await (const piece of response) bytes += (piece as Buffer).length;
    expect(bytes).toBeGreaterThan(15_000_000);
    await until('all of it is given back', () => heldBytes() - before < 4_000_000);
  });

  it('releases its database connection when the client disconnects', async () => {
    const response = await opened('committee_id=C00000001');
    await until('a connection is in use', () => busy() > 0);
    response.destroy();
    await until('no connection is in use', () => busy() === 0);
    expect(await text('cycle=2020')).toContain(',9,');
  });

  const fourFiles = () => Promise.all(Array.from({ length: 4 }, () => opened('committee_id=C00000001')));

  it('is sent to at most four clients at a time; others get 503 with Retry-After', async () => {
    const four = await fourFiles();
    const fifth = await api.send(`${PATH}?cycle=2020`);
    expect([fifth.status, fifth.headers.get('retry-after')]).toEqual([503, '10']);
    for (const response of four) response.destroy();
    await until('no connection is in use', () => busy() === 0);
  });

  it('makes further clients wait until a file has been sent', async () => {
    Object.assign(api.app.get(ContributionSearchController), { limiter: contributionFileLimiter(4, 60_000) });
    const four = await fourFiles();
    const waits = api.send(`${PATH}?cycle=2020`);
    expect(await Promise.race([waits, pause(200, 'waits')])).toBe('waits');
    four[0].destroy();
    expect((await waits).status).toBe(200);
    for (const response of four) response.destroy();
    const many = await Promise.all(Array.from({ length: 40 }, () => api.send(`${PATH}?cycle=2020`)));
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]));
  });

  describeWith('python3')('in Python', () => {
    it('is read by the csv module with every cell as filed', async () => {
      const csv = await text('committee_id=C00000002&cycle=2020&raw=true');
      const script = 'import csv, json, sys\nprint(json.dumps(list(csv.reader(sys.stdin))))';
      const { stdout } = spawnSync('python3', ['-X', 'utf8', '-c', script], { input: csv });
      const [header, row] = JSON.parse(stdout.toString()) as string[][];
      expect(header).toEqual([...CONTRIBUTION_FILE_COLUMNS]);
      expect(row.slice(2, 2 + ITCONT_COLUMNS.length).join('\x1c')).toBe(filedRecord({ ...AWKWARD, SUB_ID: '9' }));
    });
  });
});
