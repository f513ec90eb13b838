import { type Release } from '@donorlens/reference-data';
import { civilDay, emptyCounts } from '@donorlens/primitives';
import { sampleTables } from '../../../test/support/reference-data/sample-tables';
import { ChunkMismatchError } from './chunk-items';
import { ChunkLines, enrichChunk, enrichRows } from './enrich-chunk';
import { type ChunkSpec } from './chunk';
import { type EnrichmentTables } from './enrich-contribution';

const BATCH = '0b5bd8f4-3c52-4bd2-b3a5-0d9d5d1a2f10';

describe('a chunk', () => {
  let release: Release;
  beforeAll(async () => {
    release = await sampleTables();
  });

  const csv = (records: string[], more: Partial<ChunkSpec> = {}): [ChunkSpec, Buffer] => [
    {
      batchId: BATCH,
      type: 'contributions',
      format: 'csv',
      columns: ['first_name', 'surname', 'date'],
      mapping: { first_name: 0, surname: 1, date: 2 },
      minAge: null,
      firstRow: 101,
      rows: records.length,
      ...more,
    },
    Buffer.from(records.map((record) => `${record}\n`).join('')),
  ];
  /** Values of the lines, as Postgres reads COPY text. */
  const rows = (copy: Buffer): (string | null)[][] =>
    copy
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) =>
        line
          .split('\t')
          .map((value) =>
            value === '\\N'
              ? null
              : value.replace(/\\(.)/g, (_, letter: string) => ({ n: '\n', r: '\r', t: '\t' })[letter] ?? letter),
          ),
      );

  it('gives a line for each row, in order, with its unchanged source', () => {
    const records = [
      'Mary,Smith,2016-03-01',
      '"Wq ""x""\tand\n\\two",Wqzxv,2016-03-01',
      'Wqéx,李,2016-03-01',
      'Mary,Smith',
    ];
    const { copy, counts } = enrichChunk(...csv(records), release);
    const lines = rows(copy);
    expect(lines.map((line) => line.slice(0, 5))).toEqual([
      [BATCH, '101', '0', null, records[0]],
      [BATCH, '102', '2', null, records[1]],
      [BATCH, '103', '2', null, records[2]],
      [BATCH, '104', '3', 'ragged_row', records[3]],
    ]);
    expect(lines.every((line) => line.length === 19)).toBe(true);
    const mary = String(release.demographics.ages.nameIndex('Mary'));
    expect(lines.map((line) => line.slice(17))).toEqual([
      [mary, String(civilDay(2016, 3, 1))],
      [null, String(civilDay(2016, 3, 1))],
      [null, String(civilDay(2016, 3, 1))],
      [null, null],
    ]);
    expect(lines[0].slice(6, 8)).toEqual(['f', 'white']);
    expect(counts).toEqual({ ...emptyCounts(), ok: 1, not_found: 2, invalid: 1 });
  });

  it('of an openFEC export has titles and organizations of the filed name', () => {
    const columns = ['contributor_name', 'contributor_first_name', 'contributor_last_name', 'date'];
    const mapping = { contributor_name: 0, first_name: 1, surname: 2, date: 3 };
    const day = '2016-03-01';
    const records = [
      `"SMITH, LEE",LEE,SMITH,${day}`,
      `"SMITH, LEE MR.",LEE,SMITH,${day}`,
      `"SMITH, LEE MRS.",LEE,SMITH,${day}`,
      `"SMITH, JOHN",JOHN,SMITH,${day}`,
      `ESTATE OF JOHN SMITH,JOHN,SMITH,${day}`,
      `"SMITH, JOHN & MARY MR. & MRS.",JOHN,SMITH,${day}`,
    ];
    const found = rows(enrichChunk(...csv(records, { columns, mapping }), release).copy);
    const [lee, , , john] = found.map((line) => line.slice(5));
    expect(found.map((line) => line[6])).toEqual([lee[1], 'm', 'f', 'm', null, 'm']);
    expect(found.map((line) => line[5])).toEqual([lee[0], lee[0], lee[0], john[0], null, john[0]]);
    expect(found.map((line) => line[7])).toEqual(['white', 'white', 'white', 'white', null, 'white']);
    expect(john[0]).toMatch(/^\d+$/);
  });

  it('has an error code for each invalid row, and continues', () => {
    const bad = [
      'Mary,Smith,2016-02-30',
      'Ma\0ry,Smith,2016-03-01',
      `${'x'.repeat(1_000_000)},Smith,2016-03-01`,
      'Mary,Smith,2016-03-01',
    ];
    const { copy, counts } = enrichChunk(...csv(bad), release);
    const lines = rows(copy);
    expect(lines.map((line) => line[3])).toEqual(['bad_date', 'nul_byte', 'too_long', null]);
    expect(lines[1][4]).toBe('Ma\u2400ry,Smith,2016-03-01');
    expect(lines[2][4]).toBe(bad[2]);
    expect(counts).toEqual({ ...emptyCounts(), ok: 1, invalid: 3 });
  });

  it('of JSON reads each line separately', () => {
    const items = [
      '{"name":"Mary","date":"2016-03-01","note":"\\u0000 \\\\ \\ud800"}',
      'no json',
      '7',
      '{"date":"2016-03-01"}',
    ];
    const [spec, input] = csv(items, { type: 'age_gender', format: 'json', columns: null, mapping: {} });
    const lines = rows(enrichChunk(spec, input, release).copy);
    expect(lines.map((line) => [line[3], line[4]])).toEqual([
      [null, items[0]],
      ['bad_json', items[1]],
      ['bad_json', items[2]],
      ['missing_name', items[3]],
    ]);
  });

  it('of JSON finds fields under the keys of a mapping', () => {
    const [spec, input] = csv(['{"given":"Mary","when":"2016-03-01"}'], {
      type: 'age_gender',
      format: 'json',
      columns: ['given', 'when'],
      mapping: { first_name: 0, date: 1 },
    });
    expect(enrichRows(spec, input, release)[0].item).toMatchObject({ outcome: 'ok', gender: 'f' });
  });

  it('does not read poison rows, and has the same result row by row', () => {
    const records = ['Mary,Smith,2016-03-01', 'James,Smith,2016-03-01', 'Linda,Smith,2016-03-01'];
    const whole = enrichChunk(...csv(records), release, { poison: new Set([102]) });
    expect(rows(whole.copy)[1].slice(0, 6)).toEqual([BATCH, '102', '4', 'poison', records[1], null]);
    expect(whole.counts).toEqual({ ...emptyCounts(), ok: 2, failed: 1 });
    const lines = new ChunkLines(...csv(records), release);
    const seen: number[] = [];
    while (lines.next()) {
      seen.push(lines.row);
      lines.enrich(lines.row === 102);
    }
    expect(seen).toEqual([101, 102, 103]);
    expect(lines.copy).toEqual(whole.copy);
    expect(lines.counts).toEqual(whole.counts);
  });

  it('continues after a row that throws', () => {
    const { ages } = release.demographics;
    const broken = Object.create(release.demographics) as typeof release.demographics;
    Object.defineProperty(broken, 'ages', {
      value: {
        nameIndex: (name: string) => {
          if (name === 'James') throw new RangeError('out of luck');
          return ages.nameIndex(name);
        },
        genderOf: ages.genderOf.bind(ages),
        ageAt: ages.ageAt.bind(ages),
      },
    });
    const tables: EnrichmentTables = { demographics: broken, counties: release.counties };
    const { copy, counts } = enrichChunk(
      ...csv(['Mary,Smith,2016-03-01', 'James,Smith,2016-03-01', 'Linda,Smith,2016-03-01']),
      tables,
    );
    expect(rows(copy).map((line) => line[3])).toEqual([null, 'internal', null]);
    expect(counts).toEqual({ ...emptyCounts(), ok: 2, failed: 1 });
  });

  it('with another number of rows than stated is rejected', () => {
    expect(() => enrichChunk(...csv(['a,b,c'], { rows: 2 }), release)).toThrow(ChunkMismatchError);
    expect(() => enrichChunk(...csv(['a,b,c', 'd,e,f'], { rows: 1 }), release)).toThrow(ChunkMismatchError);
  });

  it('gives the same bytes when run again', () => {
    const chunk = csv(
      Array.from({ length: 200 }, (_, i) => `Mary,Smith,2016-03-${String(1 + (i % 28)).padStart(2, '0')}`),
    );
    expect(enrichChunk(...chunk, release).copy).toEqual(enrichChunk(...chunk, release).copy);
  });
});
