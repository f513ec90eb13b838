import * as xlsx from '@e965/xlsx';
import { incomeFile, zipCountyFile, zipCountyLine } from '../../../../test/support/sample-data/counties';
import { readCountyIncome, readCountyList } from './county-files';
import { PackedCountyTable, countyColumns } from './county-table';
import { readZipCounties } from './zip-counties';

const HEADINGS = [
  'State FIPS Code',
  'County FIPS Code',
  'Postal Code',
  'Name',
  ...Array.from({ length: 27 }, (_, i) => (i === 18 ? 'Median Household Income' : `Column ${i}`)),
];
const row = (
  state: string,
  county: string,
  usps: string,
  name: string,
  income: string | number,
): (string | number)[] => [
  ...[state, county, usps, name],
  ...Array.from({ length: 27 }, (_, i) => (i === 18 ? income : '.')),
];
const ROWS = [
  row('00', '000', 'US', 'United States', 61_937),
  row('15', '000', 'HI', 'Hawaii', 80_108),
  row('15', '005', 'HI', 'Kalawao County', '.'),
  row('46', '102', 'SD', 'Oglala Lakota County', 31_000),
  row('51', '019', 'VA', 'Bedford County', 63_000),
];
const csv = (rows: (string | number)[][], headings = HEADINGS): Buffer =>
  Buffer.from([headings, ...rows].map((cells) => cells.join(',')).join('\n'));
const COUNTIES = [
  { fips: '15005', name: 'Kalawao County', stateUsps: 'HI', medianHouseholdIncome: null },
  { fips: '46102', name: 'Oglala Lakota County', stateUsps: 'SD', medianHouseholdIncome: 31_000 },
  { fips: '51019', name: 'Bedford County', stateUsps: 'VA', medianHouseholdIncome: 63_000 },
];

describe('county income', () => {
  it('reads the same from the sheet as text and from the Excel file', () => {
    const fromCsv = readCountyIncome('est18all.csv', csv(ROWS));
    expect(fromCsv).toEqual({ counties: COUNTIES, states: 1, usMedian: 61_937 });
    const book = xlsx.utils.book_new();
    const titles = [['Table with column headers in rows 3 and 4'], ['2018'], ['Geographic Information']];
    xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([...titles, HEADINGS, ...ROWS]), 'est18ALL');
    const bytes: unknown = xlsx.write(book, { type: 'buffer', bookType: 'biff8' });
    expect(readCountyIncome('est18all.xls', bytes as Buffer)).toEqual(fromCsv);
  });

  it('loads the spreadsheet package for the Excel file only', () => {
    jest.resetModules();
    jest.doMock('@e965/xlsx', () => {
      throw new Error('the spreadsheet package was loaded');
    });
    const { readCountyIncome: read } = jest.requireActual<typeof import('./county-files')>('./county-files');
    expect(read('est18all.csv', csv(ROWS)).counties).toEqual(COUNTIES);
    expect(read('est18all.txt', incomeFile()).counties).toHaveLength(31);
    expect(() => read('est18all.xls', Buffer.from('x'))).toThrow('the spreadsheet package was loaded');
    jest.dontMock('@e965/xlsx').resetModules();
  });

  it('reads the fixed-width form, codes padded with zeros or with blanks', () => {
    const text = incomeFile().toString('latin1');
    const zeros = readCountyIncome('est18all.txt', Buffer.from(text));
    const blanks = text.replace(
      /^(\d\d) (\d\d\d)/gm,
      (_, state: string, county: string) =>
        `${String(Number(state)).padStart(2)} ${String(Number(county)).padStart(3)}`,
    );
    expect([zeros.counties.length, zeros.states]).toEqual([31, 5]);
    expect(readCountyIncome('est18all.txt', Buffer.from(blanks))).toEqual(zeros);
  });

  it.each<[string, string, Buffer, string]>([
    [
      'another header',
      'est18all.csv',
      csv(ROWS, HEADINGS.with(22, 'Mean Household Income')),
      'line 1: the header is not',
    ],
    ['no header', 'est18all.csv', csv([], ['15', '005']), 'the header is not'],
    ['a text that is no table', 'est18all.csv', Buffer.from('a "b\n'), 'is not CSV'],
    ['a row that is cut', 'est18all.csv', csv([ROWS[0], ['15', '005']]), 'line 3: has 2 fields, expected 31'],
    [
      'codes that lost their zeros',
      'est18all.csv',
      csv([ROWS[0], row('1', '1', 'AL', 'Autauga', 50_000)]),
      'line 3: state and county',
    ],
    [
      'an income that is none',
      'est18all.csv',
      csv([ROWS[0], row('01', '001', 'AL', 'Autauga', 'n/a')]),
      'line 3: Median Household Income',
    ],
    [
      'an income out of range',
      'est18all.csv',
      csv([ROWS[0], row('01', '001', 'AL', 'Autauga', 12)]),
      'line 3: Median Household Income',
    ],
    ['a county twice', 'est18all.csv', csv([...ROWS, ROWS[4]]), 'line 7: 51019 is listed twice'],
    ['no row of the country', 'est18all.csv', csv(ROWS.slice(1)), 'has no row for the country'],
    ['a sheet that is none', 'est18all.xls', Buffer.from('PK\x03\x04 not a workbook'), 'est18all.xls'],
    ['short fixed-width lines', 'est18all.txt', Buffer.from('01 001 7587\n'), 'line 1: is shorter than 241 characters'],
  ])('refuses %s', (_what, file, bytes, message) => {
    expect(() => readCountyIncome(file, bytes)).toThrow(message);
  });
});

