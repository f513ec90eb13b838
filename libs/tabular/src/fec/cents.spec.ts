import fc from 'fast-check';
import { parseCents } from './field-values';

describe('amounts as filed', () => {
  it.each([
    ['25', 2500],
    ['-25', -2500],
    ['25.50', 2550],
    ['25.5', 2550],
    ['.50', 50],
    ['-.05', -5],
    ['0', 0],
    ['-0', 0],
    ['-0.00', 0],
    ['0025', 2500],
    ['999999999999.99', 99_999_999_999_999],
  ])('%s is %d cents', (text, cents) => {
    expect(parseCents(text)).toBe(cents);
  });

  it.each([
    '',
    '-',
    '.',
    '-.',
    '1e3',
    '1,000',
    'x',
    '25.',
    '25.505',
    '2 5',
    ' 25',
    '25 ',
    '+25',
    '--25',
    '25.x',
    '25.5-',
    '$25',
    '1234567890123',
    'NaN',
    '２５',
  ])('%j is none', (text) => {
    expect(parseCents(text)).toBeNaN();
  });

  it('are read back for every number of cents, and add up exactly', () => {
    const amounts = fc.array(fc.integer({ min: -99_999_999_999, max: 99_999_999_999 }));
    fc.assert(
      fc.property(amounts, (cents) => {
        const read = cents.map((amount) => parseCents(dollars(amount)));
        expect(read.reduce((sum, amount) => sum + amount, 0)).toBe(cents.reduce((sum, amount) => sum + amount, 0));
      }),
    );
  });
});

function dollars(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
