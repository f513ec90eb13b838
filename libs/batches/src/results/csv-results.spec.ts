import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { AreaTable, type FirstNamePeople } from '@donorlens/demographics';
import { FULL, type Row, completed as batch, county, pageText } from '../../../../test/support/pipeline/stored-results';
import { type Batch } from '../batch';
import { CsvResults } from './csv-results';
import { ResultRows } from './result-rows';

const NO_AREA = new AreaTable(new Float64Array(), new Uint32Array());
const NO_AREAS_KNOWN = {
  ...{ tract: NO_AREA, zcta: NO_AREA, county: NO_AREA },
  ...{ nation: new Float64Array(6), otherNames: new Uint16Array(6), firstNames: null },
};

const page = (rows: readonly Row[]): ResultRows => new ResultRows(pageText(rows));
const csv = (of: Batch, rows: readonly Row[], raw = false): string => {
  const results = new CsvResults(of, raw, county);
  return results.header() + results.page(page(rows)).toString();
};
describe('results as CSV', () => {
  it('are the record of the client, followed by the added columns', () => {
    expect(csv(batch('contributions', ['id', 'NAME']), [FULL])).toBe(
      'id,NAME,AGE,GENDER,ETHNICITY,PCT_WHITE,PCT_BLACK,PCT_API,PCT_AIAN,PCT_2PRACE,PCT_HISPANIC,FIPS,COUNTY,TRACT_CD,BLOCK_CD,HH_INCOME_MEDIAN,ADDRESS_ID,GEOCODE_STATUS\n' +
        '1,"SMITH, JOHN",54,m,white,70.9,23.11,0.5,0.89,2.19,100,51600,"Fairfax, city",300100,2004,106870,00112233445566778899aabbccddeeff,MATCH\n',
    );
  });

  it('have the outcome of each address, and each known county', () => {
    const places = (rows: readonly Row[]): string[] =>
      csv(batch('contributions', ['n']), rows)
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(','))
        .map((fields) => (expect(fields).toHaveLength(1 + 16), fields.slice(-7).join(',')));
    expect(
      places([
        { source: '1', status: 'MATCH' }, // whose geography is not known
        { source: '2', status: 'NO_MATCH' },
        { source: '3', status: 'TIE', fips: '06037' },
        { source: '4', status: 'SKIPPED', fips: '15005' },
        { source: '5', status: 'PENDING', fips: '06037' },
        { source: '6', status: 'SKIPPED', fips: '99999' },
        { source: '7', outcome: 'invalid', code: 'bad_date', status: 'PENDING' },
        { source: '8', outcome: 'failed', code: 'internal' },
      ]),
    ).toEqual([
      ',,,,,,MATCH',
      ',,,,,,NO_MATCH',
      '06037,Los Angeles,,,67986,,TIE',
      '15005,Kalawao,,,,,SKIPPED',
      '06037,Los Angeles,,,67986,,PENDING',
      '99999,,,,,,SKIPPED',
      ',,,,,,',
      ',,,,,,',
    ]);
  });

  it('distinguish a share of zero from an unknown one', () => {
    const shares = (of: Partial<Row>): string =>
      csv(batch('ethnicity', ['n']), [{ source: '1', ...of }])
        .trim()
        .split('\n')[1];
    expect(shares({ race: 'white', shares: [9900, 0, 0, 1, 0, 99] })).toBe('1,white,99,0,0,0.01,0,0.99');
    expect(shares({})).toBe('1,,,,,,,');
  });

  it('omit columns that the batch type does not have', () => {
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

  it('prefix text that a spreadsheet would run as a formula, but not numbers', () => {
    const of = batch('age_gender', ['a', 'b', '=c']);
    const rows = [
      { source: '=1+1,"@x, y",-5' },
      { source: ' +x,"\tq",-5.50' },
      { source: '+1,-,--' },
      { source: '" =x""y",1e5,-1e-5' },
      { source: '"a"",","=x",1' },
    ];
    expect(csv(of, rows)).toBe(
      `a,b,'=c,AGE,GENDER\n'=1+1,"'@x, y",-5,,\n' +x,'\tq,-5.50,,\n+1,'-,'--,,\n"' =x""y",1e5,-1e-5,,\n"a"",",'=x,1,,\n`,
    );
    expect(csv(of, rows, true)).toBe(`a,b,=c,AGE,GENDER\n${rows.map(({ source }) => `${source},,\n`).join('')}`);
  });

  const ITEM = {
    pctHundredths: [9900, 0, 0, 1, 0, 99],
    race: 'white',
    isSurnameUnlisted: false,
    nameIndex: -1,
    zip: '',
  };
  const SOURCES = ['Zoë,"a\tb\\"', '"x\ny",1', 'é,2'];

  /** Estimates by place of the rows, and what was read of their sources. */
  function estimates(stored: Partial<Row>, firstNames: FirstNamePeople | null): { lines: string; read: string[] } {
    const read: string[] = [];
    const items = {
      enrich: (source: Buffer) => (read.push(`names of ${source.toString()}`), ITEM),
      readZip: (source: Buffer) => (read.push(`ZIP of ${source.toString()}`), ''),
    };
    const areas = { placed: { geography: { ...NO_AREAS_KNOWN, firstNames }, items }, tractIncomes: null };
    const results = new CsvResults(batch('contributions', ['a', 'b']), false, county, undefined, areas);
    return { lines: results.page(page(SOURCES.map((source) => ({ source, ...stored })))).toString(), read };
  }
  const linesWith = (cells: string): string => SOURCES.map((source) => `${source},,,${cells}\n`).join('');
  const PARSED_LINES = linesWith('white,99,0,0,0.01,0,0.99,,,,,,,SKIPPED,surname,true');
  const STORED_SHARES = { race: 'black', shares: [100, 9800, 0, 0, 50, 50] };

  it('estimate ethnicity by place from the names in the stored source', () => {
    const read = SOURCES.map((source) => `names of ${source}`);
    expect(estimates({}, null)).toEqual({ lines: PARSED_LINES, read });
    expect(estimates(STORED_SHARES, { names: NO_AREA, all: new Float64Array(6) })).toEqual({
      lines: PARSED_LINES,
      read,
    });
  });

  it('estimate ethnicity by place from the stored shares of the surname if first names are not needed', () => {
    expect(estimates(STORED_SHARES, null)).toEqual({
      lines: linesWith('black,1,98,0,0,0.5,0.5,,,,,,,SKIPPED,surname,true'),
      read: SOURCES.map((source) => `ZIP of ${source}`),
    });
  });

  const field = fc.oneof(
    fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', '\t', '\\', '=', '-', '1', '\u00e9') }),
    fc.string(),
  );
  const records = fc.array(fc.tuple(field, field, field), { minLength: 1, maxLength: 10 });

  it('return unchanged records if the guard is off', () => {
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

  it('contain no formula, and change nothing else', () => {
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

  it('of JSON items have a column for each key, and one for other members', () => {
    const items = (columns: string[] | null): Batch => ({ ...batch('age_gender', columns), itemFormat: 'json' });
    const rows: Row[] = [
      { source: JSON.stringify({ name: 'Mary, Ann', n: 7, tags: ['a'], x: null }), age: 60, gender: 'f' },
      { source: '[1', outcome: 'invalid', code: 'bad_json' },
    ];
    expect(csv(items(['n', 'name', 'tags', 'x']), rows)).toBe(
      'n,name,tags,x,AGE,GENDER\n7,"Mary, Ann","[""a""]",,60,f\n,,,,,\n',
    );
    expect(csv(items(['name', 'OTHER']), rows)).toBe(
      'name,OTHER,AGE,GENDER\n"Mary, Ann","{""n"":7,""tags"":[""a""],""x"":null}",60,f\n,,,\n',
    );
    expect(csv(items(null), [{ source: '{"__proto__":1}' }])).toBe('OTHER,AGE,GENDER\n"{""__proto__"":1}",,\n');
  });

  it('of a batch that has not completed end with the number of the row', () => {
    for (const state of ['running', 'cancelling', 'cancelled', 'failed'] as const)
      expect(csv({ ...batch('age_gender', ['n', 'd']), state }, [{ source: 'Mary,2016-03-01', age: 60 }])).toBe(
        'n,d,AGE,GENDER,ROW\nMary,2016-03-01,60,,1\n',
      );
  });
});
