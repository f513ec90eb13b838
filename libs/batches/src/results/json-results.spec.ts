import { parse } from 'csv-parse/sync';
import { FULL, type Row, completed as batch, county, pageText } from '../../../../test/support/pipeline/stored-results';
import { type Batch } from '../batch';
import { ErrorRows } from './batch-results';
import { JsonResults } from './json-results';
import { ResultRows } from './result-rows';

const page = (rows: readonly Row[]): ResultRows => new ResultRows(pageText(rows));

function each<T>(rows: ResultRows, of: (row: ResultRows) => T): T[] {
  const all: T[] = [];
  while (rows.read()) all.push(of(rows));
  return all;
}

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

  it('have the error of a row without a result', () => {
    const rows = [
      { source: '{"id":"a","date":7}', outcome: 'invalid', code: 'bad_type' } as const,
      { source: 'no json', outcome: 'invalid', code: 'bad_json' } as const,
    ];
    expect(json(batch('age_gender', null), rows)).toEqual([
      { age: null, gender: null, id: 'a', error: 'bad_type' },
      { age: null, gender: null, error: 'bad_json' },
    ]);
  });

  it('of a batch that has not completed have row numbers', () => {
    const of: Batch = { ...batch('age_gender', null), state: 'cancelled' };
    const source = '{"name":"Mary","date":"2016-03-01"}';
    expect(json(of, [{ source, age: 60, gender: 'f' }])).toEqual([{ age: 60, gender: 'f', row: 1 }]);
  });

  it('of a file have id and surname of its columns', () => {
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
        tract_cd: '300100',
        block_cd: '2004',
        hh_income_median: 106_870,
        address_id: '00112233445566778899aabbccddeeff',
        geocode_status: 'MATCH',
        id: '1',
      },
    ]);
  });

  it('have the outcome of each address, and each known county', () => {
    const of = batch('contributions', ['n']);
    const rows: Row[] = [
      { source: '1', status: 'TIE', fips: '06037' },
      { source: '2', status: 'PENDING', fips: '15005' },
      { source: '3', status: 'SKIPPED' },
      { source: '4', outcome: 'invalid', code: 'bad_date' },
    ];
    const nowhere = { fips: null, county: null, tract_cd: null, block_cd: null, address_id: null };
    expect(json(of, rows)).toMatchObject([
      { ...nowhere, fips: '06037', county: 'Los Angeles', hh_income_median: 67_986, geocode_status: 'TIE' },
      { ...nowhere, fips: '15005', county: 'Kalawao', hh_income_median: null, geocode_status: 'PENDING' },
      { ...nowhere, hh_income_median: null, geocode_status: 'SKIPPED' },
      { ...nowhere, hh_income_median: null, geocode_status: null, error: 'bad_date' },
    ]);
  });
});

describe('rows without an answer', () => {
  const rows: Row[] = [{ source: '=x,"a\tb\\"', outcome: 'invalid', code: 'bad_date' }];

  it('keep their complete source', () => {
    expect(parse(each(page(rows), (row) => new ErrorRows(true).record(row)).join(''))).toEqual([
      ['1', 'bad_date', expect.stringContaining('invalid date'), '=x,"a\tb\\"'],
    ]);
    expect(each(page(rows), (row) => new ErrorRows(false).record(row))[0]).toContain(`"'=x,""a`);
    expect(each(page(rows), (row) => JSON.parse(new ErrorRows(false).text(row)) as unknown)).toEqual([
      { row: 1, error: 'bad_date', message: expect.any(String), source: '=x,"a\tb\\"' },
    ]);
  });
});
