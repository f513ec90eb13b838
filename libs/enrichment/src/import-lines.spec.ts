import fc from 'fast-check';
import { CELL, FIELD_SEPARATOR, ITCONT_COLUMNS, csvRecord } from '@donorlens/tabular';
import { STAGING_COLUMNS } from '@donorlens/campaign-finance';
import { sampleItcont } from '@donorlens/fec-sample';
import { formatCivilDay, parseFecDay } from '@donorlens/primitives';
import { type Release } from '@donorlens/reference-data';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import {
  bulkRecord,
  filedChunk,
  filedSpec,
  filingRecord,
  recordsOf,
} from '../../../test/support/fec-data/filed-records';
import { ChunkMismatchError } from './chunk-items';
import { type ChunkSpec } from './chunk';
import { type EnrichedRow, enrichChunk, enrichRows } from './enrich-chunk';

type Line = Record<string, string | null>;

describe('import records', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });

  /** Lines as Postgres reads COPY text, by column. */
  const linesOf = (copy: Buffer): Line[] =>
    copy
      .toString()
      .split('\n')
      .slice(0, -1)
      .map((line) => {
        const values = line.split('\t').map((value) => (value === '\\N' ? null : value.replaceAll('\\\\', '\\')));
        expect(values).toHaveLength(STAGING_COLUMNS.length);
        return Object.fromEntries(values.map((value, i) => [STAGING_COLUMNS[i], value]));
      });
  const enriched = (records: string[], filed = filedSpec()): Line[] =>
    linesOf(enrichChunk(filedChunk(records.length, filed), recordsOf(records), release).copy);

  /** The same rows as a client would send them: itcont as CSV, names, entity types and dates recognised. */
  const sentByClient = (records: string[][]): EnrichedRow[] => {
    const spec: ChunkSpec = {
      ...filedChunk(records.length, filedSpec()),
      format: 'csv',
      columns: ITCONT_COLUMNS,
      mapping: { contributor_name: CELL.NAME, entity_type: CELL.ENTITY_TP, date: CELL.TRANSACTION_DT },
      importSpec: null,
    };
    return enrichRows(spec, recordsOf(records.map((cells) => csvRecord(cells, true))), release);
  };
  const expectTheSame = (records: string[][]): void => {
    const ours = enriched(records.map((cells) => cells.join(FIELD_SEPARATOR)));
    sentByClient(records).forEach(({ item }, i) => {
      const text = (value: number | string | null) => (value === null ? null : String(value));
      expect(ours[i]).toMatchObject({
        ...{ age: text(item.ageYears), gender: item.gender, race: item.race },
        ...{ pct_white: text(item.pctHundredths?.[0] ?? null), pct_hispanic: text(item.pctHundredths?.[5] ?? null) },
      });
    });
  };

  it('have the values of the same rows in a batch', () => {
    const text = Buffer.concat([...sampleItcont({ rows: 1200, cycle: 2016 })]).toString('latin1');
    const rows = text.split('\n').map((line) => line.split('|'));
    const readable = rows.filter(
      (cells) => cells.length === 21 && /^(|.*201[56])$/.test(cells[CELL.TRANSACTION_DT]) && /^\d+$/.test(cells[20]),
    );
    const isDateOrNone = ([...cells]: string[]): boolean =>
      cells[CELL.TRANSACTION_DT] === '' || !Number.isNaN(parseFecDay(cells[CELL.TRANSACTION_DT]));
    expect(readable.length).toBeGreaterThan(1000);
    expectTheSame(readable.filter(isDateOrNone));
  });

  it('have them for any name, also with accents, quotes and backslashes', () => {
    const name = fc.string({ unit: fc.constantFrom(...'MARYSMITH, .&"\'\\éß -'.split('')), maxLength: 30 });
    const day = fc.integer({ min: 5479, max: 17_166 }).map((on) => formatCivilDay(on)); // 1985 to 2016
    const record = fc.record({ name, day, type: fc.constantFrom('IND', 'CAN', 'ORG', 'PAC', '') }).map((row) => {
      const [year, month, on] = row.day.split('-');
      return bulkRecord({ NAME: row.name, TRANSACTION_DT: `${month}${on}${year}`, ENTITY_TP: row.type }).split('\x1c');
    });
    fc.assert(fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), expectTheSame), { numRuns: 200 });
  });

  it('have an age among adults beside the age among all', () => {
    const [line] = enriched([bulkRecord({ NAME: 'SMITH, ETHAN' })]);
    const { ages } = release.demographics;
    const on = parseFecDay('03012016');
    expect(line.age).toBe(String(ages.ageAt(ages.nameIndex('ETHAN'), on)));
    expect(line.age_adult).toBe(String(ages.ageAt(ages.nameIndex('ETHAN'), on, 18)));
    expect(Number(line.age_adult)).toBeGreaterThanOrEqual(18);
  });

  it('keep all cells as filed; those of filings keep line and names, but no street', () => {
    const record = bulkRecord({ NAME: ' SMITH,  "MARY\\N" É', MEMO_TEXT: '= blank behind ' });
    expect(enriched([record])[0]).toMatchObject({ record, reject_code: null });
    const filing = filingRecord({ STREET_1: '1 \\QUILL ST', STREET_2: '' });
    const [line] = enriched([filing], filedSpec({ kind: 'filing', fileNum: '-12' }));
    expect(line).toMatchObject({
      ...{ record: filing.split('\x1c').slice(0, 24).join('\x1c'), file_num: '-12', file_cycle: null },
      address_key: null, // addresses were not requested
    });
  });

  it('belong to one donor, whether the name has one column or several', () => {
    const [bulk] = enriched([bulkRecord({ NAME: 'SMITH, MARY ANN MS.' })]);
    const [filing] = enriched(
      [filingRecord({ NAME: 'SMITH, MARY ANN JR', LAST: 'SMITH', FIRST: 'MARY' })],
      filedSpec({ kind: 'filing', fileNum: '1' }),
    );
    expect(filing.donor_key).toBe(bulk.donor_key);
    expect(bulk.donor_key).not.toBe('0');
  });

  it('without a readable name have no donor', () => {
    const unnamed = enriched([
      bulkRecord({ NAME: 'INFORMATION REQUESTED' }),
      bulkRecord({ NAME: 'SMITH, MARY', ENTITY_TP: 'ORG' }),
      bulkRecord({ NAME: 'X'.repeat(201) }),
    ]);
    expect(unnamed.map((line) => [line.donor_key, line.donor_key_v2, line.counts_donor, line.money_cents])).toEqual(
      unnamed.map(() => ['0', '0', 'f', '25000']),
    );
  });

  it('whose enrichment throws are stored without attributes; the others are not affected', () => {
    const demographics = Object.assign(Object.create(release.demographics) as typeof release.demographics, {
      parseName: (name: string, type: string, year: number) => {
        if (name.startsWith('BAD')) throw new Error('cannot');
        return release.demographics.parseName(name, type, year);
      },
    });
    const records = [bulkRecord({ NAME: 'BAD, NAME' }), bulkRecord()];
    const tables = { demographics, counties: release.counties };
    const { copy, counts } = enrichChunk(filedChunk(2, filedSpec()), recordsOf(records), tables);
    expect(counts).toMatchObject({ ok: 1, failed: 1 });
    expect(linesOf(copy)).toMatchObject([
      { gender: null, donor_key: '0', record: records[0], money_cents: '25000' },
      { gender: 'f', record: records[1] },
    ]);
  });

  it('without a row id or amount are stored as rejects', () => {
    const records = ['no record', bulkRecord({ SUB_ID: '' }), bulkRecord({ TRANSACTION_AMT: '1e3' }), bulkRecord()];
    expect(enriched(records)).toMatchObject([
      { reject_code: 'internal', record: 'no record', row_id: null },
      { reject_code: 'internal', record: records[1] },
      { reject_code: 'internal', record: records[2] },
      { reject_code: null, record: records[3] },
    ]);
  });

  it('of a chunk with another stated number are rejected', () => {
    const records = recordsOf([bulkRecord(), bulkRecord()]);
    for (const rows of [1, 3])
      expect(() => enrichChunk(filedChunk(rows, filedSpec()), records, release)).toThrow(ChunkMismatchError);
  });
});
