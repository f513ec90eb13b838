import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { type BatchType, type FieldMapping, OUTCOMES, type Outcome } from '@donorlens/primitives';
import { type Batch } from '../batch';
import { CsvResults } from './csv-results';
import { ErrorRows } from './error-rows';
import { JsonResults } from './json-results';
import { ResultRows } from './result-rows';

interface Row {
  source: string;
  outcome?: Outcome;
  code?: string;
  age?: number;
  gender?: string;
  race?: string;
  shares?: number[];
  fips?: string;
  income?: number;
}

/** Rows as Postgres copies them out: backslash escapes, \N for null. */
function page(rows: readonly Row[]): ResultRows {
  const value = (of: string | number | undefined): string =>
    of === undefined
      ? '\\N'
      : String(of).replace(
          /[\\\n\r\t]/g,
          (letter) => ({ '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' })[letter]!,
        );
  const line = (row: Row, i: number): string =>
    [
      i + 1,
      OUTCOMES.indexOf(row.outcome ?? 'ok'),
      row.code,
      row.source,
      row.age,
      row.gender,
      row.race,
      ...(row.shares ?? Array.from({ length: 6 }, () => undefined)),
      row.fips,
      row.income,
    ]
      .map(value)
      .join('\t');
  return new ResultRows(Buffer.from(rows.map((row, i) => `${line(row, i)}\n`).join('')));
}

function each<T>(rows: ResultRows, of: (row: ResultRows) => T): T[] {
  const all: T[] = [];
  while (rows.read()) all.push(of(rows));
  return all;
}

function batch(type: BatchType, columns: string[] | null, mapping: FieldMapping = {}): Batch {
  return {
    id: 'b',
    apiKeyId: 'k',
    idempotencyKey: null,
    type,
    itemFormat: columns ? 'csv' : 'json',
    columns,
    mapping,
    minAge: null,
    state: 'completed',
    rowsTotal: 0,
    chunksTotal: 0,
    chunksDone: 0,
    tally: { ok: 0, partial: 0, not_found: 0, invalid: 0, failed: 0 },
    releaseId: 'r',
    errorCode: null,
    createdAt: new Date(0),
    startedAt: null,
    finishedAt: null,
    expiresAt: null,
  };
}

const county = (fips: string): string | null => (fips === '51600' ? 'Fairfax, city' : null);
const csv = (of: Batch, rows: readonly Row[], raw = false): string => {
  const results = new CsvResults(of, raw, county);
  return results.header() + results.page(page(rows)).toString();
};
const FULL: Row = {
  source: '1,"SMITH, JOHN"',
  age: 54,
  gender: 'm',
  race: 'white',
  shares: [7090, 2311, 50, 89, 219, 10000],
  fips: '51600',
  income: 106_870,
};

describe('results as CSV', () => {
  it("are the caller's record, and ours behind it", () => {
    expect(csv(batch('contributions', ['id', 'NAME']), [FULL])).toBe(
      'id,NAME,AGE,GENDER,ETHNICITY,PCT_WHITE,PCT_BLACK,PCT_API,PCT_AIAN,PCT_2PRACE,PCT_HISPANIC,FIPS,COUNTY,TRACT_CD,BLOCK_CD,HH_INCOME_MEDIAN,ADDRESS_ID,GEOCODE_STATUS\n' +
        '1,"SMITH, JOHN",54,m,white,70.9,23.11,0.5,0.89,2.19,100,51600,"Fairfax, city",,,106870,,PENDING\n',
    );
  });

  it('leave out what the kind of batch does not ask', () => {
    expect(csv(batch('age_gender', ['n', 'd']), [{ source: 'Mary,2016-03-01', age: 60, gender: 'f' }])).toBe(
      'n,d,AGE,GENDER\nMary,2016-03-01,60,f\n',
    );
    expect(csv(batch('ethnicity', ['s', 'y']), [{ source: 'Wqzxv,2016', outcome: 'not_found' }])).toBe(
      's,y,ETHNICITY,PCT_WHITE,PCT_BLACK,PCT_API,PCT_AIAN,PCT_2PRACE,PCT_HISPANIC\nWqzxv,2016,,,,,,,\n',
    );
  });

  it('stay rectangular under ragged records', () => {
    const ragged = (source: string): Row => ({ source, outcome: 'invalid', code: 'ragged_row' });
    expect(csv(batch('age_gender', ['n', 'd', 'x']), [ragged('a'), ragged('a,b,c,d'), ragged('"a\nb",c')])).toBe(
      'n,d,x,AGE,GENDER\na,,,,\na,b,c,,\n"a\nb",c,,,\n',
    );
  });

  it('guard text that a spreadsheet would run, and leave numbers alone', () => {
    const of = batch('age_gender', ['a', 'b', '=c']);
    const rows = [
      { source: '=1+1,"@x, y",-5' },
      { source: ' +x,"\tq",-5.50' },
      { source: '+1,-,--' },
      { source: '" =x""y",1e5,-1e-5' },
    ];
    expect(csv(of, rows)).toBe(
      `a,b,'=c,AGE,GENDER\n'=1+1,"'@x, y",-5,,\n' +x,'\tq,-5.50,,\n+1,'-,'--,,\n"' =x""y",1e5,-1e-5,,\n`,
    );
    expect(csv(of, rows, true)).toBe(`a,b,=c,AGE,GENDER\n${rows.map(({ source }) => `${source},,\n`).join('')}`);
  });

  const field = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', '\t', '\\', '=', '-', '1', '\u00e9') }),
    fc.string(),
  );
  const records = fc.array(fc.tuple(field, field, field), { minLength: 1, maxLength: 10 });

  it('give every record back as it came where the guard is off', () => {
    fc.assert(
      fc.property(records, (rows) => {
        const sources = rows.map((row) => ({
          source: stringify([row], { quoted_match: /[\r\n]/ }).replace(/\n$/, ''),
        }));
        const read: string[][] = parse(csv(batch('age_gender', ['a', 'b', 'c']), sources, true), {
          record_delimiter: '\n',
        });
        expect(read.slice(1).map((row) => row.slice(0, 3))).toEqual(rows);
      }),
      { numRuns: 500 },
    );
  });

  it('never give a spreadsheet something to run, and change nothing else', () => {
    fc.assert(
      fc.property(records, (rows) => {
        const sources = rows.map((row) => ({
          source: stringify([row], { quoted_match: /[\r\n]/ }).replace(/\n$/, ''),
        }));
        const read: string[][] = parse(csv(batch('age_gender', ['a', 'b', 'c']), sources), { record_delimiter: '\n' });
        read.slice(1).forEach((row, i) =>
          row.slice(0, 3).forEach((value, j) => {
            if (value !== rows[i][j]) expect(value).toBe(`'${rows[i][j]}`);
            else if (/^[ \t\r\n]*[=+\-@\t\r]/.test(value)) expect(Number.isFinite(Number(value))).toBe(true);
          }),
        );
      }),
      { numRuns: 500 },
    );
  });

  it('of JSON items have a column for each key that we read', () => {
    const source = JSON.stringify({ name: 'Mary, Ann', date: '2016-03-01', id: 'x1' });
    expect(
      csv(batch('age_gender', null), [
        { source, age: 60, gender: 'f' },
        { source: '[1', outcome: 'invalid', code: 'bad_json' },
      ]),
    ).toBe('id,name,date,AGE,GENDER\nx1,"Mary, Ann",2016-03-01,60,f\n,,,,\n');
  });
});

