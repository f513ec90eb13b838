import fc from 'fast-check';
import { storedZip } from '../../../../test/support/sample-data/stored-zip';
import { readBirthNames } from './birth-names';
import { LayoutError } from '../reference-data-error';
import { bornIn } from '../releases/release-checks';

const zipOf = (files: Record<string, string>): Buffer =>
  storedZip(new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text, 'latin1')])));
const read = (files: Record<string, string>) => readBirthNames('names.zip', zipOf(files));
const year = (text: string) => read({ 'yob1880.txt': text });

describe('birth names', () => {
  it('reads lines that end with CRLF, with LF, or with the file', async () => {
    const { births, facts } = await read({
      'yob1880.txt': 'Mary,F,7065\r\nAnna,F,2604\r\nMary,M,27\r\n',
      'yob1881.txt': 'Mary,F,6919\nJohn,M,8769',
    });
    expect(facts).toEqual({ rows: 5, births: 25_384 });
    expect([births.firstYear, births.lastYear]).toEqual([1880, 1881]);
    expect([0, 1, 2].map((i) => births.names.keyAt(i))).toEqual(['anna', 'john', 'mary']);
    expect([
      bornIn(births, 'mary', 1, 1880),
      bornIn(births, 'mary', 1, 1881),
      bornIn(births, 'mary', 0, 1880),
      bornIn(births, 'john', 0, 1881),
      bornIn(births, 'john', 0, 1880),
    ]).toEqual([7065, 6919, 27, 8769, 0]);
    expect([...births.rowStart]).toEqual([0, 0, 1, 2, 2, 3, 5]);
  });

  it('accepts the read-me of the publisher', async () => {
    await expect(read({ 'NationalReadMe.pdf': '%PDF', 'yob1880.txt': 'Mary,F,5\n' })).resolves.toBeDefined();
  });

  it.each([
    ['', 'names.zip yob1880.txt line 0: is empty'],
    ['Mary,F,5\nJohn,M\n', 'line 2: expected Name,F or M,Count'],
    ['Mary,F,5\nJohn,X,9\n', 'line 2: expected Name,F or M,Count'],
    ['Mary,F,4\n', 'line 1: the count is below 5'],
    ['Mary,F,\n', 'line 1: the count is no number'],
    ['Mary,F,5.5\n', 'line 1: more than Name,Sex,Count'],
    ['Mary,F,5,7\n', 'line 1: more than Name,Sex,Count'],
    ['Mary,F,123456789\n', 'line 1: the count is no number'],
    ['Mary-Ann,F,5\n', 'line 1: a name may hold letters only'],
    ['Zoë,F,5\n', 'line 1: a name may hold letters only'],
    ['M,F,5\n', 'line 1: a name has 2 to 15 letters'],
    ['Mary', 'line 1: expected Name,F or M,Count'],
    ['Mary,F,5\nMary,F,6\n', 'yob1880.txt: mary is listed twice for one sex'],
    ['name,sex,count\nMary,F,5\n', 'line 1: expected Name,F or M,Count'],
  ])('refuses %j', async (text, message) => {
    await expect(year(text)).rejects.toThrow(LayoutError);
    await expect(year(text)).rejects.toThrow(message);
  });

  it('refuses an edition with a gap', async () => {
    await expect(read({ 'yob1880.txt': 'Mary,F,5\n', 'yob1882.txt': 'Mary,F,5\n' })).rejects.toThrow(
      'years 1880 to 1882 are not all there (2 files)',
    );
  });

  it('reads back every written cell, for any names', async () => {
    const name = fc.string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz'), minLength: 2, maxLength: 15 });
    const cell = fc.record({
      name,
      sex: fc.constantFrom(0, 1),
      year: fc.integer({ min: 1880, max: 1883 }),
      count: fc.integer({ min: 5, max: 99_999 }),
    });
    const distinct = fc.uniqueArray(cell, {
      minLength: 1,
      selector: ({ name: n, sex, year: y }) => `${n} ${sex} ${y}`,
    });
    await fc.assert(
      fc.asyncProperty(distinct, async (cells) => {
        const files: Record<string, string> = {};
        for (let y = 1880; y <= 1883; y++) files[`yob${y}.txt`] = 'Zzfiller,F,5\n';
        for (const { name: n, sex, year: y, count } of cells)
          files[`yob${y}.txt`] += `${n[0].toUpperCase()}${n.slice(1)},${sex === 1 ? 'F' : 'M'},${count}\r\n`;
        const { births } = await read(files);
        for (const { name: n, sex, year: y, count } of cells)
          expect(bornIn(births, n, sex === 1 ? 1 : 0, y)).toBe(count);
      }),
      { numRuns: 50 },
    );
  });
});
