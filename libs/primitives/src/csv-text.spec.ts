import { csvField, csvRecord, formulaGuarded } from './csv-text';

describe('CSV text', () => {
  it('is quoted only where it must be', () => {
    expect(['plain', 'a,b', 'say "hi"', 'a\nb', ' x ', ''].map(csvField)).toEqual([
      'plain',
      '"a,b"',
      '"say ""hi"""',
      '"a\nb"',
      ' x ',
      '',
    ]);
  });

  it('is guarded where it begins like a formula, also behind blanks', () => {
    for (const text of ['=1+1', '+x', '-x', '@SUM(A1)', '\tx', '\rx', ' =x', '\n=x', '--1', '+', '-1-1'])
      expect(formulaGuarded(text)).toBe(`'${text}`);
  });

  it('is left alone where it is a number or harmless', () => {
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
