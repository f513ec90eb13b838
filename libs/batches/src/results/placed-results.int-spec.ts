import { type CountyFinder } from '@donorlens/primitives';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { AddressLife, keyOf } from '../../../../test/support/pipeline/address-life';
import { textOf } from '../../../../test/support/pipeline/pipeline';
import { county } from '../../../../test/support/pipeline/stored-results';
import { type Batch } from '../batch';
import { type ResultsFormat } from './batch-results';
import { sqlRows } from './result-page.repository';

const ADDRESS_ID = keyOf(-1).toString('hex');

describe('results with places', () => {
  let db: TestDatabase;
  let life: AddressLife;
  let batch: Batch;

  beforeAll(async () => {
    db = await testDatabase();
  });
  afterAll(() => db.close());

  /** Addresses 1: a match, 3: none, 4: a tie, 6: not geocoded; rows 6 to 8 come with a county of their own. */
  beforeEach(async () => {
    life = await AddressLife.on(db.pool);
    batch = await life.enriched(
      10,
      (row) => ([1, 3, 4, 6, 'skipped', 'skipped', 1, 3, 'invalid', 4] as const)[row - 1],
    );
    await db.pool.query(`update result set fips = '15005', hh_income_median = 1 where row_no between 6 and 8`);
    await life.locate([1, 3, 4]);
    batch = await life.current(batch.id);
  });

  const read = async (format: ResultsFormat, countyOf: CountyFinder = county): Promise<string> =>
    textOf(await life.pipeline.results.stream(batch, { format, partial: true, countyOf }));
  const places = (csv: string): string[] =>
    csv
      .trim()
      .split('\n')
      .map((line) => line.split(',').slice(-8, -1).join(','));

  it('have all columns in a file, and the county of the geocoder before that of the client', async () => {
    expect(places(await read('csv'))).toEqual([
      'FIPS,COUNTY,TRACT_CD,BLOCK_CD,HH_INCOME_MEDIAN,ADDRESS_ID,GEOCODE_STATUS',
      `06037,Los Angeles,300100,2004,67986,${ADDRESS_ID},MATCH`,
      ',,,,,,NO_MATCH',
      '06037,Los Angeles,,,67986,,TIE',
      ',,,,,,PENDING',
      ',,,,,,SKIPPED',
      '15005,Kalawao,,,,,SKIPPED',
      `06037,Los Angeles,300100,2004,67986,${ADDRESS_ID},MATCH`,
      '15005,Kalawao,,,,,NO_MATCH',
      ',,,,,,',
      '06037,Los Angeles,,,67986,,TIE',
    ]);
  });

  it('are the same in JSON', async () => {
    const lines = (await read('ndjson')).trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect((JSON.parse(await read('json')) as { results: unknown[] }).results).toEqual(rows);
    expect(rows[0]).toMatchObject({
      id: '1',
      fips: '06037',
      county: 'Los Angeles',
      tract_cd: '300100',
      block_cd: '2004',
      hh_income_median: 67_986,
      address_id: ADDRESS_ID,
      geocode_status: 'MATCH',
    });
    expect(rows.map((row) => [row.geocode_status, row.fips, row.hh_income_median])).toEqual([
      ['MATCH', '06037', 67_986],
      ['NO_MATCH', null, null],
      ['TIE', '06037', 67_986],
      ['PENDING', null, null],
      ['SKIPPED', null, null],
      ['SKIPPED', '15005', null],
      ['MATCH', '06037', 67_986],
      ['NO_MATCH', '15005', null],
      [null, null, null],
      ['TIE', '06037', 67_986],
    ]);
  });

  it('have an address as soon as it is geocoded, also after the batch has ended', async () => {
    expect(places(await read('csv'))[4]).toBe(',,,,,,PENDING');
    await life.locate([6]);
    batch = await life.current(batch.id);
    expect(batch.state).toBe('completed');
    expect((await read('csv')).split('\n')[4]).toMatch(/,51600,"Fairfax, city",300100,2004,106870,[0-9a-f]{32},MATCH$/);
  });

  it('have the counties of the batch’s release', async () => {
    expect(places(await read('csv', () => null))[1]).toBe(`06037,,300100,2004,,${ADDRESS_ID},MATCH`);
  });

  it('return rows without an answer as before', async () => {
    const errors = await textOf(await life.pipeline.results.errorsStream(batch, { format: 'ndjson', partial: true }));
    expect(JSON.parse(errors)).toMatchObject({ row: 9, error: 'bad_date', source: '{"id":"9"}' });
  });

  it('look up each address by key, for any number of locations', async () => {
    await db.pool.query(
      `insert into location (address_key, outcome) select decode(md5(n::text), 'hex'), 1 from generate_series(1, 20000) n`,
    );
    await db.pool.query(
      `insert into result (batch_id, row_no, outcome, address_key)
       select $1, n, 0, decode(md5(n::text), 'hex') from generate_series(11, 20000) n`,
      [batch.id],
    );
    await db.pool.query('analyze location, result');
    const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(
      `explain ${sqlRows(true, false)} where r.batch_id = '${batch.id}' and r.row_no between 1 and 4000 order by r.row_no`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('Index Scan using location_pkey on location');
    expect(plan).not.toMatch(/Seq Scan|Hash|Gather/);
  });
});
