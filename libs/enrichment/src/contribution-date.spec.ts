import { civilDay } from '@donorlens/primitives';
import { parseContributionDate, parseYear } from './contribution';

describe('donation dates', () => {
  it.each([
    '2016-03-01',
    '03012016',
    '2016-03-01T00:00:00',
    '2016-03-01T23:59:59.999+00:00',
    '2016-03-01 00:00:00',
    '3/1/2016',
    '03/01/2016',
    '3/01/2016',
  ])('%s is the first of March 2016', (text) => {
    expect(parseContributionDate(text)).toBe(civilDay(2016, 3, 1));
  });

  it.each([
    '2019-02-30',
    '02302019',
    '2/30/2019',
    '13/1/2016',
    '20x0-01-01',
    '2016-3-1',
    '1/1/16',
    '0999-01-01',
    '1/1/0999',
    'yesterday',
    '20160301',
    '2016-02-30T00:00:00',
    '2016-03-01x',
    '42430',
  ])('%s is none', (text) => {
    expect(parseContributionDate(text)).toBeNaN();
  });

  it('years have four digits', () => {
    expect(['1000', '2005', '9999'].map(parseYear)).toEqual([1000, 2005, 9999]);
    for (const text of ['20x0', '0999', '10000', '2005.0', ' 2005', '-2005', '']) expect(parseYear(text)).toBeNaN();
  });
});
