import { type LifeTableFile, joinLifeTables, readLifeTable } from './life-tables';

const HEADER = 'Year,x,q(x),l(x),d(x),L(x),T(x),e(x),D(x),M(x),A(x),N(x),a(x),12a(x)';
const REST = ',100000,11969,92047,4895685,48.96,100000,41417,0.4142,2605686,26.0569,307.18';

/** One line per age: q = age / 1000, with the title lines of the publisher. */
function linesOf(years: number[], title = 'Females'): string[] {
  const rows = years.flatMap((year) =>
    Array.from({ length: 120 }, (_, x) => `${year},${x},${(x / 1000).toFixed(6)}${REST}`),
  );
  return [
    'United States life table functions at 2.3 percent interest',
    title,
    ',,,,,,,o,,,,,..,    ..    (12)',
    HEADER,
    ...rows,
  ];
}
const read = (lines: string[], sex: 'm' | 'f' = 'f') =>
  readLifeTable('PerLifeTables_F_Hist_TR2020.csv', sex, Buffer.from(lines.join('\n')));
const changed = (at: number, line: string): string[] => linesOf([1900]).with(at, line);

describe('life tables', () => {
  it('reads q(x) by year and age below the title lines', () => {
    const table = read(linesOf([1900, 1901]));
    expect([table.firstYear, table.lastYear, table.q.length]).toEqual([1900, 1901, 240]);
    expect([table.q[0], table.q[119], table.q[120 + 7]]).toEqual([0, 0.119, 0.007]);
    expect(read([...linesOf([1900]).map((line) => `${line}\r`), '']).q).toHaveLength(120);
  });

  it.each<[string, string[], string]>([
    ['another header', changed(3, HEADER.replace('q(x)', 'qx')), 'line 4: the header is not'],
    ['no header', linesOf([1900]).filter((line) => line !== HEADER), 'the header is not'],
    ['an empty file', [], 'has no header line'],
    ['a missing age', linesOf([1900]).toSpliced(50, 1), 'line 51: year 1900 age 47 is out of order'],
    ['a file that is cut', linesOf([1900]).slice(0, 100), 'ends before age 119'],
    ['a probability above 1', changed(10, `1900,6,1.5${REST}`), 'line 11: q(x) is not between 0 and 1'],
    ['a probability that is none', changed(10, `1900,6,.${REST}`), 'line 11: q(x) is not between 0 and 1'],
    ['a missing field', changed(10, '1900,6,0.1'), 'line 11: has 3 fields, expected 14'],
    ['the other sex', linesOf([1900], 'Males'), 'is headed Males, expected Females'],
  ])('refuses %s', (_what, lines, message) => {
    expect(() => read(lines)).toThrow(message);
  });

  const file = (sex: 'm' | 'f', firstYear: number, lastYear: number): LifeTableFile => ({
    file: `${sex} ${firstYear}`,
    sex,
    firstYear,
    lastYear,
    q: new Float64Array((lastYear - firstYear + 1) * 120).fill(sex === 'm' ? 0.5 : 0.25),
  });

  it('joins observed and projected years of each sex, males first', () => {
    const life = joinLifeTables([file('f', 1901, 1902), file('f', 1900, 1900), file('m', 1900, 1902)]);
    expect([life.firstYear, life.lastYear, life.q.length]).toEqual([1900, 1902, 720]);
    expect([life.q[0], life.q[359], life.q[360], life.q[719]]).toEqual([0.5, 0.5, 0.25, 0.25]);
  });

  it('refuses a gap between the files, and sexes that cover different years', () => {
    expect(() => joinLifeTables([file('f', 1900, 1900), file('f', 1902, 1902), file('m', 1900, 1902)])).toThrow(
      'begins with 1902, but f 1900 ends with 1900',
    );
    expect(() => joinLifeTables([file('f', 1900, 1901), file('m', 1900, 1902)])).toThrow('they must be the same');
    expect(() => joinLifeTables([file('f', 1900, 1901)])).toThrow('they must be the same');
  });
});