describe('results as JSON', () => {
  const json = (of: Batch, rows: readonly Row[]): unknown[] =>
    each(page(rows), (row) => JSON.parse(new JsonResults(of, county).text(row)) as unknown);

  it('have the shape of the bulk endpoints', () => {
    const source = '{"name":"Mary","date":"2016-03-01"}';
    expect(json(batch('age_gender', null), [{ source, age: 60, gender: 'f' }])).toEqual([{ age: 60, gender: 'f' }]);
    const found = {
      source: '{"surname":" Smith ","year":2016,"id":"x"}',
      race: 'white',
      shares: [7090, 2311, 50, 89, 219, 240],
    };
    expect(json(batch('ethnicity', null), [found])).toEqual([
      {
        pct2prace: 2.19,
        pctaian: 0.89,
        pctapi: 0.5,
        pctblack: 23.11,
        pcthispanic: 2.4,
        pctwhite: 70.9,
        race: 'white',
        surname: ' Smith ',
        id: 'x',
      },
    ]);
  });

  it('say why a row has no answer, and which one it is', () => {
    const rows = [
      { source: '{"id":"a","date":7}', outcome: 'invalid', code: 'bad_type' } as const,
      { source: 'no json', outcome: 'invalid', code: 'bad_json' } as const,
    ];
    expect(json(batch('age_gender', null), rows)).toEqual([
      { age: null, gender: null, id: 'a', error: 'bad_type' },
      { age: null, gender: null, error: 'bad_json' },
    ]);
  });

  it('of a file take id and surname from its columns', () => {
    const of = batch('contributions', ['id', 'NAME'], { id: 0, contributor_name: 1 });
    expect(json(of, [FULL])).toEqual([
      {
        age: 54,
        gender: 'm',
        ethnicity: 'white',
        pct_white: 70.9,
        pct_black: 23.11,
        pct_api: 0.5,
        pct_aian: 0.89,
        pct_2prace: 2.19,
        pct_hispanic: 100,
        fips: '51600',
        county: 'Fairfax, city',
        tract_cd: null,
        block_cd: null,
        hh_income_median: 106_870,
        address_id: null,
        geocode_status: 'PENDING',
        id: '1',
      },
    ]);
  });
});

describe('rows without an answer', () => {
  const rows: Row[] = [{ source: '=x,"a\tb\\"', outcome: 'invalid', code: 'bad_date' }];

  it('keep their whole source', () => {
    expect(parse(each(page(rows), (row) => new ErrorRows(true).record(row)).join(''))).toEqual([
      ['1', 'bad_date', expect.stringContaining('no real date'), '=x,"a\tb\\"'],
    ]);
    expect(each(page(rows), (row) => new ErrorRows(false).record(row))[0]).toContain(`"'=x,""a`);
    expect(each(page(rows), (row) => JSON.parse(new ErrorRows(false).text(row)) as unknown)).toEqual([
      { row: 1, error: 'bad_date', message: expect.any(String), source: '=x,"a\tb\\"' },
    ]);
  });
});
