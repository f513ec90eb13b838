import { createHash } from 'node:crypto';
import { fileNumberIn, substituteNumber } from './filing-values';

describe('number of a filing', () => {
  it.each([
    ['1385191.fec', '1385191'],
    ['/data/20180616.zip/1238371.fec', '1238371'],
    ['https://docquery.fec.gov/dcdev/posted/13360.FEC', '13360'],
    ['0001.fec', '1'],
  ])('%s', (name, number) => expect(fileNumberIn(name)).toBe(number));

  it.each(['F3P-newt.fec', '2012.txt', 'a13360.fec', '12345678901.fec', ''])('%j has none', (name) =>
    expect(fileNumberIn(name)).toBeNull(),
  );

  it('is a negative substitute if the name has none, the same for the same bytes', () => {
    const of = (text: string) => substituteNumber(createHash('sha256').update(text).digest());
    expect(of('a')).toBe(of('a'));
    expect(of('a')).not.toBe(of('b'));
    expect(Number(of('a'))).toBeLessThan(0);
    expect(Number.isSafeInteger(Number(of('a')))).toBe(true);
    expect(substituteNumber(Buffer.alloc(32))).toBe('-1');
  });
});
