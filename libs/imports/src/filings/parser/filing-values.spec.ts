import { formatCivilDay } from '@donorlens/primitives';
import { bulkDate, filedDay } from './filing-values';

describe('dates of filings', () => {
  it.each([
    ['20160229', '2016-02-29', '02292016'],
    ['2016-02-29', '2016-02-29', '02292016'],
    ['02/29/2016', '2016-02-29', '02292016'],
  ])('%s', (text, day, bulk) => {
    expect(formatCivilDay(filedDay(text))).toBe(day);
    expect(bulkDate(text)).toBe(bulk);
  });

  it.each(['', '201602', 'UNKNOWN', '2016022', '160229'])('%j is no date', (text) => {
    expect(filedDay(text)).toBeNaN();
    expect(bulkDate(text)).toBe('');
  });

  it('a date that does not exist stays as filed', () => {
    expect(filedDay('20160230')).toBeNaN();
    expect(bulkDate('20160230')).toBe('02302016');
  });
});
