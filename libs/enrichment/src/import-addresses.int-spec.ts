import { type PoolClient } from 'pg';
import { ContributionStore } from '@donorlens/campaign-finance';
import { inTransaction } from '@donorlens/database';
import { LocationRepository } from '@donorlens/locations';
import { type ImportSpec } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import { until } from '../../../test/support/until';
import {
  bulkRecord,
  filedChunk,
  filedSpec,
  filingRecord,
  recordsOf,
  storeBulk,
  storedRecord,
} from '../../../test/support/fec-data/filed-records';
import {
  ADDRESS_KEYS,
  type KnownAddress,
  locateContributions,
  storeLocations,
} from '../../../test/support/reference-data/known-addresses';
import { enrichChunk } from './enrich-chunk';

const FILING = filedSpec({ kind: 'filing', fileNum: '900001' });
const HOME = { street: '1 QUILL LANE', city: 'QUILLTON', state: 'VA', zip: '000011234' };
const OTHER = { ...HOME, street: '3 QUILL LANE' };
const ZIPPED = { ZIP_CODE: '220011234' };
const keyOf = ({ street }: { street: string }): Buffer =>
  ADDRESS_KEYS.keyOf({ ...HOME, zip: ZIPPED.ZIP_CODE, street })!;
const FIPS = '51059';
const INCOME = 120_000;
const incomeOf = (fips: string): number | null => (fips === FIPS ? INCOME : null);
const SUB_ID = '4000000000000000001';

interface Stored {
  readonly row_id: string;
  readonly file_cycle: number | null;
  readonly record: string;
  readonly address_key: Buffer | null;
  readonly hh_income_median: number | null;
}

