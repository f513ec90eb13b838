import { type PoolClient } from 'pg';
import { ContributionStore, type StoreCounts } from '@donorlens/campaign-finance';
import { inTransaction } from '@donorlens/database';
import { Demographics } from '@donorlens/demographics';
import { LocationRepository } from '@donorlens/locations';
import { type Release } from '@donorlens/reference-data';
import { type ImportSpec } from '@donorlens/primitives';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { type TestDatabase, testDatabase } from '../../../test/support/servers';
import {
  bulkRecord,
  filedChunk,
  filedSpec,
  filingRecord,
  recordsOf,
  storeBulk,
  storedRecord,
} from '../../../test/support/fec-data/filed-records';
import { enrichChunk } from './enrich-chunk';
import { type EnrichmentTables } from './enrich-contribution';

const FILING = filedSpec({ kind: 'filing', fileNum: '900001' });
const NOTHING_KNOWN = { known: new Map(), incomeOf: () => null };
const ID = (n: number): string => `40000000000000000${String(n).padStart(2, '0')}`;

interface Stored {
  row_id: string;
  version: string;
  [column: string]: unknown;
}

describe('contributions', () => {
  let store: ContributionStore;
  let db: TestDatabase;
  let release: Release;

  beforeAll(async () => {
    db = await testDatabase();
    store = new ContributionStore(new LocationRepository(db.pool, null));
    release = await sampleTables();
    await inTransaction(db.pool, async (client) => {
      for (const cycle of [2014, 2016]) await store.ensureCycle(client, cycle);
    });
  });
  afterAll(() => db.close());
  beforeEach(async () => {
    await db.pool.query('truncate contribution, donor_touched, fec_reject, fec_import cascade');
    await db.pool.query(
      `insert into fec_import (id, kind, cycle, label, source, epoch) overriding system value
       values (1, 'contributions', 2016, 'sample', 'synthetic', 1)`,
    );
  });

  const fed = (records: string[], filed: ImportSpec = filedSpec(), tables: EnrichmentTables = release, id = 'r.1') => {
    const enriched = enrichChunk(filedChunk(records.length, filed), recordsOf(records), tables);
    const stores = (client: PoolClient) => store.store(client, filed, id, enriched, NOTHING_KNOWN);
    return filed.kind === 'contributions' ? storeBulk(db.pool, id, stores) : inTransaction(db.pool, stores);
  };
  /** Rows with the version of each, which changes with every write. */
  const stored = async (): Promise<Stored[]> =>
    (await db.pool.query<Stored>('select ctid || xmin::text as version, * from contribution order by cycle, row_id'))
      .rows;
  const touched = async (): Promise<string[]> => {
    const { rows } = await db.pool.query<{ donor_key: string }>('delete from donor_touched returning donor_key');
    return [...new Set(rows.map(({ donor_key }) => donor_key))].sort();
  };
  const count = async (table: string): Promise<number> =>
    (await db.pool.query<{ n: number }>(`select count(*)::int as n from ${table}`)).rows[0].n;
  const gifts = [1, 2, 3].map((n) => bulkRecord({ SUB_ID: ID(n), ZIP_CODE: `0000${n}` }));

  it('are stored with filed values, counting and attributes of the name', async () => {
    expect(await fed([gifts[0]])).toEqual({ written: 1, rejected: 0 } satisfies StoreCounts);
    expect((await stored())[0]).toMatchObject({
      ...{ cycle: 2016, row_id: ID(1), committee_id: 'C99000001', money_cents: '25000', counts_money: true },
      ...{ counts_donor: true, count_reason: 0, earmark: 0, is_copy: false, state: 'VA', file_num: '900001' },
      ...{ tran_id: 'T1', gender: 'f', address_key: null, release_no: 1, file_cycle: 2016, record: gifts[0] },
    });
    expect(await db.pool.query('select received_on::text from contribution')).toMatchObject({
      rows: [{ received_on: '2016-03-01' }],
    });
    expect(await db.pool.query('select release_id from enrichment_release where no = 1')).toMatchObject({
      rows: [{ release_id: 'r.1' }],
    });
  });

  it('are not written again if the same chunk or file is repeated', async () => {
    await fed(gifts);
    const before = await stored();
    await touched();
    expect(await fed(gifts)).toEqual({ written: 0, rejected: 0 });
    expect(await fed([...gifts].reverse())).toEqual({ written: 0, rejected: 0 });
    expect(await fed(gifts, filedSpec(), release, 'another, with the same values')).toMatchObject({ written: 0 });
    expect(await stored()).toEqual(before);
    expect(await touched()).toEqual([]);
  });

  it('leave nothing if the process dies before the commit', async () => {
    const rows = [1, 2, 3].map((n) => filingRecord({ TRAN_ID: `T${n}` }));
    const enriched = enrichChunk(filedChunk(3, FILING), recordsOf(rows), release);
    const dying = inTransaction(db.pool, async (client) => {
      await store.store(client, FILING, 'r.1', enriched, NOTHING_KNOWN);
      throw new Error('killed');
    });
    await expect(dying).rejects.toThrow('killed');
    expect([await count('contribution'), await count('donor_touched')]).toEqual([0, 0]);
    expect(await fed(rows, FILING)).toMatchObject({ written: 3 });
  });

  it('touch their former and their new donor', async () => {
    await fed(gifts);
    const [first] = await stored();
    await touched();
    expect(await fed([bulkRecord({ SUB_ID: ID(1), ZIP_CODE: '00009' }), ...gifts.slice(1)])).toMatchObject({
      written: 1,
    });
    const [changed] = await stored();
    expect(changed.donor_key).not.toBe(first.donor_key);
    expect(await touched()).toEqual([first.donor_key, changed.donor_key].sort());
  });

  it('with the same row id in a chunk are one row, the last', async () => {
    const twice = [gifts[0], bulkRecord({ SUB_ID: ID(1), TRANSACTION_AMT: '75' })];
    expect(await fed(twice)).toMatchObject({ written: 1 });
    expect(await stored()).toMatchObject([{ money_cents: '7500' }]);
    expect(await fed(twice)).toMatchObject({ written: 0 });
  });

  it('of two simultaneous chunks do not deadlock', async () => {
    const many = Array.from({ length: 200 }, (_, i) => filingRecord({ TRAN_ID: `T${i}` }));
    const stores = (records: readonly string[]) => fed([...records], FILING);
    await Promise.all([many, [...many].reverse(), many, [...many].reverse()].map(stores));
    expect(await count('contribution')).toBe(200);
    const changed = [1, 2, 3, 4].map((amount) =>
      many.map((record) => record.replace('\x1c250\x1c', `\x1c${amount}\x1c`)),
    );
    await Promise.all(changed.map((records, i) => stores(i % 2 ? [...records].reverse() : records)));
    expect(new Set((await stored()).map(({ money_cents }) => money_cents)).size).toBe(1);
  });

  it('keep marks that depend on other rows', async () => {
    await fed(gifts);
    await db.pool.query('update contribution set is_copy = true, address_key = $1', [Buffer.from('place')]);
    await fed([bulkRecord({ SUB_ID: ID(1), TRANSACTION_AMT: '-5' })]);
    expect(await stored()).toMatchObject(gifts.map(() => ({ is_copy: true, address_key: Buffer.from('place') })));
  });

  it('without a valid date belong to the cycle of their file', async () => {
    await fed([bulkRecord({ TRANSACTION_DT: '02302016' }), bulkRecord({ SUB_ID: ID(2), TRANSACTION_DT: '12312014' })]);
    expect(await stored()).toMatchObject([
      { cycle: 2014, row_id: ID(2), file_cycle: 2016 },
      { cycle: 2016, row_id: ID(1), received_on: null, gender: 'f', age: null, age_adult: null, counts_donor: false },
    ]);
  });

  describe('enriched again with another release', () => {
    /** Knows another race for one surname, and is the same otherwise. */
    const other = (): EnrichmentTables => {
      const { tables, counties } = release;
      const { names, pct, race, ...rest } = tables.surnames2010;
      const [garcia, nguyen] = [names.find('GARCIA'), names.find('NGUYEN')];
      const surnames2010 = {
        ...{ ...rest, names },
        pct: Uint16Array.from(pct).copyWithin(6 * garcia, 6 * nguyen, 6 * nguyen + 6),
        race: Uint8Array.from(race).copyWithin(garcia, nguyen, nguyen + 1),
      };
      return { demographics: new Demographics({ ...tables, surnames2010 }), counties };
    };
    const again = async (tables: EnrichmentTables, id: string) => {
      const rows = (await stored()) as unknown as Parameters<typeof storedRecord>[0][];
      return fed(rows.map(storedRecord), filedSpec({ kind: 'reenrich' }), tables, id);
    };

    it('are rewritten only if a value differs, and then belong to the new release', async () => {
      await fed([...gifts, bulkRecord({ SUB_ID: ID(4), NAME: 'GARCIA, JOHN' })]);
      await fed([filingRecord({ TRAN_ID: 'T9', NAME: 'SMITH, MARY' })], FILING);
      const before = await stored();
      await touched();
      expect(await again(other(), 'r.2')).toEqual({ written: 1, rejected: 0 });
      const after = await stored();
      const isGarcia = ({ row_id }: Stored): boolean => row_id === ID(4);
      expect(after.filter((row) => !isGarcia(row))).toEqual(before.filter((row) => !isGarcia(row)));
      const [was, is] = [before, after].map((rows) => rows.find(isGarcia));
      expect(is).toMatchObject({ race: 'api', donor_key: was?.donor_key, record: was?.record });
      expect(is?.release_no).not.toBe(was?.release_no);
      expect(await touched()).toEqual([was?.donor_key]);
      expect(await again(other(), 'r.2')).toEqual({ written: 0, rejected: 0 });
    });

    it('are not restored if they were removed or replaced meanwhile', async () => {
      await fed([bulkRecord({ NAME: 'GARCIA, JOHN' }), bulkRecord({ SUB_ID: ID(2), NAME: 'GARCIA, JANE' })]);
      const rows = (await stored()) as unknown as Parameters<typeof storedRecord>[0][];
      await db.pool.query('delete from contribution where row_id = $1', [ID(1)]);
      await fed([bulkRecord({ SUB_ID: ID(2), NAME: 'GARCIA, JUNE' })]);
      const before = await stored();
      expect(await fed(rows.map(storedRecord), filedSpec({ kind: 'reenrich' }), other(), 'r.2')).toMatchObject({
        written: 0,
      });
      expect(await stored()).toEqual(before);
    });
  });

  describe('of an electronic filing', () => {
    const row = filingRecord({ STREET_1: '1 QUILL\\LANE', STREET_2: 'APT 2' });

    it('have a row id of their own, and line and names after the 21 columns', async () => {
      await fed([row, filingRecord({ TRAN_ID: 'T2' })], FILING);
      await fed([row, filingRecord({ TRAN_ID: 'T2' })], FILING);
      const rows = await stored();
      expect(rows).toHaveLength(2);
      for (const { row_id, file_cycle, file_num, record } of rows) {
        expect(BigInt(row_id) < 0n).toBe(true);
        expect([file_cycle, file_num]).toEqual([null, '900001']);
        expect((record as string).split('\x1c').slice(21)).toEqual(['SA17A', 'SMITH', 'MARY']);
      }
    });

    it('are replaced by the processed row of the same committee and transaction, of their filing or a later one', async () => {
      await fed([row, filingRecord({ TRAN_ID: 'T2' })], FILING);
      await fed([bulkRecord(), bulkRecord({ SUB_ID: ID(2), TRAN_ID: 'T2', FILE_NUM: '900002' })]);
      await touched();
      const raw = (await stored()).find(({ tran_id, row_id }) => tran_id === 'T1' && row_id.startsWith('-'));
      expect(await inTransaction(db.pool, (client) => store.removeReplacedRows(client))).toBe(2);
      expect((await stored()).map(({ tran_id, row_id }) => [tran_id, row_id.startsWith('-')])).toEqual([
        ['T1', false],
        ['T2', false],
      ]);
      expect(new Set(await touched())).toEqual(new Set([raw?.donor_key]));
      expect(await inTransaction(db.pool, (client) => store.removeReplacedRows(client))).toBe(0);
    });

    it('are removed with their filing', async () => {
      await fed([row], FILING);
      await fed([filingRecord()], filedSpec({ kind: 'filing', fileNum: '-77' }));
      await fed([bulkRecord()]);
      await touched();
      expect(await inTransaction(db.pool, (client) => store.removeFiling(client, '-77'))).toBe(1);
      expect((await stored()).map(({ file_num }) => file_num)).toEqual(['900001', '900001']);
      expect(await touched()).toHaveLength(1);
    });

    it('of a conduit belong to their recipient', async () => {
      const passed = filingRecord({ CMTE_ID: 'C99000009', TRANSACTION_TP: '24T', OTHER_ID: 'C99000001' });
      await fed([passed], FILING);
      expect(await stored()).toMatchObject([{ committee_id: 'C99000001', earmark: 2, counts_donor: true }]);
    });

    it('of the bulk file have their recipient after the columns', async () => {
      const memo = { CMTE_ID: 'C99000009', TRANSACTION_TP: '15E', OTHER_ID: 'C99000001', MEMO_CD: 'X', SUB_ID: '2' };
      const passed = bulkRecord({ CMTE_ID: 'C99000009', TRANSACTION_TP: '24T', SUB_ID: '1' });
      await fed([`${passed}\x1cC99000001`, `${bulkRecord(memo)}\x1cC99000001`]);
      expect(await stored()).toMatchObject([
        { committee_id: 'C99000001', earmark: 2, counts_donor: true },
        { committee_id: 'C99000001', earmark: 2, counts_donor: false, counts_money: false },
      ]);
    });

    it('of the bulk file that an imported committee forwards stay with it and do not count', async () => {
      await fed([bulkRecord({ CMTE_ID: 'C99000001', TRANSACTION_TP: '24T', OTHER_ID: 'C99000009' })]);
      expect(await stored()).toMatchObject([
        { committee_id: 'C99000001', earmark: 0, counts_donor: false, counts_money: false },
      ]);
    });
  });

  it('that crashed the process are stored without attributes, or as rejects', async () => {
    const cut = bulkRecord({ NAME: 'MISSING' }).split('\x1c').slice(0, 9).join('\x1c');
    const records = [gifts[0], gifts[1], cut, cut];
    const poison = new Set([2, 3, 4]);
    const enriched = enrichChunk(filedChunk(4, filedSpec()), recordsOf(records), release, { poison });
    expect(enriched.counts).toMatchObject({ ok: 1, failed: 3 });
    const done = await storeBulk(db.pool, 'r.1', (client) =>
      store.store(client, filedSpec(), 'r.1', enriched, NOTHING_KNOWN),
    );
    expect(done).toEqual({ written: 2, rejected: 2 });
    expect(await stored()).toMatchObject([
      { gender: 'f', counts_donor: true },
      {
        gender: null,
        race: null,
        age: null,
        donor_key: '0',
        counts_donor: false,
        money_cents: '25000',
        record: gifts[1],
      },
    ]);
    expect((await db.pool.query('select line, code, record from fec_reject order by line')).rows).toEqual([
      { line: '-2', code: 'poison', record: cut },
      { line: '-1', code: 'poison', record: cut },
    ]);
  });
});
