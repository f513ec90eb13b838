import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { CsvRecordReader } from './csv-record-reader';

const read = (text: string): string[][] => {
  const reader = new CsvRecordReader(Buffer.from(text));
  const records: string[][] = [];
  while (reader.read()) records.push(Array.from({ length: reader.fields }, (_, i) => reader.text(i)));
  return records;
};

describe('records of a chunk', () => {
  it('are split into fields without quotes and surrounding blanks', () => {
    expect(read('1,"SMITH, JOHN", x \n"say ""hi""",,"a\nb"\n')).toEqual([
      ['1', 'SMITH, JOHN', 'x'],
      ['say "hi"', '', 'a\nb'],
    ]);
  });

  it('may have any number of fields', () => {
    const wide = Array.from({ length: 500 }, (_, i) => String(i));
    expect(read(`a\n${wide.join(',')}\n\n`)).toEqual([['a'], wide, ['']]);
  });

  it('report NUL and escaped bytes', () => {
    const reader = new CsvRecordReader(Buffer.from('plain,é\na\\b\n"a\tb"\n"a\nb"\na\0b\n"\0"\n'));
    const seen: boolean[][] = [];
    while (reader.read()) seen.push([reader.hasEscaped, reader.hasNul]);
    expect(seen).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, false],
      [true, true],
      [true, true],
    ]);
  });

  it('are read as csv-stringify writes them', () => {
    const field = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', ',', '"', '\n', '\r', '\\', '\t', ' ', 'é', '李') }),
      fc.string(),
    );
    const table = fc.array(fc.array(field, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(table, (rows) => {
        const text = stringify(rows, { quoted_match: /[\r\n]/ });
        expect(read(text)).toEqual(rows.map((row) => row.map((value) => value.trim())));
      }),
      { numRuns: 500 },
    );
  });
});
