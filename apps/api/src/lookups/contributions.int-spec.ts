import { MAX_SINGLE_LOOKUP_ADDRESSES, SINGLE_LOOKUPS_BATCH_ID } from '@donorlens/batches';
import { PG_POOL } from '@donorlens/database';
import { AddressKeys, type PostalAddress } from '@donorlens/locations';
import { type ContributionResult } from '@donorlens/primitives';
import { Client, type Pool } from 'pg';
import { until } from '../../../../test/support/until';
import { type RunningApi, runningApi } from '../../../../test/support/service/running-api';

const PATH = '/enrich/v1/contributions';
/** A county of the sample with its median household income. */
const FAIRFIELD = { fips: '09001', county: 'Fairfield County', hh_income_median: 66_600 };
const NOWHERE = { fips: null, county: null, tract_cd: null, block_cd: null, hh_income_median: null, address_id: null };

/** Synthetic addresses; each test has its own street. */
const address = (street: string): PostalAddress => ({ street, city: 'Samplebury', state: 'CT', zip: '06100' });
const query = (place: object) => ({ first_name: 'Mary', last_name: 'Garcia', date: '2016-10-01', ...place });

describe('POST /enrich/v1/contributions', () => {
  let api: RunningApi;
  let pool: Pool;
  beforeAll(async () => {
    api = await runningApi();
    pool = api.app.get<Pool>(PG_POOL);
  });
  afterAll(() => api.close());

  const resultsOf = async (queries: readonly object[]): Promise<ContributionResult[]> => {
    const answer = await api.post(PATH, { queries });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { results: ContributionResult[] }).results;
  };
  const askedFor = async (street: string) =>
    (await pool.query('select street, ask_order, asked_by from geocode_address where street ilike $1', [street])).rows;

  it('returns every attribute in the order of the CSV columns', async () => {
    const [first, second] = await resultsOf([
      { name: 'GARCIA, MARY', entity_type: 'IND', date: '2016-10-01', fips: '09001', id: '7' },
      query({}),
    ]);
    expect(Object.keys(first).join()).toBe(
      'age,gender,ethnicity,pct_white,pct_black,pct_api,pct_aian,pct_2prace,pct_hispanic,fips,county,tract_cd,block_cd,hh_income_median,address_id,geocode_status,id',
    );
    expect(first).toMatchObject({ gender: 'f', ethnicity: 'hispanic', ...FAIRFIELD, geocode_status: 'SKIPPED' });
    expect(second).toMatchObject({ age: first.age, ...NOWHERE, geocode_status: 'SKIPPED' });
  });

  it('takes the gender from a title, and reports that with detail=true', async () => {
    const queries = [
      { name: 'GARCIA, MARY MR.', date: '2016-10-01', id: '1' },
      { name: 'GARCIA, MARY DR.', date: '2016-10-01' },
      { first_name: 'Sir Mary', last_name: 'Garcia', date: '2016-10-01' },
      { name: 'GARCIA, WQZX MRS.', date: '2016-10-01' },
      { name: 'WQZX, WQZX', date: '2016-10-01' },
      { name: 'GARCIA, MARY MR.', ...query({}) },
      { name: 'ESTATE OF MARY GARCIA', ...query({}) },
    ];
    const answer = await api.post(`${PATH}?detail=true`, { queries });
    const { results } = (await answer.json()) as { results: { age: number; gender: string; gender_source: string }[] };
    expect(results.map(({ gender, gender_source }) => [gender, gender_source])).toEqual([
      ['m', 'title'],
      ['f', 'name'],
      ['m', 'title'],
      ['f', 'title'],
      [null, null],
      ['m', 'title'],
      [null, null],
    ]);
    expect(results[0].age).toBe(results[1].age);
    const plain = await resultsOf(queries);
    expect(results).toEqual(
      plain.map((one, i) => ({ ...one, gender_source: results[i].gender_source, fips_source: null, fips_share: null })),
    );
  });

  it('takes county and income from the ZIP without a street, and reports that with detail=true', async () => {
    const queries = [
      query({ state: 'NH', zip: '03150' }),
      query({ state: 'NH', zip: '03150', fips: '09001' }),
      query({ ...address('3 Zip St'), zip: '06150' }),
    ];
    const answer = await api.post(`${PATH}?detail=true`, { queries });
    const { results } = (await answer.json()) as { results: (ContributionResult & Record<string, unknown>)[] };
    expect(results.map((one) => [one.fips, one.county, one.fips_source, one.fips_share, one.geocode_status])).toEqual([
      ['33011', 'Hillsborough County', 'zip', 62.5, 'SKIPPED'],
      ['09001', 'Fairfield County', 'given', null, 'SKIPPED'],
      [null, null, null, null, 'PENDING'],
    ]);
    expect(results[0].hh_income_median).toBeGreaterThan(0);
    await api.locate([{ address: { ...address('3 Zip St'), zip: '06150' }, outcome: 'MATCH', fips: '09001' }]);
    const again = await api.post(`${PATH}?detail=true`, { queries: queries.slice(2) });
    expect(((await again.json()) as typeof answer & { results: object[] }).results).toEqual([
      expect.objectContaining({ ...FAIRFIELD, fips_source: 'address', fips_share: null }),
    ]);
  });

  it('lists every error of every record', async () => {
    const answer = await api.post(PATH, {
      queries: [
        { name: 'A, B', date: '2019-02-30' },
        { date: '2019-01-01' },
        { name: 'A, B', fips: '603' },
        7,
        query({ ...address('1 Fault St'), zip: 6100 }),
        query({ ...address('1 Fault St'), zip: null, zip_code: 6100, city: ['Samplebury'] }),
        { name: 'A, B', year: true },
      ],
    });
    expect(answer.status).toBe(400);
    const { errors } = (await answer.json()) as { errors: { pointer: string; detail: string }[] };
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/queries/0/date',
      '/queries/1',
      '/queries/2/fips',
      '/queries/3',
      '/queries/4/zip',
      '/queries/5/city',
      '/queries/5/zip_code',
      '/queries/6/year',
    ]);
    expect(errors.slice(4, 7).map(({ detail }) => detail)).toEqual(Array(3).fill('must be text'));
    expect(await askedFor('1 Fault St')).toEqual([]);
  });

  it('queries neither the database nor the geocoder for addresses that cannot be geocoded', async () => {
    const statements = jest.spyOn(pool, 'query');
    const connections = jest.spyOn(pool, 'connect');
    const results = await resultsOf([
      query({ street: '', city: 'Samplebury', state: 'CT', zip: '06100' }),
      query(address('PO Box 12')),
      query({ street: '1 High St', city: 'London', state: '', zip: 'SW1A 1AA' }),
      query({ street: 'Unit 5', city: 'APO', state: 'AE', zip: '09000' }),
    ]);
    expect(results.map((result) => result.geocode_status)).toEqual(Array(4).fill('SKIPPED'));
    const about = [...statements.mock.calls, ...connections.mock.calls].filter(([sql]) =>
      /location|geocode/.test(typeof sql === 'string' ? sql : ((sql as { text?: string } | undefined)?.text ?? '')),
    );
    expect([about, connections.mock.calls]).toEqual([[], []]);
    statements.mockRestore();
    connections.mockRestore();
  });

  it('requests a new address once for all spellings, and returns its location later', async () => {
    const spellings = [
      address('12 Once St Apt 3'),
      { street: '12  once st., #3', city: 'SAMPLEBURY', state: 'ct', zip: '06100-1234' },
    ];
    const other = address('14 Once St');
    const queries = [...spellings, other].map(query);
    for (let time = 0; time < 2; time++)
      for (const result of await resultsOf(queries))
        expect(result).toMatchObject({ ...NOWHERE, geocode_status: 'PENDING' });
    const asked_by = SINGLE_LOOKUPS_BATCH_ID;
    await until('both are asked for', async () => (await askedFor('1_ %once st%')).length === 2);
    expect(await askedFor('12 %once st%')).toEqual([{ street: '12 Once St Apt 3', ask_order: 1, asked_by }]);
    expect(await askedFor('14 once st')).toEqual([{ street: '14 Once St', ask_order: 3, asked_by }]); // its first row
    await api.locate([
      {
        address: spellings[0],
        outcome: 'MATCH',
        fips: '09001',
        tract: '010100',
        block: '1000',
        matchedAddress: '12 ONCE ST, SAMPLEBURY, CT, 06100',
      },
      { address: other, outcome: 'MATCH', fips: '09001', matchedAddress: '14 ONCE ST, SAMPLEBURY, CT, 06100' },
    ]);
    const [first, second, third] = await resultsOf(queries);
    expect(first).toMatchObject({ ...FAIRFIELD, tract_cd: '010100', block_cd: '1000', geocode_status: 'MATCH' });
    expect(first.address_id).toMatch(/^[0-9a-f]{32}$/);
    expect(second).toEqual(first);
    expect(third).toMatchObject({ ...FAIRFIELD, tract_cd: null, block_cd: null, geocode_status: 'MATCH' });
    expect(third.address_id).not.toBe(first.address_id);
    expect(await askedFor('12 %once st%')).toEqual([]);
  });

  it('looks up all addresses with one statement', async () => {
    const statements = jest.spyOn(pool, 'query');
    const known = address('1 One Statement Way');
    await api.locate([{ address: known, outcome: 'NO_MATCH' }]);
    statements.mockClear();
    const results = await resultsOf(
      [known, address('2 One Statement Way'), known, address('3 One Statement Way')].map(query),
    );
    expect(results.map((result) => result.geocode_status)).toEqual(['NO_MATCH', 'PENDING', 'NO_MATCH', 'PENDING']);
    const looked = statements.mock.calls
      .map(([sql]) => (typeof sql === 'string' ? sql : (sql as { text: string }).text))
      .filter((sql) => /\bfrom location\b/i.test(sql));
    expect(looked).toHaveLength(1);
    statements.mockRestore();
  });

  it('returns the given county without a match, and the county of a tie if all its locations share it', async () => {
    const [none, tie, wide, pending] = ['1 None Rd', '2 Tie Rd', '3 Wide Rd', '4 Later Rd'].map(address);
    await api.locate([
      { address: none, outcome: 'NO_MATCH' },
      { address: tie, outcome: 'TIE', fips: '09003' },
      { address: wide, outcome: 'TIE' },
    ]);
    const given = { fips: '09001' };
    const results = await resultsOf([
      query({ ...none, ...given }),
      query({ ...tie, ...given }),
      query(tie),
      query(wide),
      query({ ...pending, ...given }),
    ]);
    expect(results.map(({ geocode_status: status, fips, county }) => [status, fips, county])).toEqual([
      ['NO_MATCH', '09001', 'Fairfield County'],
      ['TIE', '09003', 'Hartford County'],
      ['TIE', '09003', 'Hartford County'],
      ['TIE', null, null],
      ['PENDING', '09001', 'Fairfield County'],
    ]);
    for (const result of results) expect(result).toMatchObject({ tract_cd: null, block_cd: null, address_id: null });
  });

  it('uses the second line of an address if the first is a post office box', async () => {
    await api.locate([{ address: address('5 Second Line Ct'), outcome: 'MATCH', fips: '09001' }]);
    const [result] = await resultsOf([query({ ...address('PO Box 9'), street_2: '5 Second Line Ct' })]);
    expect(result).toMatchObject({ ...FAIRFIELD, geocode_status: 'MATCH' });
  });

  it('requests an address again if its outcome has expired', async () => {
    const expired = address('6 Expired Ave');
    await api.locate([{ address: expired, outcome: 'NO_MATCH' }]);
    const key = api.app.get(AddressKeys).keyOf(expired);
    await pool.query(`update location set expires_at = now() - interval '1 second' where address_key = $1`, [key]);
    expect((await resultsOf([query(expired)]))[0].geocode_status).toBe('PENDING');
    await until('it is asked for', async () => (await askedFor('6 Expired Ave')).length === 1);
  });

  it('requests no more pending addresses than the limit, and continues when there are fewer', async () => {
    await pool.query('truncate geocode_address');
    await pool.query(
      `insert into geocode_address (address_key, asked_by, ask_order, street, city, state, zip, benchmark, vintage)
       select decode(md5(n::text), 'hex'), $1, n, '', '', '', '', '', '' from generate_series(2, $2::int) n`,
      [SINGLE_LOOKUPS_BATCH_ID, MAX_SINGLE_LOOKUP_ADDRESSES],
    );
    const fillers = "street = ''";
    let n = 0;
    const asking = async (): Promise<number> => {
      const queries = [address(`${++n} Full St`), address(`${++n} Full St`)].map(query);
      for (const { geocode_status: status } of await resultsOf(queries)) expect(status).toBe('PENDING');
      return (await askedFor('% full st')).length;
    };
    await until('one is asked for, the last that may wait', async () => {
      await pool.query(`delete from geocode_address where not (${fillers})`); // the cached count may be outdated
      return (await asking()) === 1;
    });
    expect([await asking(), await asking()]).toEqual([1, 1]);
    await pool.query(`delete from geocode_address where ${fillers}`);
    await until('more are asked for', async () => (await asking()) > 1);
  });

  describe('while the database', () => {
    let admin: Client;
    let database: string;
    beforeAll(async () => {
      const { rows } = await pool.query<{ name: string }>('select current_database() as name');
      database = rows[0].name;
      const url = new URL(pool.options.connectionString!);
      url.pathname = '/postgres';
      admin = new Client({ connectionString: url.href });
      await admin.connect();
    });
    afterAll(() => admin.end());

    it('is unavailable, returns PENDING and other attributes, and requests the address afterwards', async () => {
      const place = address('7 Away St');
      await admin.query(`alter database ${database} allow_connections false`);
      try {
        await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [database]);
        for (const prefer of ['handling=lenient', 'wait=30']) {
          const answer = await api.post(PATH, { queries: [query({ ...place, fips: '09001' })] }, { prefer });
          expect([answer.status, answer.headers.get('preference-applied')]).toEqual([200, null]);
          expect(await answer.json()).toMatchObject({
            results: [{ gender: 'f', ethnicity: 'hispanic', ...FAIRFIELD, geocode_status: 'PENDING' }],
          });
        }
      } finally {
        await admin.query(`alter database ${database} allow_connections true`);
      }
      await until('the address is asked for', async () => {
        await resultsOf([query(place)]);
        return (await askedFor('7 Away St')).length === 1;
      });
    });

    it('is slow, returns PENDING within a limited time, and uses a limited number of connections', async () => {
      const place = address('8 Slow St');
      await api.locate([{ address: place, outcome: 'NO_MATCH' }]);
      const locker = new Client({ connectionString: pool.options.connectionString });
      await locker.connect();
      await locker.query('begin');
      await locker.query('lock table location in access exclusive mode');
      const statuses = async (requests: number) =>
        Promise.all(Array.from({ length: requests }, async () => (await resultsOf([query(place)]))[0].geocode_status));
      expect(await statuses(3)).toEqual(Array(3).fill('PENDING'));
      expect(await statuses(20)).toEqual(Array(20).fill('PENDING'));
      const { rows } = await locker.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(rows[0].waiting).toBe(3);
      await locker.query('rollback');
      await locker.end();
      await until('it is looked up again', async () => (await statuses(1))[0] === 'NO_MATCH');
    });
  });
});