describe('addresses of contributions', () => {
  let db: TestDatabase;
  let store: ContributionStore;
  let locations: LocationRepository;
  let release: Release;

  beforeAll(async () => {
    db = await testDatabase();
    locations = new LocationRepository(db.pool, ADDRESS_KEYS);
    store = new ContributionStore(locations);
    release = await sampleTables();
    await inTransaction(db.pool, async (client) => {
      for (const cycle of [2014, 2016]) await store.ensureCycle(client, cycle);
    });
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query(
      `truncate contribution, donor_touched, fec_reject, fec_import, location, location_wait,
         geocode_address, geocode_call cascade`,
    );
    await db.pool.query(
      `insert into fec_import (id, kind, cycle, label, source, epoch) overriding system value
       values (1, 'contributions', 2016, 'sample', 'synthetic', 1)`,
    );
  });

  const row = (cells: Parameters<typeof filingRecord>[0] = {}): string =>
    filingRecord({ STREET_1: HOME.street, ...ZIPPED, ...cells });
  const fed = async (records: readonly string[], filed: ImportSpec = FILING, giving = incomeOf): Promise<number> => {
    const chunk = filedChunk(records.length, filed);
    const enriched = enrichChunk(chunk, recordsOf(records), release, { addressKeys: ADDRESS_KEYS });
    const known = await locations.outcomes(enriched.addresses.map(({ key }) => key));
    const stores = (client: PoolClient) => store.store(client, filed, 'r.1', enriched, { known, incomeOf: giving });
    const { written } = await (filed.kind === 'contributions'
      ? storeBulk(db.pool, 'r.1', stores)
      : inTransaction(db.pool, stores));
    return written;
  };
  /** The answer of a geocoder comes in. */
  const geocoded = (known: readonly KnownAddress[]): Promise<number> => locateContributions(db.pool, known, incomeOf);
  const rowsOf = async <T extends object>(sql: string): Promise<T[]> => (await db.pool.query<T>(sql)).rows;
  const stored = (): Promise<Stored[]> =>
    rowsOf('select ctid || xmin::text as version, * from contribution order by cycle, row_id desc');
  const asked = (): Promise<object[]> =>
    rowsOf(
      `select street, city, state, left(zip, 5) as zip, asked_by, ask_order from geocode_address order by ask_order, street`,
    );
  const touched = async (): Promise<number> =>
    (await rowsOf('with gone as (delete from donor_touched returning 1) select from gone')).length;
  const places = async (): Promise<[Buffer | null, number | null][]> =>
    (await stored()).map(({ address_key, hh_income_median }) => [address_key, hh_income_median]);

  /** A call travels with this address. */
  const carry = async (key: Buffer): Promise<void> => {
    await db.pool.query(
      `with call as (insert into geocode_call (kind, benchmark, vintage, rows) values ('batch', 'b', 'v', 1) returning id)
       update geocode_address set call_id = call.id from call where address_key = $1`,
      [key],
    );
  };
  /** A transaction of this database waits for a lock. */
  const isWaiting = async (): Promise<boolean> =>
    (
      await rowsOf(
        'select from pg_locks where not granted and pid in (select pid from pg_stat_activity where datname = current_database())',
      )
    ).length > 0;

  it('are requested once, as written, in the order of their rows, and not stored in the rows', async () => {
    await fed([
      row({ STREET_1: 'PO BOX 5', STREET_2: '3 quill lane' }),
      row({ TRAN_ID: 'T2' }),
      row({ TRAN_ID: 'T3', STREET_1: '1 Quill Lane', ZIP_CODE: '22001' }),
      row({ TRAN_ID: 'T4', STREET_1: 'PO BOX 5' }),
    ]);
    expect(await asked()).toEqual([
      { ...OTHER, street: '3 quill lane', zip: '22001', asked_by: null, ask_order: 1 },
      { ...HOME, zip: '22001', asked_by: null, ask_order: 2 },
    ]);
    const keys = new Set((await stored()).map(({ address_key }) => address_key?.toString('hex') ?? null));
    expect(keys).toEqual(new Set([keyOf(HOME), keyOf(OTHER)].map((key) => key.toString('hex')).concat([null!])));
  });

  it('do not change if a filing is imported again, before or after they are geocoded', async () => {
    await fed([row(), row({ TRAN_ID: 'T2' })]);
    const before = [await stored(), await asked()];
    expect(await fed([row(), row({ TRAN_ID: 'T2' })])).toBe(0);
    expect([await stored(), await asked()]).toEqual(before);
    expect(await geocoded([{ key: keyOf(HOME), fips: FIPS }])).toBe(2);
    const after = await stored();
    await touched();
    expect(await fed([row(), row({ TRAN_ID: 'T2' })])).toBe(0);
    expect(await stored()).toEqual(after);
    expect([await asked(), await touched()]).toEqual([[], 0]);
  });

  it('give all of their rows the income of their county when geocoded, and their donors are counted again', async () => {
    await fed([
      row(),
      row({ TRAN_ID: 'T2', TRANSACTION_DT: '02012014' }),
      row({ TRAN_ID: 'T3', STREET_1: OTHER.street }),
    ]);
    await touched();
    const told = [
      { key: keyOf(HOME), fips: FIPS },
      { key: Buffer.from('of no row here..'), fips: FIPS },
    ];
    expect(await geocoded(told)).toBe(2);
    expect(await rowsOf('select cycle, hh_income_median as income from contribution order by tran_id')).toEqual([
      { cycle: 2016, income: INCOME },
      { cycle: 2014, income: INCOME },
      { cycle: 2016, income: null },
    ]);
    expect(await touched()).toBe(2);
    const locate = (fips: string | null) =>
      inTransaction(db.pool, (client) => store.storeLocations(client, [{ key: keyOf(HOME), fips }], incomeOf));
    expect([await locate(FIPS), await touched()]).toEqual([0, 0]);
    expect([await locate(null), await touched()]).toEqual([2, 2]);
    expect(await rowsOf('select from contribution where hh_income_median is not null')).toEqual([]);
  });

  it('that are known are not requested, and give their income at once', async () => {
    await storeLocations(db.pool, [
      { key: keyOf(HOME), fips: FIPS },
      { key: keyOf(OTHER), outcome: 'NO_MATCH' },
    ]);
    await fed([row(), row({ TRAN_ID: 'T2', STREET_1: OTHER.street })]);
    expect(await asked()).toEqual([]);
    expect(await rowsOf('select hh_income_median as income from contribution order by tran_id')).toEqual([
      { income: INCOME },
      { income: null },
    ]);
  });

  it('that are geocoded at the same moment are known to a new row and to a changed one', async () => {
    await fed([row()]);
    let coming: Promise<number> = Promise.resolve(0);
    await inTransaction(db.pool, async (client) => {
      await storeLocations(client, [{ key: keyOf(HOME), fips: FIPS }]);
      coming = fed([row({ TRANSACTION_AMT: '75' }), row({ TRAN_ID: 'T2' })]);
      await until('the import waits for the address', isWaiting);
      await store.storeLocations(client, [{ key: keyOf(HOME), fips: FIPS }], incomeOf);
    });
    expect(await coming).toBe(2);
    expect(await places()).toEqual([
      [keyOf(HOME), INCOME],
      [keyOf(HOME), INCOME],
    ]);
    expect(await asked()).toEqual([]);
  });

  it('of a row are replaced with those of its new version, and so is the income', async () => {
    await fed([row()]);
    await geocoded([{ key: keyOf(HOME), fips: FIPS }]);
    await touched();
    expect(await fed([row({ STREET_1: OTHER.street })])).toBe(1);
    expect(await places()).toEqual([[keyOf(OTHER), null]]);
    expect(await touched()).toBe(1);
    expect(await asked()).toMatchObject([{ street: OTHER.street }]);
    expect(await fed([row({ STREET_1: '' })])).toBe(1);
    expect(await places()).toEqual([[null, null]]);
  });

  describe('of rows that are enriched again', () => {
    const storeAgain = async (giving: (fips: string) => number | null): Promise<number> =>
      fed((await stored()).map(storedRecord), filedSpec({ kind: 'reenrich' }), giving);

    it('change nothing if their county has the same income', async () => {
      await fed([row()]);
      await geocoded([{ key: keyOf(HOME), fips: FIPS }]);
      const before = await stored();
      await storeAgain(incomeOf);
      expect(await stored()).toEqual(before);
    });

    it('give the income of the new release to their rows; rows without an address have none', async () => {
      await fed([
        row(),
        row({ TRAN_ID: 'T2', STREET_1: OTHER.street }),
        row({ TRAN_ID: 'T3', STREET_1: '' }),
        row({ TRAN_ID: 'T4', TRANSACTION_DT: '02012014' }),
      ]);
      await geocoded([{ key: keyOf(HOME), fips: FIPS }, { key: keyOf(OTHER) }]);
      await touched();
      const incomes = () => rowsOf('select tran_id as id, hh_income_median as income from contribution order by 1');
      expect(await storeAgain((fips) => (fips === FIPS ? 90_000 : 1))).toBe(2);
      expect(await incomes()).toEqual([
        { id: 'T1', income: 90_000 },
        { id: 'T2', income: null },
        { id: 'T3', income: null },
        { id: 'T4', income: 90_000 },
      ]);
      expect(await touched()).toBe(2);
      expect(await storeAgain(() => null)).toBe(2);
      expect(await rowsOf('select from contribution where hh_income_median is not null')).toEqual([]);
    });
  });

  describe('of a row that is replaced by its processed version', () => {
    const bulk = bulkRecord(ZIPPED);
    const giveWay = (): Promise<number> => inTransaction(db.pool, (client) => store.removeReplacedRows(client));

    it('belong to the processed row, with their outcome; its donor is counted again', async () => {
      await fed([row()]);
      await geocoded([{ key: keyOf(HOME), fips: FIPS }]);
      await fed([bulk], filedSpec());
      await touched();
      expect(await giveWay()).toBe(1);
      expect(await places()).toEqual([[keyOf(HOME), INCOME]]);
      expect((await stored())[0].row_id).toBe(SUB_ID);
      expect(await touched()).toBeGreaterThan(0);
      expect(await fed([bulk], filedSpec())).toBe(0);
      expect(await fed([bulkRecord({ ...ZIPPED, TRANSACTION_AMT: '75' })], filedSpec())).toBe(1);
      expect(await places()).toEqual([[keyOf(HOME), INCOME]]);
    });

    it('are still requested, and geocoded for the processed row', async () => {
      await fed([row()]);
      await fed([bulk], filedSpec());
      await giveWay();
      expect(await asked()).toHaveLength(1);
      expect(await geocoded([{ key: keyOf(HOME), fips: FIPS }])).toBe(1);
      expect(await places()).toEqual([[keyOf(HOME), INCOME]]);
    });

    it('give the processed row its income if they are geocoded at the same moment, in either order', async () => {
      await fed([row()]);
      await fed([bulk], filedSpec());
      await carry(keyOf(HOME));
      let telling: Promise<number> = Promise.resolve(0);
      await inTransaction(db.pool, async (client) => {
        expect(await store.removeReplacedRows(client)).toBe(1);
        telling = geocoded([{ key: keyOf(HOME), fips: FIPS }]);
        await until('the answer waits for the row that goes', isWaiting);
      });
      expect(await telling).toBe(1);
      expect(await places()).toEqual([[keyOf(HOME), INCOME]]);
    });

    it('are geocoded before the row is removed if both happen at the same moment', async () => {
      await fed([row()]);
      await fed([bulk], filedSpec());
      await carry(keyOf(HOME));
      let going: Promise<number> = Promise.resolve(0);
      await inTransaction(db.pool, async (client) => {
        await storeLocations(client, [{ key: keyOf(HOME), fips: FIPS }]);
        expect(await store.storeLocations(client, [{ key: keyOf(HOME), fips: FIPS }], incomeOf)).toBe(1);
        going = giveWay();
        await until('the removal waits for the answer', isWaiting);
      });
      expect(await going).toBe(1);
      expect(await places()).toEqual([[keyOf(HOME), INCOME]]);
    });

    it('are dropped if the processed row has one itself', async () => {
      await fed([bulk], filedSpec());
      await db.pool.query('update contribution set address_key = $1, hh_income_median = 1', [keyOf(OTHER)]);
      await fed([row()]);
      expect(await giveWay()).toBe(1);
      expect(await places()).toEqual([[keyOf(OTHER), 1]]);
      expect(await asked()).toEqual([]);
    });
  });

  describe('of a filing that is removed', () => {
    const gone = (fileNum = '900001'): Promise<number> =>
      inTransaction(db.pool, (client) => store.removeFiling(client, fileNum));

    it('are no longer requested', async () => {
      await fed([row(), row({ TRAN_ID: 'T2', STREET_1: OTHER.street })]);
      expect(await gone()).toBe(2);
      expect(await asked()).toEqual([]);
    });

    it('are still requested if another row has them, a batch waits for them, or a call contains them', async () => {
      const streets = [1, 2, 3, 4, 5].map((number) => `${number} QUILL LANE`);
      await fed(streets.map((street, i) => row({ TRAN_ID: `T${i}`, STREET_1: street })));
      await fed([row({ STREET_1: streets[0] })], filedSpec({ kind: 'filing', fileNum: '900002' }));
      const [, waited, carried, first] = streets.map((street) => keyOf({ street }));
      await db.pool.query('insert into location_wait values ($1, gen_random_uuid(), 1, 1)', [waited]);
      await carry(carried);
      await db.pool.query('update geocode_address set asked_by = gen_random_uuid() where address_key = $1', [first]);
      expect(await gone()).toBe(5);
      expect(await rowsOf('select street from geocode_address order by street')).toEqual(
        streets.slice(0, 4).map((street) => ({ street })),
      );
    });

    it('are not deleted with their row while another row requests or stores them', async () => {
      await fed([row()]);
      await inTransaction(db.pool, async (client) => {
        await client.query('select from geocode_address for key share');
        expect(await gone()).toBe(1);
      });
      expect(await asked()).toHaveLength(1);
    });
  });

  describe('are locked with their rows in the order of keys', () => {
    /** While one transaction holds the first row, no transaction that waits for it holds another one. */
    const isInOrder = async (work: () => Promise<number>): Promise<void> => {
      let working: Promise<number> = Promise.resolve(0);
      await inTransaction(db.pool, async (client) => {
        await client.query('select from contribution order by cycle, row_id limit 1 for update');
        working = work();
        await until('it waits for the first row', isWaiting);
        expect(await rowsOf('select from contribution for update skip locked')).toHaveLength(3);
      });
      expect(await working).toBe(4);
    };
    beforeEach(async () => {
      await fed(['T1', 'T2', 'T3', 'T4'].map((id) => row({ TRAN_ID: id })));
      await db.pool.query(
        // the first one lies last
        'update contribution set age = 1 where row_id = (select min(row_id) from contribution)',
      );
    });

    it('by a removal', async () => {
      await isInOrder(() => inTransaction(db.pool, (client) => store.removeFiling(client, '900001')));
    });

    it('by a re-enrichment', async () => {
      await geocoded([{ key: keyOf(HOME), fips: FIPS }]);
      const records = (await stored()).map(storedRecord); // backwards
      await isInOrder(() => fed(records, filedSpec({ kind: 'reenrich' }), () => 1));
    });
  });

  it('are deleted from the database after they are geocoded', async () => {
    await fed([row({ STREET_1: 'PO BOX 77321', STREET_2: '77321 QUILL LANE' })]);
    const tables = await rowsOf<{ name: string }>(
      `select oid::regclass::text as name from pg_class
       where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    const holding = async (): Promise<string[]> => {
      const found: string[] = [];
      for (const { name } of tables)
        if ((await rowsOf(`select from ${name} t where t::text ilike '%77321%' limit 1`)).length > 0) found.push(name);
      return found;
    };
    expect(await holding()).toEqual(['geocode_address']);
    await geocoded([{ key: keyOf({ street: '77321 QUILL LANE' }), fips: FIPS }]);
    expect(await holding()).toEqual([]);
    expect(await places()).toEqual([[keyOf({ street: '77321 QUILL LANE' }), INCOME]]);
  });
});
