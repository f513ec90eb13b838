import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestDatabase, testDatabase } from '../../../../test/support/servers';
import { exitCodeOf } from '../exit-code';
import { type Context } from '../program-context';
import { geocodeStatus, readStatus, geocoderLine } from './geocode-status';
import { retry } from './retry';

describe('the geocode commands', () => {
  let db: TestDatabase;
  let home: string;
  const written: string[] = [];
  const context: Context = {
    out: (text) => written.push(text),
    note: () => undefined,
    run: () => () => Promise.resolve(),
  };
  const environment = (more: Record<string, string> = {}) => {
    const ours = { DATABASE_URL: db.url, DONORLENS_HOME: home, ADDRESS_SECRET: 'a secret of the tests' };
    jest.replaceProperty(process, 'env', { ...ours, ...more });
  };

  beforeAll(async () => {
    db = await testDatabase();
    home = mkdtempSync(join(tmpdir(), 'donorlens-geocode-'));
  });
  afterAll(async () => {
    await db.close();
    rmSync(home, { recursive: true, force: true });
  });
  beforeEach(async () => {
    written.length = 0;
    await db.pool.query(`truncate geocode_address, location; delete from pointer`);
    environment();
  });
  afterEach(() => jest.restoreAllMocks());

  const failed = (count: number) =>
    db.pool.query(
      `insert into geocode_address (address_key, ask_order, street, city, state, zip, benchmark, vintage, failures,
         error_code, retry_at)
       select decode(md5(n::text), 'hex'), n, n || ' Nowhere St', 'Springfield', 'ZZ', '', 'b', 'v', 5, 'timeout', '2999-01-01'
       from generate_series(1, $1::int) n`,
      [count],
    );
  const refusal = (work: Promise<unknown>): Promise<unknown> =>
    work.then(
      () => 'done',
      (error: unknown) => exitCodeOf(error),
    );

  it('show pending addresses as text and as JSON, and end with exit code 0', async () => {
    await failed(3);
    environment({ GEOCODER_URL: 'http://user:secret@geocoder.test:8080/geocoder/' });
    expect(await geocodeStatus(context, {})).toBe(0);
    expect(written[0]).toContain('3 addresses failed in single-address calls');
    expect(written[0]).toMatch(/settings +host geocoder\.test:8080, benchmark/);
    expect(await geocodeStatus(context, { json: true })).toBe(0);
    expect(JSON.parse(written[1])).toMatchObject({
      ...{ circuit: 'closed', waiting: 3, errors: 3, outcomes: { MATCH: 0, NO_MATCH: 0, TIE: 0 } },
      ...{
        callsPerMinute: 3000,
        callsAtOnce: 2,
        host: 'geocoder.test:8080',
        benchmark: 'Public_AR_Current',
        vintage: 'Census2020_Current',
      },
    });
    expect(JSON.parse(written[1])).toMatchObject({
      activity: 'errors',
      waitingUnder: [{ benchmark: 'b', vintage: 'v', waiting: 3 }],
    });
    expect(written[0]).toContain('3 addresses wait for an answer of benchmark b, vintage v');
    expect(geocoderLine(await readStatus(db.url))).toContain('3 addresses wait: ');
    expect(written.join()).not.toContain('Nowhere');
  });

  it('retry addresses with errors, or count them', async () => {
    await failed(2);
    const errors = async () =>
      (await db.pool.query('select from geocode_address where error_code is not null')).rowCount;
    expect(await retry(context, { outcome: 'ERROR', dryRun: true })).toBe(0);
    expect([written[0], await errors()]).toEqual(['2 addresses with ERROR would be geocoded again now', 2]);
    expect(await retry(context, { outcome: 'ERROR', json: true })).toBe(0);
    expect([JSON.parse(written[1]), await errors()]).toMatchObject([{ outcome: 'ERROR', asked: 2, dryRun: false }, 0]);
  });

  it('need the secret that hashed the rows, except for counting', async () => {
    await db.pool.query(`insert into pointer (name, version_id) values ('address-secret', 'of another')`);
    await db.pool.query(`insert into location (address_key, outcome) values ('\\x00', 1)`);
    expect(await refusal(retry(context, { outcome: 'NO_MATCH' }))).toBe(2);
    environment({ ADDRESS_SECRET: '' });
    expect(await refusal(retry(context, { outcome: 'NO_MATCH' }))).toBe(2);
    expect(await retry(context, { outcome: 'NO_MATCH', dryRun: true })).toBe(0);
    const { rowCount } = await db.pool.query('select from location where expires_at is null');
    expect(rowCount).toBe(1);
  });

  it('end with exit code 3 without a database', async () => {
    environment({ DATABASE_URL: 'postgres://127.0.0.1:9/none' });
    expect(await refusal(geocodeStatus(context, {}))).toBe(3);
    environment({ DATABASE_URL: '' });
    expect(await refusal(retry(context, { outcome: 'ERROR' }))).toBe(3);
  });
});