describe('county list', () => {
  it('keeps codes as text', () => {
    expect(
      readCountyList(
        'national_county.txt',
        Buffer.from('AL,01,001,Autauga County,H1\r\nNM,35,013,Dona Ana County,H1\r\n'),
      ),
    ).toEqual([
      { fips: '01001', name: 'Autauga County', stateUsps: 'AL' },
      { fips: '35013', name: 'Dona Ana County', stateUsps: 'NM' },
    ]);
  });

  it.each([
    ['', 'holds no county'],
    ['AL,01,001,Autauga County\n', 'line 1: has not five fields'],
    ['AL,1,1,Autauga County,H1\n', 'line 1: expected State,StateFIPS'],
    ['AL,01,001,,H1\n', 'line 1: name or class code is missing'],
    ['AL,01,001,Autauga County,H1\nAL,01,001,Autauga County,H1\n', 'line 2: 01001 is listed twice'],
  ])('refuses %j', (text, message) => {
    expect(() => readCountyList('national_county.txt', Buffer.from(text))).toThrow(message);
  });
});

describe('county table', () => {
  const listed = [
    { fips: '15005', name: 'Kalawao', stateUsps: 'HI' },
    { fips: '46113', name: 'Shannon County', stateUsps: 'SD' },
    { fips: '51515', name: 'Bedford city', stateUsps: 'VA' },
    { fips: '72001', name: 'Adjuntas Municipio', stateUsps: 'PR' },
  ];
  const table = new PackedCountyTable(countyColumns(listed, { counties: COUNTIES, states: 1, usMedian: 1 }));

  it('holds the counties of both files, the newer name first', () => {
    expect([...table].map(({ fips }) => fips)).toEqual(['15005', '46102', '46113', '51019', '51515', '72001']);
    expect(table.find('15005')?.name).toBe('Kalawao County');
    expect(table.find('99999')).toBeNull();
  });

  it('gives a former code the income of its successor, and no other value', () => {
    expect(table.find('46113')).toEqual({
      fips: '46113',
      name: 'Shannon County',
      stateUsps: 'SD',
      medianHouseholdIncome: 31_000,
    });
    expect(table.find('51515')?.medianHouseholdIncome).toBe(63_000);
    expect([table.find('72001')?.medianHouseholdIncome, table.find('15005')?.medianHouseholdIncome]).toEqual([
      null,
      null,
    ]);
  });

  it('knows the two parts of Valdez-Cordova, with its income, and is no larger for it', () => {
    const valdez = {
      fips: '02261',
      name: 'Valdez-Cordova Census Area',
      stateUsps: 'AK',
      medianHouseholdIncome: 83_000,
    };
    const alaska = new PackedCountyTable(countyColumns([], { counties: [valdez], states: 1, usMedian: 1 }));
    expect([alaska.find('02063'), alaska.find('02066')]).toEqual([
      { fips: '02063', name: 'Chugach Census Area', stateUsps: 'AK', medianHouseholdIncome: 83_000 },
      { fips: '02066', name: 'Copper River Census Area', stateUsps: 'AK', medianHouseholdIncome: 83_000 },
    ]);
    expect([...alaska]).toEqual([valdez]);
    expect(alaska.size).toBe(1);
    expect(table.find('02063')?.medianHouseholdIncome).toBeNull(); // a release without Valdez-Cordova
  });

  it("knows Connecticut's planning regions by name, and no income of theirs", () => {
    expect(table.find('09110')).toEqual({
      ...{ fips: '09110', name: 'Capitol Planning Region', stateUsps: 'CT' },
      medianHouseholdIncome: null,
    });
    const codes = Array.from({ length: 9 }, (_, i) => `091${i + 1}0`);
    expect(new Set(codes.map((fips) => table.find(fips)?.name)).size).toBe(9);
  });

  it('prefers the values of a release for such a county', () => {
    const own = { fips: '02063', name: 'Chugach', stateUsps: 'AK', medianHouseholdIncome: 90_000 };
    const later = new PackedCountyTable(countyColumns([], { counties: [own], states: 1, usMedian: 1 }));
    expect(later.find('02063')).toEqual(own);
  });
});

