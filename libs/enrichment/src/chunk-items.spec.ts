import { type Release } from '@donorlens/reference-data';
import { ADDRESS_KEYS } from '../../../test/support/reference-data/known-addresses';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { type ChunkSpec } from './chunk';
import { type EnrichOptions, enrichChunk, enrichRows, createEnrichedLines } from './enrich-chunk';
import { enrichItem } from './json-contribution';

const COLUMNS = ['first_name', 'surname', 'date', 'street', 'street_2', 'city', 'state', 'zip'] as const;
const SPEC: Omit<ChunkSpec, 'rows'> = {
  batchId: '0b5bd8f4-3c52-4bd2-b3a5-0d9d5d1a2f10',
  type: 'contributions',
  format: 'csv',
  columns: COLUMNS,
  mapping: Object.fromEntries(COLUMNS.map((name, at) => [name, at])),
  minAge: null,
  firstRow: 101,
};
const ELM = { street: '1 Elm St', city: 'Springfield', state: 'IL', zip: '62701' };
const OAK = { street: '7 Oak Ave', city: 'Springfield', state: 'IL', zip: '62701' };
const KEY_COLUMN = 16;

describe('addresses of a chunk', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });

  const chunkOf = (records: readonly string[], more: Partial<ChunkSpec> = {}): [ChunkSpec, Buffer] => [
    { ...SPEC, rows: records.length, ...more },
    Buffer.from(records.map((record) => `${record}\n`).join('')),
  ];
  const enriched = (records: readonly string[], more: Partial<ChunkSpec> = {}, options: EnrichOptions = {}) =>
    enrichChunk(...chunkOf(records, more), release, { addressKeys: ADDRESS_KEYS, ...options });
  const keysIn = (copy: Buffer): (Buffer | null)[] =>
    copy
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split('\t')[KEY_COLUMN])
      .map((text) => (text === '\\N' ? null : Buffer.from(text.replace('\\\\x', ''), 'hex')));
  const keyOf = (address: typeof ELM): Buffer => ADDRESS_KEYS.keyOf(address)!;

  const SPELLINGS = [
    'Mary,Smith,2016-03-01,1 Elm St,,Springfield,IL,62701',
    'James,Smith,2016-03-01,7 Oak Ave,,Springfield,IL,62701',
    'Wqzx,Wqzxv,2016-03-01,1 ELM ST.,,SPRINGFIELD,il,62701-1234',
    'Linda,Smith,2016-03-01,PO Box 5,1 elm st,Springfield,Illinois,62701',
    'Mary,Smith,2016-03-01,1 Elm St,,Springfield,IL,62701',
  ];

  it('are one for several spellings, written as in the first row, and each row has its key', () => {
    const { addresses, skippedRows, copy, counts } = enriched(SPELLINGS);
    expect(addresses).toEqual([
      { ...ELM, key: keyOf(ELM), order: 101, rows: 4, okRows: 3 },
      { ...OAK, key: keyOf(OAK), order: 102, rows: 1, okRows: 1 },
    ]);
    expect(keysIn(copy)).toEqual([ELM, OAK, ELM, ELM, ELM].map(keyOf));
    expect(keyOf(ELM)).toHaveLength(16);
    expect([skippedRows, counts.ok, counts.not_found]).toEqual([0, 4, 1]);
  });

  it('exclude rows without one that can be geocoded, and invalid rows, which are not counted', () => {
    const { addresses, skippedRows, copy } = enriched(
      [
        'Mary,Smith,2016-03-01,,,Springfield,IL,62701',
        'Mary,Smith,2016-03-01,PO Box 7,,Springfield,IL,62701',
        'Mary,Smith,2016-03-01,1 High Street,,London,ZZ,N1 9GU',
        'Mary,Smith,no date,1 Elm St,,Springfield,IL,62701',
        'Mary,Smith,2016-03-01,1 Elm St',
        'Mary,Smith,2016-03-01,1 Elm St,,Springfield,IL,62701',
      ],
      {},
      { poison: new Set([106]) },
    );
    expect(addresses).toEqual([]);
    expect(skippedRows).toBe(3);
    expect(keysIn(copy)).toEqual([null, null, null, null, null, null]);
  });

  it('are collected only on request, and only for contributions', () => {
    const without = enriched(SPELLINGS, {}, { addressKeys: null });
    expect([without.addresses, without.skippedRows]).toEqual([[], 0]);
    expect(keysIn(without.copy)).toEqual([null, null, null, null, null]);
    const ofNames = enriched(SPELLINGS, { type: 'age_gender' });
    expect([ofNames.addresses, ofNames.skippedRows]).toEqual([[], 0]);
    expect(keysIn(ofNames.copy)).toEqual([null, null, null, null, null]);
  });

  it('are the same row by row, in JSON, in previews and in single requests', () => {
    const whole = enriched(SPELLINGS);
    const lines = createEnrichedLines(...chunkOf(SPELLINGS), release, ADDRESS_KEYS);
    while (lines.next()) lines.enrich(false);
    expect(lines.addresses).toEqual(whole.addresses);
    expect(lines.copy).toEqual(whole.copy);
    const items = SPELLINGS.map((record) => {
      const values = record.split(',');
      return Object.fromEntries(COLUMNS.map((name, at) => [name, values[at]]));
    });
    const json = enriched(
      items.map((item) => JSON.stringify(item)),
      { format: 'json', columns: null, mapping: {} },
    );
    expect(json.addresses).toEqual(whole.addresses);
    const previewed = enrichRows(...chunkOf(SPELLINGS), release, ADDRESS_KEYS);
    const single = items.map((item) => enrichItem('contributions', item, release, null, ADDRESS_KEYS));
    expect(previewed.map(({ item }) => item.addressKey)).toEqual(keysIn(whole.copy));
    expect(single.map(({ addressKey }) => addressKey)).toEqual(keysIn(whole.copy));
    expect(single[2].address).toEqual({ street: '1 ELM ST.', city: 'SPRINGFIELD', state: 'il', zip: '62701-1234' });
  });

  it('in JSON are strings: a number as ZIP makes a contribution invalid, but no item of other types', () => {
    const item = { first_name: 'Mary', date: '2016-03-01', street: '1 Elm St', zip: 62701 };
    const of = (type: 'contributions' | 'age_gender') => enrichItem(type, item, release, null, ADDRESS_KEYS);
    expect(of('contributions')).toMatchObject({ errorCode: 'bad_type', address: null, addressKey: null });
    expect(of('age_gender')).toMatchObject({ outcome: 'ok', errorCode: null, addressKey: null });
    const blank = {
      first_name: 'Mary',
      date: '2016-03-01',
      street: null,
      contributor_street_1: '1 Elm St',
      zip: '62701',
    };
    expect(enrichItem('contributions', blank, release, null, ADDRESS_KEYS).address?.street).toBe('1 Elm St');
  });

  it('contain only text that Postgres can store', () => {
    const item = { first_name: 'Mary', date: '2016-03-01', ...ELM, street: '1 Elm\0St' };
    expect(enrichItem('contributions', item, release, null, ADDRESS_KEYS).address).toEqual(ELM);
  });
});
