import fc from 'fast-check';
import { type CsvCell, csvField, csvRecord, csvText, formulaGuarded } from './csv-text';

describe('CSV text', () => {
  it('is quoted only if necessary', () => {
    expect(['plain', 'a,b', 'say "hi"', 'a\nb', ' x ', ''].map(csvField)).toEqual([
      'plain',
      '"a,b"',
      '"say ""hi"""',
      '"a\nb"',
      ' x ',
      '',
    ]);
  });

  it('is guarded if it begins like a formula, also after blanks', () => {
    for (const text of ['=1+1', '+x', '-x', '@SUM(A1)', '\tx', '\rx', ' =x', '\n=x', '--1', '+', '-1-1'])
      expect(formulaGuarded(text)).toBe(`'${text}`);
  });

  it('is not changed if it is a number or harmless', () => {
    for (const text of [
      '-5',
      '+5.50',
      '-.5',
      ' -1e-5 ',
      '-12.',
      '-.55',
      '-1E10',
      '-2.5e+12',
      '\t5',
      'SMITH-JONES',
      "'=x",
      '',
      ' ',
      '1=1',
    ])
      expect(formulaGuarded(text)).toBe(text);
  });

  it('writes numbers as numbers and null as nothing', () => {
    expect(csvRecord([-1, null, '=x', '-1'])).toBe(`-1,,'=x,-1`);
    expect(csvRecord(['=x'], true)).toBe('=x');
  });
});

const cell: fc.Arbitrary<CsvCell> = fc.oneof(
  fc.constantFrom<CsvCell[]>(
    '',
    '=1+1',
    ' =1',
    '-5',
    '-5-',
    '@',
    '\t5',
    '\rx',
    '"',
    'a "b" c',
    '\\',
    "'x",
    null,
    0,
    -1,
  ),
  fc.string({
    unit: fc.constantFrom('a', ',', '"', '\n', '\r', ' ', '\t', '\\', '=', '-', '1', 'é', '𝒜'),
    maxLength: 12,
  }),
  fc.string(),
  fc.integer(),
  fc.double({ noNaN: true }),
);
const records = fc.array(fc.array(cell, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 8 });

describe('CSV text of records', () => {
  it('equals that of csvRecord, byte for byte', () => {
    fc.assert(
      fc.property(records, fc.boolean(), (rows, raw) => {
        expect(csvText(rows, raw)).toBe(rows.map((row) => `${csvRecord(row, raw)}\n`).join(''));
      }),
      { numRuns: 2_000 },
    );
  });

  it('of no records is empty', () => {
    expect(csvText([])).toBe('');
  });
});