describe('ZIP codes and counties', () => {
  const [header] = zipCountyFile().toString().split('\n');
  const OFFICIAL =
    '00601,72,001,72001,18465,7695,165132671,164333375,18570,7744,167459085,166659789,19483,8125,173777444,172725651,99.43,99.37,98.61,98.6,94.77,94.71,95.03,95.14';
  const read = (...lines: string[]) =>
    readZipCounties('zcta_county_rel_10.txt', Buffer.from([header, ...lines].join('\r\n')));

  it('gives a ZIP the county with the largest share of its people, and keeps the share', () => {
    const { columns, rows, zips } = read(
      OFFICIAL,
      zipCountyLine('00601', '72141', 0.57),
      zipCountyLine('02138', '25017', 30),
      zipCountyLine('02138', '25021', 70),
      zipCountyLine('99999', '53003', 50),
      zipCountyLine('99999', '53001', 50),
      zipCountyLine('00001', '01001', 0),
    );
    expect([rows, zips]).toEqual([7, 4]);
    const of = (zip: string): number[] => [columns.fips[Number(zip)], columns.share[Number(zip)]];
    expect([of('00601'), of('02138'), of('99999'), of('00001')]).toEqual([
      [72001, 9943],
      [25021, 7000],
      [53001, 5000],
      [1001, 0],
    ]);
    expect(of('00602')).toEqual([0, 0]);
  });

  it.each([
    [[header.replace('ZPOPPCT', 'POPPCT'), OFFICIAL].join('\n'), 'line 1: the header is not that of'],
    [header, 'holds no ZIP'],
    [`${header}\n${OFFICIAL},1`, 'line 2: has 25 fields, expected 24'],
    [`${header}\n${OFFICIAL.replace('00601', '601')}`, 'line 2: ZCTA5 or GEOID does not have five digits'],
    [`${header}\n${OFFICIAL.replace(',72001,', ',72003,')}`, 'GEOID is not STATE and COUNTY'],
    [`${header}\n${OFFICIAL.replace('99.43', '199.43')}`, 'line 2: ZPOPPCT is not a percentage'],
    [`${header}\n${OFFICIAL.replace('99.43', '')}`, 'line 2: ZPOPPCT is not a percentage'],
    [`${header}\n${OFFICIAL}\n${OFFICIAL}`, 'line 3: ZIP 00601 and county 72001 are listed twice'],
  ])('refuses %#', (text, message) => {
    expect(() => readZipCounties('zcta_county_rel_10.txt', Buffer.from(text))).toThrow(message);
  });
});
